// Parts of the comparison of schedules: step by step on several threads, and what is said of a transfer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "proofs/routes/routed_schedule.h"

namespace onceover::proofs {

/// "step 0: rank 1 sends block 2 to rank 3, to be added".
std::string text(const BlockMove& move);

/// What `of_step` says of the first of the steps of which it says something. Threads take steps.
std::optional<std::string> first_difference(int steps, int threads, const std::function<std::string(int)>& of_step);

/// How the steps of `actual` from `first` on differ from `takings`, in a sentence. Each place takes as it should, or
/// not at all. O(ranks * blocks) time a step; 2 bytes for each rank and block, and thread.
std::optional<std::string> takings_difference(const Schedule& actual, int first, const Takings& takings, int threads);

}  // namespace onceover::proofs
