// A schedule with some of its moves changed.
#pragma once

#include <vector>

#include "schedules/schedule.h"
#include "verifier/repair/block_edits.h"

namespace onceover::verifier {

struct BlockEdit {
  Block block;
  MoveEdit edit;
};

/// The schedule after the edits, whose dropped moves it has. An added move joins the message of its step between the
/// same ranks with the same operation, if there is one. Without scratch only. O(transfers and their runs).
SchedulePtr with_edits(const Schedule& schedule, std::vector<BlockEdit> edits);

/// The schedule with two of its steps in each other's place, with their phases. O(transfers and their runs).
SchedulePtr with_swapped(const Schedule& schedule, int first, int second);

}  // namespace onceover::verifier
