// Named evidence: searches in C++ for what limits and formulas can't express. Files of claims refer to them by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papers/evidence.h"
#include "schedules/schedule.h"

namespace onceover::papers {

struct NamedEvidence {
  std::string_view name;  // "swing-figure-6"
  Evidence evidence;
};

/// All named evidence.
const std::vector<NamedEvidence>& named_evidence();

// The rows of each paper, beside its searches; Swing's are in five files.
std::vector<NamedEvidence> swing_searches();    // sections 2 to 4, and the appendix
std::vector<NamedEvidence> swing_orders();      // orders of sums
std::vector<NamedEvidence> swing_gains();       // section 5, trends
std::vector<NamedEvidence> swing_evaluation();  // section 5, numbers
std::vector<NamedEvidence> swing_discussion();  // sections 5.2 and 6
std::vector<NamedEvidence> bucket_searches();
std::vector<NamedEvidence> generalized_searches();
std::vector<NamedEvidence> pat_searches();

/// What orders within steps can achieve for an operator that doesn't commute. A rank may add the messages that reach it
/// in a step in any order; the ranks that a sum holds after the step are always the same.
struct BestOrder {
  SchedulePtr schedule = nullptr;  // with messages in an order in which every sum joins neighbouring runs of ranks
  std::string gap = "";            // or why there is no such order
};

/// For at most 64 ranks.
BestOrder best_order(const Schedule& schedule);

}  // namespace onceover::papers
