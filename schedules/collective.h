// What each collective promises: which ranks hold data before, and which must hold what afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::schedules {

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
