// The basic types: ranks, blocks, runs of blocks, operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::schedules {

/// A process of the collective, 0 .. ranks-1.
using Rank = std::int32_t;

/// A part of the vector, 0 .. blocks-1.
using Block = std::int32_t;

/// Larger schedules are refused when they are read, so that no index can overflow. Where indices have 32 bits, as in
/// WebAssembly, a table of all ranks and blocks with eight bytes a cell must have a size below 2^32.
inline constexpr bool has_long_indices = sizeof(std::size_t) >= 8;
inline constexpr Rank max_ranks = has_long_indices ? 1 << 24 : 1 << 12;
inline constexpr Block max_blocks = has_long_indices ? 1 << 28 : 1 << 16;
inline constexpr int max_lanes = 1 << 10;

/// The blocks first, first+1, .., last; never empty.
struct Run {
  Block first;
  Block last;

  Block size() const { return last - first + 1; }
  friend bool operator==(const Run&, const Run&) = default;
};

/// The blocks first .. end-1; may be empty.
struct BlockRange {
  Block first;
  Block end;

  Block size() const { return end - first; }
};

/// What a transfer does to the block that the receiver holds.
enum class Op : std::uint8_t {
  reduce,  // combine the arriving value into the held one
  copy,    // replace the held value by the arriving one
};

std::string_view name(Op op);

}  // namespace onceover::schedules
