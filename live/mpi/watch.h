// Tells when the library under test crashes, or doesn't return.
#pragma once

#include <string>

#include "schedules/types.h"

namespace onceover::live {

/// From now on a crash ends the process with a sentence on standard error: with exit code 1 within a call of the
/// library, which is a finding, and else as it would; so does an exit within a call. To be called after MPI_Init, which
/// may set handlers of its own.
void watch_for_crashes(Rank rank);

/// While this object lives, the library is in a call; one that takes longer than `seconds` ends the process with exit
/// code 1 and a sentence.
class WatchedCall {
 public:
  WatchedCall(const std::string& what, int seconds);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
};

}  // namespace onceover::live
