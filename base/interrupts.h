// Interrupts: how the program ends early without leaving temporary files and processes behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace onceover::base {

/// From now on SIGINT and SIGTERM ask all work to stop (base/stop.h). The program then prints what it has settled and
/// ends with code 130. It ends at once, through `end_program`, at a second signal, at SIGHUP or SIGQUIT, at a signal
/// that comes while a result is being printed, and after two seconds in which nothing is printed.
///
/// The signals are blocked in this thread and in all that it starts; one thread of their own waits for them. Programs
/// that we start must unblock them. A file that outgrows the system's limit (ulimit -f) makes the write fail and
/// doesn't kill the program. Call this before other threads exist.
void handle_interrupts();

/// Did SIGINT or SIGTERM arrive? From then on no file is written, and existing files stay as they are.
bool was_interrupted();

/// From now on an interrupt ends this process with this code in place of 130, as if the command had ended by itself.
void end_interrupted_with(ExitCode code);
ExitCode code_of_interrupt();

/// Ends the program once nothing has been printed for `grace`. Runs in a thread of its own.
[[noreturn]] void end_after_reports(ExitCode code, const std::string& message, std::chrono::milliseconds grace);

/// Ends the processes that we started, by SIGHUP and, after a moment, by SIGKILL. Removes the temporary files and
/// folders, writes `message`, if any, on standard error, and ends the program. May be called from any thread, and
/// allocates no memory.
[[noreturn]] void end_program(ExitCode code, std::string_view message = "");

/// While the lock is held, `end_program` waits. Hold it during the few calls between which a file or a process would be
/// left behind.
[[nodiscard]] std::unique_lock<std::recursive_mutex> hold_interrupts();

/// While this object lives, `end_program` removes the file, or the folder with everything in it. It need not exist.
class RemovedOnInterrupt {
 public:
  explicit RemovedOnInterrupt(std::string path);
  ~RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;

 private:
  std::string path_;
};

/// While this object lives, `end_program` ends the process group.
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
