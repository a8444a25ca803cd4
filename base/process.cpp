// A program that we run can neither keep us waiting nor outlive us. It gets a process group of its own, and one `poll`
// waits for its end, its output and its errors. Then the group is killed. Processes that left the group become our
// children when their parents end. We kill those once no program runs any more; before that, nobody can tell which
// program they belong to.
//
// Example: the shell command "sleep 1000 & setsid sleep 2000 & echo hi" ends at once with "hi". What counts is the end
// of the shell, not the end of the pipes, which both sleeps hold open. The first sleep dies with the group, the second
// as a stray.
//
// Standard input is a file in memory, filled beforehand. So nothing has to be written while the program runs, and a
// program that doesn't read blocks nobody.
//
// Listening ends at the deadline at the latest: each round waits no longer than that, and reads a bounded amount.
// Memory: the input, the output up to its limit, and about 1 MiB of errors, whose end is kept.

#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/interrupts.h"
#include "base/rows.h"
#include "base/stop.h"
#include "base/text.h"

extern char** environ;

namespace onceover::base {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kept_errors = 2001;  // more than `last_words` shows

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read.reset(ends[0]);
    write.reset(ends[1]);
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

/// Processes that left their group, for a session of their own for example. When their parents end they become our
/// children (we are their "subreaper"). They are killed when no program runs that could still need them.
class Strays {
 public:
  Strays() : not_ours_(children()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

  /// Calls `start`, which starts a program, and counts the program if that worked.
  template <class Start>
  bool start(Start&& start) {
    const std::lock_guard lock(mutex_);
    const bool started = start();
    running_ += started ? 1 : 0;
    return started;
  }

  void ended() {
    const std::lock_guard lock(mutex_);
    if (--running_ > 0) return;
    for (std::vector<pid_t> strays = ours(); !strays.empty(); strays = ours())
      for (const pid_t stray : strays) {
        kill(stray, SIGKILL);
        waitpid(stray, nullptr, 0);
      }
  }

 private:
  static std::vector<pid_t> children() {
    std::vector<pid_t> children;
    std::error_code none;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
      std::ifstream list(task.path() / "children");
      for (pid_t child = 0; list >> child;) children.push_back(child);
    }
    return children;
  }

  /// All children except those that existed before the first program: a shell may have left us some.
  std::vector<pid_t> ours() const {
    std::vector<pid_t> list = children();
    std::erase_if(list, [&](pid_t child) { return has(not_ours_, child); });
    return list;
  }

  std::vector<pid_t> not_ours_;
  std::mutex mutex_;
  int running_ = 0;
};

Strays& strays() {
  static Strays all;
  return all;
}

/// Opens an unnamed file that holds the text, at its start; false, with errno, if there is no room for it.
bool open_filled(const std::string& text, Descriptor& file) {
  file.reset(memfd_create("onceover", MFD_CLOEXEC));
  if (file.number() < 0) return false;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file.number(), text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  return lseek(file.number(), 0, SEEK_SET) == 0;
}

/// What `posix_spawn` does with a child's files and signals.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnPlan() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void give(const Descriptor& file, int as) { posix_spawn_file_actions_adddup2(&files_, file.number(), as); }
  void give_nothing(int as) { posix_spawn_file_actions_addopen(&files_, as, "/dev/null", O_RDONLY, 0); }

  /// Starts the program; 0, or the error. The program gets its name without the folder.
  int spawn(const Invocation& invocation, pid_t& pid) const {
    std::vector<std::string> words{invocation.program.substr(invocation.program.rfind('/') + 1)};
    words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::vector<char*> variables = environment_with(invocation.environment);
    return posix_spawnp(&pid, invocation.program.c_str(), &files_, &attributes_, pointers.data(), variables.data());
  }

 private:
  /// Ours, in which these take the place of those of their names. The texts stay where they are.
  static std::vector<char*> environment_with(const std::vector<std::string>& further) {
    std::vector<char*> all;
    const auto is_replaced = [&](std::string_view variable) {
      return std::any_of(further.begin(), further.end(), [&](std::string_view each) {
        return variable.starts_with(each.substr(0, each.find('=') + 1));
      });
    };
    for (char** each = environ; *each != nullptr; ++each)
      if (!is_replaced(*each)) all.push_back(*each);
    for (const std::string& each : further) all.push_back(const_cast<char*>(each.c_str()));
    all.push_back(nullptr);
    return all;
  }

  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// Where a parent left SIGCHLD ignored, the system would discard the exit statuses.
void have_ends_told() {
  struct sigaction now {};
  if (sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) std::signal(SIGCHLD, SIG_DFL);
}

/// A program in a process group of its own, killed with this object.
class Child {
 public:
  ~Child() { end(); }

