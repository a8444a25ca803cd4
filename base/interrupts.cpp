#include "base/interrupts.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <set>
#include <thread>

#include "base/report_output.h"
#include "base/stop.h"

namespace onceover::base {

namespace {

constexpr int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::size_t small_stack = std::size_t{256} << 10;

std::atomic<bool> interrupted = false;
std::atomic<ExitCode> code_if_interrupted = ExitCode::interrupted;

/// What `end_program` removes and kills. Never destroyed: threads outlive main.
struct Remains {
  std::recursive_mutex mutex;
  std::multiset<std::string> files;
  std::multiset<pid_t> groups;
};

Remains& remains() {
  static Remains& all = *new Remains;
  return all;
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : handled) sigaddset(&set, signal);
  return set;
}

/// SIGXFSZ is caught, not ignored: the programs that we start would inherit that.
extern "C" void pass_over(int) {}

int next_signal() {
  const sigset_t set = handled_signals();
  int signal = 0;
  while (sigwait(&set, &signal) != 0) {
  }
  return signal;
}

/// Drops copies of a signal: timeout(1) sends it to the process, then to its group.
void pass_over_the_same_signal() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const sigset_t set = handled_signals();
  const timespec at_once = {};
  while (sigtimedwait(&set, nullptr, &at_once) > 0) {
  }
}

/// Has rm(1) remove a folder, since a walk through it would allocate memory. A process that was killed a moment ago may
/// still write there, so a second try follows a failure.
void remove_folder(const char* path) {
  for (int tries = 0; tries < 2; ++tries) {
    const char* const arguments[] = {"rm", "-rf", "--", path, nullptr};
    pid_t child = 0;
    int status = 1;
    if (posix_spawnp(&child, "rm", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0) return;
    if (waitpid(child, &status, 0) == child && status == 0) return;
  }
}

/// Asked first, so that a process can end those that it started itself, in groups of their own.
void end_groups(const std::multiset<pid_t>& groups) {
  constexpr timespec moment = {.tv_sec = 0, .tv_nsec = 10'000'000};
  for (const pid_t group : groups) kill(-group, SIGHUP);
  for (const pid_t group : groups) {
    for (int tries = 0; tries < 20 && waitpid(group, nullptr, WNOHANG) == 0; ++tries) nanosleep(&moment, nullptr);
    kill(-group, SIGKILL);
  }
}

extern "C" void* wait_for_interrupt(void*) {
  const int signal = next_signal();
  interrupted = true;
  const bool can_wait = (signal == SIGINT || signal == SIGTERM) && !is_reporting();
  if (can_wait) {
    request_stop("interrupted");
    // This thread waits for a second signal, so another one waits for the end of the grace period.
    std::thread(end_after_reports, code_of_interrupt(), "interrupted", std::chrono::seconds(2) * timeout_scale())
        .detach();
    pass_over_the_same_signal();
    next_signal();
  }
  end_program(code_of_interrupt());
}

}  // namespace

void handle_interrupts() {
  remains();
  end_interrupted_with(ExitCode::interrupted);  // a forked process has what its parent said
  const sigset_t set = handled_signals();
  // A shell may have these signals ignored in a background command.
  for (const int signal : handled) std::signal(signal, SIG_DFL);
  std::signal(SIGXFSZ, pass_over);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, small_stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, wait_for_interrupt, nullptr) != 0)
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  pthread_attr_destroy(&attributes);
}

bool was_interrupted() {
  return interrupted;
}

void end_interrupted_with(ExitCode code) {
  code_if_interrupted = code;
}

ExitCode code_of_interrupt() {
  return code_if_interrupted;
}

void end_after_reports(ExitCode code, const std::string& message, std::chrono::milliseconds grace) {
  for (bool goes_on = true; goes_on;) {
    const unsigned before = reports_made();
    std::this_thread::sleep_for(grace);
    goes_on = is_reporting() || reports_made() != before;
  }
  end_program(code, message);
}

void end_program(ExitCode code, std::string_view message) {
  const auto held = hold_interrupts();
  Progress::hide_at_end();
  end_groups(remains().groups);
  for (const std::string& path : remains().files)
    if (unlink(path.c_str()) != 0 && errno == EISDIR) remove_folder(path.c_str());
  if (!message.empty()) {
    const std::string_view parts[] = {"verify: ", message, "\n"};
    for (const std::string_view part : parts) static_cast<void>(write(STDERR_FILENO, part.data(), part.size()) < 0);
  }
  _exit(static_cast<int>(code));
}

std::unique_lock<std::recursive_mutex> hold_interrupts() {
  return std::unique_lock(remains().mutex);
}

RemovedOnInterrupt::RemovedOnInterrupt(std::string path) : path_(std::move(path)) {
  const auto held = hold_interrupts();
  remains().files.insert(path_);
}

RemovedOnInterrupt::~RemovedOnInterrupt() {
  const auto held = hold_interrupts();
  remains().files.erase(remains().files.find(path_));
}

KilledOnInterrupt::KilledOnInterrupt(pid_t group) : group_(group) {
  const auto held = hold_interrupts();
  remains().groups.insert(group_);
}

KilledOnInterrupt::~KilledOnInterrupt() {
  const auto held = hold_interrupts();
  remains().groups.erase(remains().groups.find(group_));
}

}  // namespace onceover::base
