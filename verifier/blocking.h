// A schedule as code with blocking calls: does it end, and in how many rounds?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// How a rank orders its sends and receives of a step.
enum class CallOrder : std::uint8_t {
  even_odd,        // even ranks send, then receive; odd ranks receive, then send
  all_send_first,  // every rank sends, then receives
  sendrecv,        // every rank sends and receives at the same time, as MPI_Sendrecv does
};

std::span<const CallOrder> call_orders();
std::string_view name(CallOrder order);

/// A call that never returns.
struct StuckCall {
  Rank rank;
  Rank peer;
  bool is_send;
  int step;
};

/// How the code ends.
struct BlockingRun {
  std::uint64_t rounds = 0;               // until the end, or until nothing moves
  std::vector<StuckCall> circle = {};     // of a deadlock: each waits for the rank of the next, the last for the first
  std::optional<StuckCall> starved = {};  // waits for a rank that has ended
  bool ends() const { return circle.empty() && !starved; }
};

/// Runs the schedule as each rank would: step after step, the step's sends and its receives each in the schedule's
/// order, arranged by `order`. Received sums wait in memory of their own until all calls of the step are done, so sends
/// read what the step began with. Calls block under rendezvous: a send returns when its message has been received. (An
/// MPI may buffer a small message, so that wrong code runs until messages grow.)
///
/// In a round, every message moves whose two ranks are both in the calls that move it. A rank is in one call, or with
/// `sendrecv` in one send and one receive. Every call names its peer, so which messages move in which round doesn't
/// depend on timing.
///
/// `schedule` is well-formed. O(messages) time and memory, whatever the rounds.
BlockingRun run_blocking(const Schedule& schedule, CallOrder order);

}  // namespace onceover::verifier
