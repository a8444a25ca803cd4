// LiveCall: one call of a running library's collective: what lies where in its buffers, and what it must leave on each
// rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/types.h"
#include "verifier/promise.h"

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
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
};

/// A collective of MPI.
struct LiveCollective {
  CallKind kind;
  std::string_view name;  // on the command line; the nonblocking form has an i before it
  verifier::Promised promised;
  bool has_in_place = false;
  bool has_counts = false;         // for each rank, in every layout but the scattered
  bool has_displacements = false;  // in that, too

  /// Does it add elements up? Otherwise it moves them.
  bool reduces() const;
  bool has_root() const;
  /// The same collective of schedules, if there is one.
  std::optional<Collective> collective() const;
};

std::span<const LiveCollective> live_collectives();

/// The layouts that a collective is called with. The even one comes last, since schedules are read from the last call.
std::vector<Layout> layouts_of(const LiveCollective& collective);

/// One call. Counts are in elements.
///
/// The meaning of `count` depends on the collective. In an allreduce, reduce, scan, exscan, broadcast and
/// reduce-scatter it is the length of the vector; a reduce-scatter gives rank r count/p of it, and one more to the
/// first count mod p ranks. It is what each rank gets in a reduce-scatter-block or scatter, what each rank gives in an
/// allgather or gather, and what each rank gives each in an alltoall. Where a collective takes counts, this is so in
/// the layout `even`; in others it is about as much, and a reduce-scatter's vector is as long as the counts say.
struct LiveCall {
  const LiveCollective* collective;
  bool nonblocking = false;
  bool in_place = false;
  bool commutative = true;  // as the operator is declared
  Rank ranks = 1;
  Rank root = 0;
  int count = 1;
  Layout layout = Layout::even;

  std::string name() const;
};

/// What a rank's send buffer has for each rank, and what its result has from each, where data only moves. O(ranks).
PlacedParts sent(const LiveCall& call, Rank rank);
PlacedParts received(const LiveCall& call, Rank rank);

/// How many elements a rank's result of a reduce-scatter has.
int share(const LiveCall& call, Rank rank);

/// How many elements a rank gives: the length of its send buffer. Element k holds the rank's contribution at position
/// k, also in gaps. O(ranks).
std::size_t given(const LiveCall& call, Rank rank);

/// What an element of a result must hold: the contributions of ranks first .. end-1 at a position of their vectors,
/// each once.
struct Due {
  Rank first;
  Rank end;
  std::uint32_t position;
};

/// A result has gaps where its parts leave some. Element k of a gap holds the rank's own contribution at the position
/// `first_gap` + k before the call, which no send buffer has, and must hold it after the call.
constexpr std::uint32_t first_gap = std::uint32_t{1} << 27;
inline bool is_gap(const Due& due) {
  return due.position >= first_gap;
}

/// All positions of the call's contributions are smaller. At least 1.
std::size_t positions_of(const LiveCall& call);

/// How many elements a rank's result has, with its gaps; 0 if it has none. O(ranks), whatever the count.
std::size_t wanted(const LiveCall& call, Rank rank);

/// What each element of a rank's result must hold, in order; there are `wanted` of them.
std::vector<Due> due(const LiveCall& call, Rank rank);

/// What a rank's result buffer holds before the call: by element, at which position its own contribution is; nothing
/// where there is none. In place, that is the rank's input. The buffer has at least `wanted` elements.
std::vector<std::optional<std::uint32_t>> held_before(const LiveCall& call, Rank rank);

}  // namespace onceover::live
