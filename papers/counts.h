// Evidence by counting: the additions of ranks, the time of cables, the fewest messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "papers/evidence.h"

namespace onceover::papers {

/// The names that a formula about additions can use: p, blocks and steps; `most` and `least`, the additions of the
/// ranks that add most and least; `total`, the additions of all ranks.
std::span<const std::string_view> addition_names();

/// For each schedule, a formula about the blocks that ranks add holds.
Evidence additions(const Check& check, const Formula& sentence);

/// All ranks add the same number of blocks in all lanes.
Evidence same_additions_everywhere(const Check& check);

/// If a cable carries one message at a time, in either direction, a schedule takes at least `vectors` (p-1)/p n beta
/// over the dimensions of its torus. The sides are at least 3.
Evidence least_time_one_way(const Check& check, int vectors);

/// Over all sequences of messages, the fewest with which ranks can learn what a reduce, a
/// broadcast or an allreduce promises of one element are `rounds` (p-1). A receiver learns everything that the sender
/// knows, so no schedule needs fewer.
Evidence fewest_messages(Collective collective, int rounds);

}  // namespace onceover::papers
