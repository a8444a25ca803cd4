#include "live/mpi/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace onceover::live {

namespace {

/// Texts that a signal handler may write, made beforehand.
std::array<char, 400> crash_text, hang_text, exit_text, deadlock_text;
volatile std::sig_atomic_t calls = 0;  // of ranks in this process
std::string own_name;

void put(std::array<char, 400>& text, const std::string& what) {
  std::strncpy(text.data(), what.c_str(), text.size() - 1);
}

[[noreturn]] void end_with(const std::array<char, 400>& text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), std::strlen(text.data()));
  _exit(1);
}

void on_crash(int signal) {
  if (calls != 0) end_with(crash_text);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_alarm(int) {
  end_with(hang_text);
}

void on_exit() {
  if (calls != 0) end_with(exit_text);
}

}  // namespace

void watch_for_crashes(const std::string& who) {
  own_name = who;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, on_crash);
  std::signal(SIGALRM, on_alarm);
  std::atexit(on_exit);
}

void end_deadlocked() {
  end_with(deadlock_text);
}

WatchedCall::WatchedCall(const std::string& what, int seconds) {
  put(crash_text, fmt::format("verify-mpi: {}: the library crashes in {}\n", own_name, what));
  put(hang_text, fmt::format("verify-mpi: {}: {} doesn't return within {} s\n", own_name, what, seconds));
  put(deadlock_text, fmt::format("verify-mpi: {}: {} doesn't return: a deadlock\n", own_name, what));
  put(exit_text, fmt::format("verify-mpi: {}: the library ends the program in {}\n", own_name, what));
  calls = calls + 1;
  alarm(static_cast<unsigned>(seconds));
}

WatchedCall::~WatchedCall() {
  calls = calls - 1;
  if (calls == 0) alarm(0);
}

}  // namespace onceover::live