  /// False, with errno, if the program can't be started.
  bool start(const Invocation& invocation) {
    Descriptor in;
    if (!out.open() || !errors.open()) return false;
    if (!invocation.input.empty() && !open_filled(invocation.input, in)) return false;
    SpawnPlan plan;
    if (invocation.input.empty())
      plan.give_nothing(STDIN_FILENO);
    else
      plan.give(in, STDIN_FILENO);
    plan.give(out.write, STDOUT_FILENO);
    plan.give(errors.write, STDERR_FILENO);
    have_ends_told();
    const auto held = hold_interrupts();
    const bool started = strays().start([&] {
      errno = plan.spawn(invocation, pid_);
      return errno == 0;
    });
    if (!started) {
      pid_ = 0;
      return false;
    }
    killer_.emplace(pid_);
    ended.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    out.write.close();
    errors.write.close();
    return ended.number() >= 0;
  }

  /// Kills the rest of the group and returns the program's exit status. A status that the system doesn't report counts
  /// as killed.
  int end() {
    if (pid_ == 0) return 0;
    kill(-pid_, SIGKILL);
    int status = 0;
    pid_t waited = 0;
    do waited = waitpid(pid_, &status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited < 0) status = SIGKILL;
    kill(-pid_, SIGKILL);
    killer_.reset();
    pid_ = 0;
    strays().ended();
    return status;
  }

  Pipe out;
  Pipe errors;
  Descriptor ended;  // readable when the program has ended

 private:
  pid_t pid_ = 0;
  std::optional<KilledOnInterrupt> killer_;
};

/// Appends what there is to read, and stops once the text has more than `most` bytes. False when the other side has
/// closed.
bool read_available(const Descriptor& from, std::string& text, std::size_t most) {
  std::array<char, 1 << 16> chunk;
  while (text.size() <= most) {
    const ssize_t n = read(from.number(), chunk.data(), chunk.size());
    if (n > 0)
      text.append(chunk.data(), static_cast<std::size_t>(n));
    else if (n < 0 && errno == EINTR)
      continue;
    else
      return n != 0;
  }
  return true;
}

class Listener {
 public:
  Listener(Child& child, const ProcessLimits& limits)
      : child_(child), limits_(limits), deadline_(Clock::now() + std::chrono::seconds(limits.seconds)) {}

  /// Reads until the program ends or exceeds a limit.
  ProcessEnd::Exceeded listen() {
    bool has_ended = false;
    while (!has_ended) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      stop_point();
      if (left <= 0) return ProcessEnd::Exceeded::seconds;
      has_ended = wait(static_cast<int>(std::max<std::int64_t>(1, time_left(std::chrono::milliseconds(left)).count())));
      read_available(child_.out.read, out, limits_.bytes);
      read_errors();
      if (out.size() > limits_.bytes) return ProcessEnd::Exceeded::bytes;
    }
    return ProcessEnd::Exceeded::nothing;
  }

  std::string out;
  std::string errors;

 private:
  /// Waits for something to read, or for the program's end; true if it ended.
  bool wait(int milliseconds) {
    std::array<pollfd, 3> events{{{child_.ended.number(), POLLIN, 0},
                                  {child_.out.read.number(), POLLIN, 0},
                                  {child_.errors.read.number(), POLLIN, 0}}};
    if (out_closed_) events[1].fd = -1;
    if (errors_closed_) events[2].fd = -1;
    poll(events.data(), events.size(), milliseconds);
    // A pipe that only reports its closing would wake us for ever.
    out_closed_ = out_closed_ || (events[1].revents & (POLLHUP | POLLIN)) == POLLHUP;
    errors_closed_ = errors_closed_ || (events[2].revents & (POLLHUP | POLLIN)) == POLLHUP;
    return (events[0].revents & POLLIN) != 0;
  }

  void read_errors() {
    read_available(child_.errors.read, errors, std::size_t{1} << 20);
    if (errors.size() > 2 * kept_errors) errors.erase(0, errors.size() - kept_errors);
  }

  Child& child_;
  const ProcessLimits& limits_;
  Clock::time_point deadline_;
  bool out_closed_ = false;
  bool errors_closed_ = false;
};

}  // namespace

tl::expected<ProcessEnd, int> run_process(const Invocation& invocation, const ProcessLimits& limits) {
  Child child;
  if (!child.start(invocation)) return tl::unexpected(errno);
  Listener listener(child, limits);
  const ProcessEnd::Exceeded exceeded = listener.listen();
  const int status = child.end();
  return ProcessEnd{exceeded, WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                    std::move(listener.out), std::move(listener.errors)};
}

std::optional<std::string> find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::string file = (std::filesystem::path(folder) / name).string();
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

}  // namespace onceover::base
