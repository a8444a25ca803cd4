// What must not be left behind when the program ends early.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "base/exit_code.h"

namespace onceover::base {

/// From now on SIGINT and SIGTERM ask all work to stop (base/stop.h), so that what was settled is told; the
/// program then ends with code 130. A second one, SIGHUP or SIGQUIT, one that comes while a result is being told, or
/// two seconds in which nothing is told, end it at once, by `end_program`. They are blocked in this thread and all that
/// it starts, and waited for in one of their own; programs that are started must have them unblocked. A file that grows
/// beyond the system's limit (ulimit -f) is an error of the write, and no signal that kills. To be called before there
/// are other threads.
void handle_interrupts();

/// Was there a SIGINT or SIGTERM? No file is written any more then: what was there stays.
bool was_interrupted();

/// Ends the program when nothing was told for that long. For a thread of its own.
[[noreturn]] void end_when_told(ExitCode code, const std::string& message, std::chrono::milliseconds grace);

/// Removes the temporaries, kills the processes that were started, says `message` on standard error if there is one,
/// and ends the program. From any thread, and without memory.
[[noreturn]] void end_program(ExitCode code, std::string_view message = "");

/// While the lock is held, nothing ends the program by `end_program`: for the few calls in between which a file or a
/// process would be left behind.
[[nodiscard]] std::unique_lock<std::recursive_mutex> hold_interrupts();

/// A file that `end_program` removes, as long as this object lives; it needn't be there.
class RemovedOnInterrupt {
 public:
  explicit RemovedOnInterrupt(std::string path);
  ~RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;

 private:
  std::string path_;
};

/// While this object lives, `end_program` kills the group of processes.
class KilledOnInterrupt {
 public:
  explicit KilledOnInterrupt(pid_t group);
  ~KilledOnInterrupt();
  KilledOnInterrupt(const KilledOnInterrupt&) = delete;
  KilledOnInterrupt& operator=(const KilledOnInterrupt&) = delete;

 private:
  pid_t group_;
};

}  // namespace onceover::base
