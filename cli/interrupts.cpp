#include "cli/interrupts.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

#include "cli/exit_code.h"

namespace onceover::cli {

namespace {

// A signal handler may read nothing but such.
std::atomic<const char*> temporary_path = nullptr;
std::array<std::atomic<pid_t>, 256> groups{};

extern "C" void on_interrupt(int) {
  if (const char* path = temporary_path.load()) unlink(path);
  for (const auto& group : groups)
    if (const pid_t g = group.load()) kill(-g, SIGKILL);
  _exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

void handle_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, on_interrupt);
}

void remove_on_interrupt(const char* path) {
  temporary_path = path;
}

KilledOnInterrupt::KilledOnInterrupt(pid_t group) : slot_(0) {
  for (pid_t free = 0; !groups[slot_].compare_exchange_strong(free, group); free = 0)
    slot_ = (slot_ + 1) % groups.size();
}

KilledOnInterrupt::~KilledOnInterrupt() {
  groups[slot_] = 0;
}

}  // namespace onceover::cli
