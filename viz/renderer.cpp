#include "viz/renderer.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/stop.h"

namespace onceover::viz {

namespace {

/// A file without a name, in memory.
class MemoryFile {
 public:
  MemoryFile() : number_(memfd_create("onceover", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (number_ >= 0) close(number_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int number() const { return number_; }

  /// Fills the file, to be read from its start.
  bool fill(const std::string& content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t n = write(number_, content.data() + done, content.size() - done);
      if (n < 0 && errno != EINTR) return false;
      done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    return lseek(number_, 0, SEEK_SET) == 0;
  }

  std::string content() const {
    std::string text;
    char chunk[1 << 16];
    ssize_t n = 0;
    while ((n = pread(number_, chunk, sizeof chunk, static_cast<off_t>(text.size()))) > 0)
      text.append(chunk, static_cast<std::size_t>(n));
    return text;
  }

 private:
  int number_;
};

/// A child process; killed if it is still there when this object goes.
class Process {
 public:
  explicit Process(pid_t pid) : pid_(pid) {}
  ~Process() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// False if it is still running after that time, or when all work is to stop.
  bool ends_within(int seconds) const {
    const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    if (descriptor < 0) return false;
    pollfd ended{descriptor, POLLIN, 0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    bool has_ended = false;
    while (!has_ended && !stop_requested() && std::chrono::steady_clock::now() < deadline) {
      const auto wait = time_left(std::chrono::seconds(seconds));
      has_ended = poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(1, wait.count()))) > 0;
    }
    close(descriptor);
    return has_ended;
  }

  /// Its exit code, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

/// Starts the program; 0, or the error.
int start(std::vector<std::string> arguments, const MemoryFile& in, const MemoryFile& out, const MemoryFile& errors,
          pid_t& pid) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors.number(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int error = posix_spawnp(&pid, pointers.front(), &files, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// The renderer writes the time into a PDF; the same picture is to have the same bytes.
std::string without_date(std::string pdf) {
  constexpr std::string_view key = "/CreationDate (D:", nothing = "19700101000000";
  const std::size_t at = pdf.find(key);
  if (at != std::string::npos && at + key.size() + nothing.size() <= pdf.size())
    pdf.replace(at + key.size(), nothing.size(), nothing);
  return pdf;
}

tl::unexpected<DrawError> failed(std::string message) {
  return tl::unexpected(DrawError{DrawError::Kind::failed, std::move(message)});
}

tl::unexpected<DrawError> not_started(const Renderer& renderer, int error) {
  if (error != ENOENT && error != EACCES)
    return failed(fmt::format("{} cannot be started: {}", renderer.name, std::strerror(error)));
  return tl::unexpected(
      DrawError{DrawError::Kind::no_program,
                fmt::format("{} isn't installed: its program '{}' is not found. Install it (apt-get install {}), or {}",
                            renderer.name, renderer.program, renderer.package, renderer.otherwise)});
}

}  // namespace

Drawn<std::string> run(const Renderer& renderer, std::vector<std::string> arguments, const std::string& input,
                       int seconds) {
  MemoryFile in, out, errors;
  if (out.number() < 0 || errors.number() < 0 || !in.fill(input))
    return failed(fmt::format("{} cannot be started: {}", renderer.name, std::strerror(errno)));
  arguments.insert(arguments.begin(), std::string(renderer.program));
  pid_t pid = 0;
  if (const int error = start(std::move(arguments), in, out, errors, pid); error != 0)
    return not_started(renderer, error);
  Process process(pid);
  const bool has_ended = process.ends_within(seconds);
  stop_point();
  if (!has_ended)
    return tl::unexpected(DrawError{
        DrawError::Kind::slow, fmt::format("{} took longer than {} s; {}", renderer.name, seconds, renderer.too_slow)});
  if (const int code = process.wait(); code != 0)
    return failed(fmt::format("{} ended with exit code {}: {}", renderer.name, code, errors.content().substr(0, 2000)));
  std::string picture = out.content();
  if (picture.empty())
    return failed(fmt::format("{} made no picture: {}", renderer.name, errors.content().substr(0, 2000)));
  return without_date(std::move(picture));
}

}  // namespace onceover::viz
