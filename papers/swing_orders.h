// Orders of sums: what an order within a step can achieve, and how many different sums there are.
#pragma once

#include <optional>
#include <string>

#include "papers/evidence.h"
#include "schedules/schedule.h"

namespace onceover::papers {

/// What orders within steps can achieve for an operator that doesn't commute. A rank may add the messages that reach it
/// in a step in any order; the ranks that a sum holds after the step are always the same.
struct BestOrder {
  SchedulePtr schedule = nullptr;  // with messages in an order in which every sum joins neighbouring runs of ranks
  std::string gap = "";            // or why there is no such order
};

/// For at most 64 ranks.
BestOrder best_order(const Schedule& schedule);

/// For p = 2..40, some order within the steps makes Swing order-preserving only for 2, 3 and 4.
ClaimFinding order_for_2_to_4_alone();

/// Latency-optimal Swing ends with p/4 different sums of a block for p = 8, 16, .., 256.
ClaimFinding p_over_4_sums();

/// A layout in which all messages of Swing are contiguous exists for p = 2^a, 3 * 2^a and one more than these.
ClaimFinding layouts();
ClaimFinding no_layout_on_6x6();

}  // namespace onceover::papers
