// Cost: how long a schedule takes on a network, in the alpha-beta-gamma model.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "network/flows.h"

namespace onceover::network {

/// The time that a rank adds to that of the links.
struct RankSpeeds {
  double overhead = 0;   // ns to send a message on one of its ports
  double reduction = 0;  // ns for each byte that it reduces
};

/// The time of a schedule as a function of the vector's size, if all ranks wait for each other after every step.
///
/// A message arrives when the slowest link on its route has passed on everything that crosses it in the step, and the
/// ports of both its ranks everything that they send or receive in it, plus the latency of the route. A step ends when
/// its last message has arrived and its busiest rank has sent, on all ports side by side, and reduced. All blocks have
/// the same size, vector / blocks, which need not be a whole number of bytes. (Swing paper, sections 2.2 and 5)
///
/// A block that lands twice is sent once and, if it is added to both, reduced twice. What a rank moves between its own
/// blocks takes no time, unless it is added: then it takes that of any addition.
class Cost {
 public:
  /// The time of all steps in ns for a vector of `bytes` bytes. O(kinds of steps).
  double time(double bytes) const;

  /// The time in ns of a step of kind k, as step_kinds(schedule) numbers them.
  double time_of_kind(std::size_t k, double bytes) const { return step_time(steps_[k], bytes); }

 private:
  friend tl::expected<Cost, Unroutable> cost(const Schedule&, const Network&, const FlowOptions&, const RankSpeeds&);

  /// Messages of one latency.
  struct Front {
    double latency;  // ns
    double load;     // on the slowest link of any of them: blocks over Gb/s
  };

  struct Step {
    std::vector<Front> fronts;
    double overhead = 0;   // ns
    double reduction = 0;  // ns for each byte of a block
  };

  static Step step_of(const StepFlows& flows, const Network& network, const RankSpeeds& speeds);
  static void drop_overtaken(std::vector<Front>& fronts);
  double step_time(const Step& step, double bytes) const;

  double blocks_ = 1;
  std::vector<StepKind> kinds_;
  std::vector<Step> steps_;
};

/// Follows all messages. Time and memory are those of `follow`.
tl::expected<Cost, Unroutable> cost(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                    const RankSpeeds& speeds);

/// For each message of a kind of steps, how long its slowest link, or the ports of its ranks, take to pass all that
/// they carry in the step. The message arrives that long after the step's overhead, plus the latency of its route.
class MessageLoads {
 public:
  MessageLoads(const StepFlows& flows, const Network& network);

  /// Blocks over Gb/s. The message is one of those of the step. O(links of its route).
  double load(const Transfer& message, const RouteView& route);

  double most_reduced() const { return *std::max_element(reduced_.begin(), reduced_.end()); }
  double most_sends() const { return *std::max_element(sends_.begin(), sends_.end()); }

 private:
  double busy_time(Link link);
  std::size_t at(Rank rank) const { return static_cast<std::size_t>(flows_.ranks.orbit_of(rank)); }

  const StepFlows& flows_;
  const Network& network_;
  double ports_;              // Gb/s of all ports of a rank
  std::vector<double> busy_;  // by orbit of links: blocks over Gb/s, -1 before its first use
  std::vector<double> sent_;  // blocks, by orbit of ranks, as the others
  std::vector<double> received_;
  std::vector<double> reduced_;
  std::vector<double> sends_;  // messages
};

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
