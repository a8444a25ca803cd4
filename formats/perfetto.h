// A schedule as a trace, for Perfetto and Chrome's tracing page: what they show of programs that ran, shown of
// messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::formats {

/// When a transfer is under way, in ns from the beginning of the schedule.
struct TransferTime {
  double begin = 0;
  double end = 0;
};

struct PerfettoOptions {
  /// Of each transfer, in the order of the schedule; empty: each step takes a millisecond, which stands for no time.
  std::vector<TransferTime> times = {};
  std::string unit = "block";    // what transfers count: block, chunk or byte
  std::uint64_t unit_size = 1;   // of these in a block of the schedule
  bool has_blocks = true;        // else blocks stand for amounts
  std::string about_times = {};  // in words, for `otherData`
};

/// Larger schedules aren't written: no viewer could load them.
inline constexpr std::uint64_t most_traced = 1'000'000;

/// Writes the trace as JSON. A rank is a process, with a thread for what it sends, receives or moves between its own
/// blocks, and further ones for what it does at the same time, lane by lane. A message is an event of its sender, of
/// the category "send", and one of its receiver, "receive", which an arrow joins. Without times the steps are a process
/// of their own. Of a message's blocks the first 16 runs are listed; their number is always there. Where they land in
/// others isn't. False if a write failed. O(transfers), in memory, too.
bool write_perfetto(const Schedule& schedule, const PerfettoOptions& options, std::FILE* file);

}  // namespace onceover::formats
