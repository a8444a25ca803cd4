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
std::array<char, 400> crash_text, hang_text, exit_text;
volatile std::sig_atomic_t in_call = 0;
Rank own_rank = 0;

void put(std::array<char, 400>& text, const std::string& what) {
  std::strncpy(text.data(), what.c_str(), text.size() - 1);
}

[[noreturn]] void end_with(const std::array<char, 400>& text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), std::strlen(text.data()));
  _exit(1);
}

void on_crash(int signal) {
  if (in_call != 0) end_with(crash_text);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_alarm(int) {
  end_with(hang_text);
}

void on_exit() {
  if (in_call != 0) end_with(exit_text);
}

}  // namespace

void watch_for_crashes(Rank rank) {
  own_rank = rank;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, on_crash);
  std::signal(SIGALRM, on_alarm);
  std::atexit(on_exit);
}

WatchedCall::WatchedCall(const std::string& what, int seconds) {
  put(crash_text, fmt::format("verify-mpi: rank {}: the library crashes in {}\n", own_rank, what));
  put(hang_text, fmt::format("verify-mpi: rank {}: {} doesn't return within {} s\n", own_rank, what, seconds));
  put(exit_text, fmt::format("verify-mpi: rank {}: the library ends the program in {}\n", own_rank, what));
  in_call = 1;
  alarm(static_cast<unsigned>(seconds));
}

WatchedCall::~WatchedCall() {
  alarm(0);
  in_call = 0;
}

}  // namespace onceover::live
