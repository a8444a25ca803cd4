// PatternSymmetry: a symmetry that follows from the form of a schedule's patterns.
#pragma once

#include <optional>

#include "schedules/patterned_schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// A symmetry under which the traces of all blocks of an orbit are the same except for the names of ranks: within a
/// step, a rank receives the same values in the same order as the rank that stands for it. What blocks begin with and
/// must end with is renamed likewise. So executing one block of an orbit judges all.
///
/// Ranks may be folded onto others at the ends of the schedule (see folded_ranks.h); only the steps in between are then
/// renamed. If one block of an orbit ends right everywhere, so do all; wrong results may be more or fewer. All have the
/// same depth if in one the sums made in between are equally deep on all paths.
///
/// Nothing if the patterns have none that saves half the blocks, or are not of a form that shows it; the messages may
/// have one all the same. Cost: O(patterns * axes, blocks if they have owners or ranks are
/// folded), however many messages these stand for.
std::optional<Symmetry> symmetry_of_patterns(const PatternedSchedule& schedule);

}  // namespace onceover::verifier
