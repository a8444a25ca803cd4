// The basic types: ranks, blocks, runs of blocks, operations; and the collectives, with what each promises.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

enum class Collective : std::uint8_t {
  allreduce,
  reduce_scatter,
  allgather,
  broadcast,
  reduce,
  scatter,
  gather,
  alltoall,
};

/// The ranks that a contract names for a block.
enum class Holders : std::uint8_t {
  everyone,
  owner,   // the rank that owns the block
  root,    // the schedule's root
  origin,  // alltoall: block s*p + d starts at rank s (and is owned by rank d)
};

/// What a collective promises. Each rank of `begins` holds its own contribution to a block before the first step. After
/// the last step each rank of `ends` must hold every one of those contributions exactly once, and nothing else. (MPI
/// 4.0, chapter 6.)
struct Contract {
  Collective collective;
  std::string_view name;
  Holders begins;
  Holders ends;
};

/// All collectives, in the order of the enumeration.
inline constexpr std::array<Contract, 8> contracts{{
    {Collective::allreduce, "allreduce", Holders::everyone, Holders::everyone},
    {Collective::reduce_scatter, "reduce-scatter", Holders::everyone, Holders::owner},
    {Collective::allgather, "allgather", Holders::owner, Holders::everyone},
    {Collective::broadcast, "broadcast", Holders::root, Holders::everyone},
    {Collective::reduce, "reduce", Holders::everyone, Holders::root},
    {Collective::scatter, "scatter", Holders::root, Holders::owner},
    {Collective::gather, "gather", Holders::owner, Holders::root},
    {Collective::alltoall, "alltoall", Holders::origin, Holders::owner},
}};

const Contract& contract(Collective collective);
std::string_view name(Collective collective);
std::optional<Collective> collective_named(std::string_view name);

/// The names of all collectives, "allreduce, reduce-scatter, ..", for messages.
std::string collective_names();

/// Does the collective have a root?
bool is_rooted(Collective collective);

/// Does each block go from one rank to one other, as in scatter, gather and alltoall? Then nothing is summed.
bool is_carried(Collective collective);

}  // namespace onceover::schedules
