// A schedule as code with blocking calls: does it end, and in how many rounds?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// How a rank orders its sends and receives of a step.
enum class CallOrder : std::uint8_t {
  even_odd,        // even ranks send, then receive; odd ranks receive, then send
  all_send_first,  // every rank sends, then receives
  sendrecv,        // the k-th send of every rank and its k-th receive are one call, as of MPI_Sendrecv
};

std::span<const CallOrder> call_orders();
std::string_view name(CallOrder order);

/// A call by which one message moves, or half of one by which two do.
struct BlockingCall {
  Rank peer;
  std::int32_t step;
  bool is_send;
  std::int32_t number;  // of the call among the rank's calls of the step, from 0
};

/// What a rank calls in a step, in order. With `sendrecv` the first list has its sends, the second its receives, and
/// those of one number are one call; if there are more of one kind, the last calls have one half. Else the second list
/// is empty.
struct CallsOfStep {
  std::vector<BlockingCall> first = {};
  std::vector<BlockingCall> second = {};
};

/// Replaces `calls` by those of a step, by rank, and reuses its memory. O(messages of the step + ranks)
void read_calls(const Schedule& schedule, int step, CallOrder order, std::vector<CallsOfStep>& calls);

/// A call that never returns, because this half of it, if it has two, waits for ever.
struct StuckCall {
  Rank rank;
  BlockingCall call;
};

/// How the code ends.
struct BlockingRun {
  std::uint64_t rounds = 0;            // until the end, or until nothing moves
  std::vector<StuckCall> circle = {};  // of a deadlock: each waits for the rank of the next, the last for the first.
                                       // All are of one step, since none can wait for a rank that is further
  bool ends() const { return circle.empty(); }
};

/// Runs the schedule as each rank would: step after step, the step's sends and its receives each in the schedule's
/// order, arranged by `order`. Received sums wait in memory of their own until all calls of the step are done, so sends
/// read what the step began with. Calls block under rendezvous: a send returns when its message has been received. (An
/// MPI may buffer a small message, so that wrong code runs until messages grow.)
///
/// In a round, every message moves whose two ranks are both in the calls that move it. A rank is in one call until all
/// that it moves has moved. Every call names its peer, so which messages move in which round doesn't depend on timing.
///
/// `schedule` is well-formed. O(messages) time and memory, whatever the rounds.
BlockingRun run_blocking(const Schedule& schedule, CallOrder order);

/// Why a schedule can't be run, if it can't: it is too large, or a rank would send to itself or to nobody.
std::optional<std::string> why_not_run(const Schedule& schedule);

}  // namespace onceover::verifier
