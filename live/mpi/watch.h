// Reports when the library under test crashes, or doesn't return.
#pragma once

#include <string>

namespace onceover::live {

/// From now on a crash ends the process with a sentence on standard error. Within a call of the library the exit code
/// is 1, because the crash is a finding; elsewhere it is the usual one. An exit within a call is treated the same. Call
/// this after MPI_Init, which may set handlers of its own. `who` is the rank, as sentences name it.
void watch_for_crashes(const std::string& who);

/// Ends the process with a sentence, as where a call hangs: no rank of a simulator can go on.
[[noreturn]] void end_deadlocked();

/// While such an object lives, the library is in a call. If the call takes longer than `seconds`, the process ends with
/// exit code 1 and a sentence. The ranks of a simulator share a process, and each has its own; they make the same call.
class WatchedCall {
 public:
  WatchedCall(const std::string& what, int seconds);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
};

}  // namespace onceover::live
