// On which side of a sum an arriving value must stand, for operators that don't commute.
#pragma once

#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// For each transfer, in the order of steps: the blocks whose arriving value is the right operand of its sum, as sorted
/// runs. Such a value adds up the ranks right after those of the value that is held. All other blocks arrive on the
/// left, are copied, or go into no result. Only for schedules that are `order-preserving`: with these sides each result
/// is x0 * x1 * .. in the order of the ranks. Time: O(block transfers * log transfers of a step). Memory: that of all
/// transfers, and of one block's replay.
std::vector<std::vector<Run>> operands_from_right(const Schedule& schedule);

}  // namespace onceover::verifier
