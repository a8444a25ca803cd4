// Evidence by counting: the additions of ranks, the time of cables, the fewest messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "papers/evidence.h"

namespace onceover::papers {

/// The names that a formula about additions can use: p, blocks and steps; `most` and `least`, the additions of the
/// ranks that add most and least; `total`, those of all ranks.
std::span<const std::string_view> addition_names();

/// For each schedule, a formula about the blocks that ranks add holds.
Evidence additions(const Check& check, const Formula& sentence);

/// All ranks add the same number of blocks in all lanes.
Evidence same_additions_everywhere(const Check& check);

/// Where a cable carries one message at a time, in either direction, a schedule takes at least `vectors` (p-1)/p n beta
/// over the dimensions of its torus. The sides are at least 3.
Evidence least_time_one_way(const Check& check, int vectors);

/// Errand: who must learn of one element: one rank of all, all of one, or all of all.
enum class Errand : std::uint8_t { reduce, broadcast, allreduce };

/// The fewest messages with which ranks can learn what they must of one element, over all sequences of messages, are
/// `rounds` (p-1). A rank that receives learns all that its sender knows, so no schedule does with fewer.
Evidence fewest_messages(Errand errand, int rounds);

}  // namespace onceover::papers
