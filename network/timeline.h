// When messages are under way, in the model by which schedules are timed.
#pragma once

#include <functional>

#include "network/flows.h"

namespace onceover::network {

struct RankSpeeds;

/// A message under way. Rank, lane and order tell it from the others of its step.
struct TimedMessage {
  int step;
  Rank src;
  int lane;
  std::uint32_t order;  // among the messages that the rank sends in this step and lane, from 0
  double sent;          // ns from the beginning, after the overhead
  double arrived;       // when its last byte is there
};

using MessageVisitor = std::function<void(const TimedMessage&)>;

/// The time of the schedule in ns, as Cost::time adds it up if all ranks wait for each other after every step. Visits
/// all messages, step by step, and calls ended(time) at the end of each step. It takes the time and memory of `follow`
/// twice, and O(messages) of its steps that aren't alike, of which there may be ten million.
///
/// `simulate` (simulation.h) does this for ranks that don't wait.
tl::expected<double, Unroutable> follow_in_time(const Schedule& schedule, const Network& network,
                                                const FlowOptions& options, const RankSpeeds& speeds, double bytes,
                                                const MessageVisitor& visit, const std::function<void(double)>& ended);

}  // namespace onceover::network
