// On which side of a sum what arrives must stand.
#pragma once

#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// Of each transfer, in the order of steps, the blocks whose arriving value is the right operand of the sum that it is
/// added in, as sorted runs: it adds up ranks that come right after those of what is held. All other blocks arrive on
/// the left, are copied, or go into no result. For schedules that are `order-preserving`: then each result is
/// x0 * x1 * .. in the order of the ranks.
/// O(block transfers * log transfers of a step) time. Memory: that of all transfers, and of one block's replay.
std::vector<std::vector<Run>> operands_from_right(const Schedule& schedule);

}  // namespace onceover::verifier
