// Whole vectors in ceil(log2 p) steps, though p is no power of two.
#pragma once

#include <optional>
#include <string>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Why p ranks cannot all be served in L = ceil(log2 p) steps, in each of which a rank sends one message and receives
/// one: for some t >= 1, p > 2^L - 2^(L-t), and 2^t does not divide p. Nothing if they can. (docs/optimal.md)
std::optional<std::string> refuse_spreading(Rank p);

/// The allreduce of one block in ceil(log2 p) steps. Only where `refuse_spreading` says nothing.
/// O(p log p) time; a pattern for each run of ranks that send as far, p/2 of them at most in a step.
PatternedSchedule::Builder spreading_allreduce(Rank p);

}  // namespace onceover::schedules
