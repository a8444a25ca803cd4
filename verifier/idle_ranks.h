// Ranks that no message reaches, where there are far more ranks than messages.
#pragma once

#include <optional>

#include "schedules/schedule.h"
#include "verifier/counterexample.h"

namespace onceover::verifier {

/// Are there so many ranks or blocks, and so few messages, that executing the schedule would take memory and time out
/// of all proportion to it? Most ranks then neither send nor receive. O(messages).
bool is_mostly_idle(const Schedule& schedule);

/// A contribution that doesn't arrive, since its rank neither sends nor receives. Nothing if there is none in the first
/// blocks. O(messages + ranks); memory: a bit for each rank.
std::optional<Counterexample> lost_by_idle_rank(const Schedule& schedule);

}  // namespace onceover::verifier
