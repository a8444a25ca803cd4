// In which order sums come about: what orders within a step can do, and how many different sums there are.
#pragma once

#include <optional>
#include <string>

#include "papers/evidence.h"
#include "schedules/schedule.h"

namespace onceover::papers {

/// What the orders within steps can do for an operator that doesn't commute. All messages that reach a rank in a step
/// may be added in any order; which ranks a sum holds after the step is the same for all of them.
struct BestOrder {
  SchedulePtr schedule = nullptr;  // with messages in an order in which every sum joins neighbouring runs of ranks
  std::string gap = "";            // or why there is none
};

/// Ranks are at most 64.
BestOrder best_order(const Schedule& schedule);

/// Of p = 2..40 some order within the steps makes Swing order-preserving for 2, 3 and 4 alone.
ClaimFinding order_for_2_to_4_alone();

/// Latency-optimal Swing ends with p/4 different sums of a block for p = 8, 16, .., 256.
ClaimFinding p_over_4_sums();

/// A layout in which all messages of Swing are contiguous exists for p = 2^a, 3 * 2^a and one more than these.
ClaimFinding layouts();
ClaimFinding no_layout_on_6x6();

}  // namespace onceover::papers
