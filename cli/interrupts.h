// What must not be left behind when the program is interrupted.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace onceover::cli {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the temporary that is being written, kill the processes that
/// were started, and end the program with code 130.
void handle_interrupts();

/// The temporary to be removed, or null. The path must live until the next call.
void remove_on_interrupt(const char* path);

/// While this object lives, an interrupt kills the group of processes.
class KilledOnInterrupt {
 public:
  explicit KilledOnInterrupt(pid_t group);
  ~KilledOnInterrupt();
  KilledOnInterrupt(const KilledOnInterrupt&) = delete;
  KilledOnInterrupt& operator=(const KilledOnInterrupt&) = delete;

 private:
  std::size_t slot_;
};

}  // namespace onceover::cli
