// Layout: how many elements go from rank to rank in a call that takes counts, and where they lie in the buffers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "schedules/types.h"

namespace onceover::live {

enum class Layout : std::uint8_t {
  even,       // all counts are the same; one part follows the other
  uneven,     // counts differ from rank to rank and from pair to pair, and some are 0
  scattered,  // the same counts; parts in other orders than the ranks', with gaps, and what is sent twice overlaps
  one,        // one rank has everything, and one nothing
};

/// Their names, in the order of the type.
std::span<const std::string_view> layout_names();

/// Elements of a buffer that are for one rank, or come from one.
struct Part {
  std::int64_t begin = 0;
  int count = 0;
};

/// The parts of a rank's buffer, by the other rank, and how long the buffer is.
struct PlacedParts {
  std::vector<Part> parts;
  std::int64_t length = 0;
};

/// How many elements a rank has where each rank has a number of its own, about `count`. O(1).
int share_of(Layout layout, int count, Rank ranks, Rank rank);

/// How many elements one rank has for another where each pair has a number of its own, about `count`. O(1).
int count_of(Layout layout, int count, Rank ranks, Rank src, Rank dst);

/// Which side of a call a buffer is on.
enum class BufferSide : std::uint8_t {
  received,
  sent,
  sent_and_shared,  // parts that are sent may overlap
};

/// Where parts of these lengths lie in the buffer of a rank. O(ranks).
PlacedParts placed(Layout layout, std::span<const int> counts, BufferSide side, Rank rank);

}  // namespace onceover::live
