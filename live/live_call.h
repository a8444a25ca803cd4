// What is asked of a running library: one call of a collective, and what it must leave on each rank.
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
  std::string_view name;  // on the command line; its nonblocking form has an i before it
  bool reduces = false;   // else it moves elements
  bool has_root = false;
  bool has_in_place = false;
  std::optional<Collective> collective = {};  // what schedules call it, if they have it
};

std::span<const LiveCollective> live_collectives();

/// One call. Counts are in elements.
///
/// `count` is the length of the vector of allreduce, reduce, scan, exscan, broadcast and reduce-scatter, which gives
/// rank r count/p of it and one more for the first count mod p; what each rank gets of a reduce-scatter-block; what
/// each rank gives of an allgather or gather, or gets of a scatter; and what each rank gives each in an alltoall. Of
/// allgatherv odd ranks give half, rounded down, and of alltoallv what goes between an even and an odd rank is half.
struct LiveCall {
  const LiveCollective* collective;
  bool nonblocking = false;
  bool in_place = false;
  bool commutative = true;  // as the operator was declared
  Rank ranks = 1;
  Rank root = 0;
  int count = 1;

  std::string name() const;
};

/// Elements that go from one rank to another in an alltoallv, or from `src` to all in an allgatherv.
int count_between(const LiveCall& call, Rank src, Rank dst);

/// Elements of the result of a reduce-scatter on a rank.
int share(const LiveCall& call, Rank rank);

/// Elements that a rank gives: the length of its send buffer. Element k holds the rank's contribution at position k.
std::size_t given(const LiveCall& call, Rank rank);

/// What an element of a result must hold: the contributions of the ranks first .. end-1 at a position of their vectors,
/// each once.
struct Due {
  Rank first;
  Rank end;
  std::uint32_t position;
};

/// Elements of a rank's result; 0 where it has none. O(ranks), whatever the count.
std::size_t wanted(const LiveCall& call, Rank rank);

/// What each element of a rank's result must hold, in order: `wanted` of them.
std::vector<Due> due(const LiveCall& call, Rank rank);

}  // namespace onceover::live
