// How long a schedule takes on a network, in the alpha-beta-gamma model.
#pragma once

#include <vector>

#include "network/flows.h"

namespace onceover::network {

/// What a rank adds to what the links take.
struct RankSpeeds {
  double overhead = 0;   // ns for a rank to send a message on one of its ports
  double reduction = 0;  // ns for each byte that a rank reduces
};

/// The time of a schedule as a function of the vector's size, when all ranks wait for each other after every step.
///
/// A message arrives when the slowest link on its way has passed on all that crosses it in the step, and both its
/// ranks' ports all that they send or receive in it, plus the way's latency; a step ends when its last message has
/// arrived and its busiest rank has sent, on all ports side by side, and reduced. All blocks have the same size, vector
/// / blocks, which need not be a whole number of bytes. (Swing paper, sections 2.2 and 5)
class Cost {
 public:
  /// Time of all steps in ns for a vector of that many bytes. O(kinds of steps).
  double time(double bytes) const;

  /// Time of the steps' kinds, in the order of `kinds`, once each.
  std::vector<double> step_times(double bytes) const;

  const std::vector<StepKind>& kinds() const { return kinds_; }

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
    double reduction = 0;  // ns a byte of a block
  };

  static Step step_of(const StepFlows& flows, const Network& network, const RankSpeeds& speeds);
  static void drop_overtaken(std::vector<Front>& fronts);
  double step_time(const Step& step, double bytes) const;

  double blocks_ = 1;
  std::vector<StepKind> kinds_;
  std::vector<Step> steps_;
};

/// Follows all messages. Time and memory as for `follow`.
tl::expected<Cost, Unroutable> cost(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                    const RankSpeeds& speeds);

}  // namespace onceover::network
