// What can be counted of schedules and of what is sent: additions of ranks, time of cables, fewest messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "papers/evidence.h"

namespace onceover::papers {

/// The names that a formula about additions may have: p, blocks; `most` and `least`, by the rank that adds most and
/// least; `total`, by all; `steps`.
std::span<const std::string_view> addition_names();

/// A formula about the additions of blocks that ranks do holds for each schedule.
Evidence additions(const Check& check, const Formula& sentence);

/// Every rank adds as many blocks in each lane as every other, and in each lane as many as in every other.
Evidence same_additions_everywhere(const Check& check);

/// Where a cable carries one message at a time, in either direction, a schedule takes at least `vectors` (p-1)/p n beta
/// over the dimensions of its torus. The sides are at least 3.
Evidence least_time_one_way(const Check& check, int vectors);

/// What one element is for: to reach one rank from all, all from one, or all from all.
enum class Errand : std::uint8_t { reduce, broadcast, allreduce };

/// The fewest messages with which ranks can learn what they must of one element, over all sequences of messages, are
/// `rounds` (p-1). A rank that receives learns all that its sender knows, so no schedule does with fewer.
Evidence fewest_messages(Errand errand, int rounds);

}  // namespace onceover::papers
