// LiveCall: one call of a running library's collective, and what it must leave on each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.h"
#include "schedules/types.h"

namespace onceover::live {

enum class CallKind : std::uint8_t {
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  broadcast,
  allgather,
  allgatherv,
  gather,
  scatter,
  alltoall,
  alltoallv,
};

/// A collective of MPI.
struct LiveCollective {
  CallKind kind;
  std::string_view name;  // on the command line; the nonblocking form has an i before it
  bool reduces = false;   // false: it moves elements
  bool has_root = false;
  bool has_in_place = false;
  std::optional<Collective> collective = {};  // the same collective of schedules, if there is one
};

std::span<const LiveCollective> live_collectives();

/// One call. Counts are in elements.
///
/// The meaning of `count` depends on the collective. In an allreduce, reduce, scan, exscan, broadcast and
/// reduce-scatter it is the length of the vector; a reduce-scatter gives rank r count/p of it, and one more to the
/// first count mod p ranks. It is what each rank gets in a reduce-scatter-block or scatter, what each rank gives in an
/// allgather or gather, and what each rank gives each in an alltoall. In an allgatherv, odd ranks give half of it,
/// rounded down; in an alltoallv, half of it goes between an even and an odd rank.
struct LiveCall {
  const LiveCollective* collective;
  bool nonblocking = false;
  bool in_place = false;
  bool commutative = true;  // as the operator is declared
  Rank ranks = 1;
  Rank root = 0;
  int count = 1;

  std::string name() const;
};

/// How many elements go from `src` to `dst` in an alltoallv, or from `src` to all in an allgatherv.
int count_between(const LiveCall& call, Rank src, Rank dst);

/// How many elements a rank's result of a reduce-scatter has.
int share(const LiveCall& call, Rank rank);

/// How many elements a rank gives: the length of its send buffer. Element k holds the rank's contribution at position
/// k.
std::size_t given(const LiveCall& call, Rank rank);

/// How many positions there are, at least 1: the most elements that a rank gives.
std::size_t positions_of(const LiveCall& call);

/// What an element of a result must hold: the contributions of ranks first .. end-1 at a position of their vectors,
/// each once.
struct Due {
  Rank first;
  Rank end;
  std::uint32_t position;
};

/// How many elements a rank's result has; 0 if it has none. O(ranks), whatever the count.
std::size_t wanted(const LiveCall& call, Rank rank);

/// What each element of a rank's result must hold, in order; there are `wanted` of them.
std::vector<Due> due(const LiveCall& call, Rank rank);

}  // namespace onceover::live
