#include "live/live_call.h"

#include <algorithm>
#include <array>

namespace onceover::live {

namespace {

constexpr std::array rows{
    LiveCollective{.kind = CallKind::allreduce,
                   .name = "allreduce",
                   .reduces = true,
                   .has_in_place = true,
                   .collective = Collective::allreduce},
    LiveCollective{.kind = CallKind::reduce,
                   .name = "reduce",
                   .reduces = true,
                   .has_root = true,
                   .has_in_place = true,
                   .collective = Collective::reduce},
    LiveCollective{.kind = CallKind::reduce_scatter,
                   .name = "reduce-scatter",
                   .reduces = true,
                   .has_in_place = true,
                   .has_counts = true,
                   .collective = Collective::reduce_scatter},
    LiveCollective{.kind = CallKind::reduce_scatter_block,
                   .name = "reduce-scatter-block",
                   .reduces = true,
                   .has_in_place = true,
                   .collective = Collective::reduce_scatter},
    LiveCollective{.kind = CallKind::scan, .name = "scan", .reduces = true, .has_in_place = true},
    LiveCollective{.kind = CallKind::exscan, .name = "exscan", .reduces = true, .has_in_place = true},
    LiveCollective{.kind = CallKind::broadcast, .name = "bcast", .has_root = true, .collective = Collective::broadcast},
    LiveCollective{
        .kind = CallKind::allgather, .name = "allgather", .has_in_place = true, .collective = Collective::allgather},
    LiveCollective{.kind = CallKind::allgatherv,
                   .name = "allgatherv",
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true,
                   .collective = Collective::allgather},
    LiveCollective{.kind = CallKind::gather,
                   .name = "gather",
                   .has_root = true,
                   .has_in_place = true,
                   .collective = Collective::gather},
    LiveCollective{.kind = CallKind::gatherv,
                   .name = "gatherv",
                   .has_root = true,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true,
                   .collective = Collective::gather},
    LiveCollective{.kind = CallKind::scatter,
                   .name = "scatter",
                   .has_root = true,
                   .has_in_place = true,
                   .collective = Collective::scatter},
    LiveCollective{.kind = CallKind::scatterv,
                   .name = "scatterv",
                   .has_root = true,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true,
                   .collective = Collective::scatter},
    LiveCollective{
        .kind = CallKind::alltoall, .name = "alltoall", .has_in_place = true, .collective = Collective::alltoall},
    LiveCollective{.kind = CallKind::alltoallv,
                   .name = "alltoallv",
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true,
                   .collective = Collective::alltoall},
};

/// Which ranks a collective that only moves data sends to, and what a rank has for them.
enum class Movement : std::uint8_t {
  none,          // it adds up
  spreads,       // the root has the same for all
  deals_out,     // the root has a part for each
  collects,      // the root gets a part of each
  collects_all,  // all get a part of each
  exchanges,     // each has a part for each
};

Movement movement_of(CallKind kind) {
  switch (kind) {
    case CallKind::broadcast: return Movement::spreads;
    case CallKind::scatter:
    case CallKind::scatterv: return Movement::deals_out;
    case CallKind::gather:
    case CallKind::gatherv: return Movement::collects;
    case CallKind::allgather:
    case CallKind::allgatherv: return Movement::collects_all;
    case CallKind::alltoall:
    case CallKind::alltoallv: return Movement::exchanges;
    default: return Movement::none;
  }
}

/// How many elements go from `src` to `dst`. In place, two ranks exchange equally much (MPI 4.0, section 6.8).
int moved(const LiveCall& call, Rank src, Rank dst) {
  if (call.count == 0) return 0;
  switch (movement_of(call.collective->kind)) {
    case Movement::none: return 0;
    case Movement::spreads: return src == call.root ? call.count : 0;
    case Movement::deals_out: return src == call.root ? share_of(call.layout, call.count, call.ranks, dst) : 0;
    case Movement::collects: return dst == call.root ? share_of(call.layout, call.count, call.ranks, src) : 0;
    case Movement::collects_all: return share_of(call.layout, call.count, call.ranks, src);
    case Movement::exchanges:
      return call.in_place ? count_of(call.layout, call.count, call.ranks, std::min(src, dst), std::max(src, dst))
                           : count_of(call.layout, call.count, call.ranks, src, dst);
  }
  return 0;
}

/// Is it the same that a rank has for all?
bool sends_one(Movement movement) {
  return movement == Movement::spreads || movement == Movement::collects || movement == Movement::collects_all;
}

/// What `src` has for `dst`. O(ranks), and mostly O(1).
Part sent_to(const LiveCall& call, Rank src, Rank dst) {
  const int count = moved(call, src, dst);
  if (sends_one(movement_of(call.collective->kind))) return {0, count};
  if (call.layout == Layout::even) return {std::int64_t{dst} * call.count, count};
  return sent(call, src).parts[static_cast<std::size_t>(dst)];
}

/// Elements that are due to a reduction's rank: a part of the vector, and of which ranks.
struct Sum {
  Rank end;
  std::int64_t begin;
  int count;
};

Sum sum_of(const LiveCall& call, Rank rank) {
  switch (call.collective->kind) {
    case CallKind::reduce: return {call.ranks, 0, rank == call.root ? call.count : 0};
    case CallKind::reduce_scatter_block: return {call.ranks, std::int64_t{rank} * call.count, call.count};
    case CallKind::scan: return {rank + 1, 0, call.count};
    case CallKind::exscan: return {rank, 0, rank > 0 ? call.count : 0};
    case CallKind::reduce_scatter: {
      std::int64_t begin = 0;
      for (Rank r = 0; r < rank; ++r) begin += share(call, r);
      return {call.ranks, begin, share(call, rank)};
    }
    default: return {call.ranks, 0, call.count};
  }
}

}  // namespace

std::span<const LiveCollective> live_collectives() {
  return rows;
}

std::vector<Layout> layouts_of(const LiveCollective& collective) {
  std::vector<Layout> layouts;
  if (collective.has_counts) layouts = {Layout::uneven, Layout::one};
  if (collective.has_displacements) layouts.push_back(Layout::scattered);
  layouts.push_back(Layout::even);
  return layouts;
}

std::string LiveCall::name() const {
  return (nonblocking ? "i" : "") + std::string(collective->name);
}

PlacedParts sent(const LiveCall& call, Rank rank) {
  const Movement movement = movement_of(call.collective->kind);
  if (call.in_place && movement == Movement::exchanges) return received(call, rank);
  std::vector<int> counts;
  for (Rank r = 0; r < call.ranks; ++r) counts.push_back(moved(call, rank, r));
  if (!sends_one(movement))
    return placed(call.layout, counts, movement == Movement::exchanges ? BufferSide::sent_and_shared : BufferSide::sent,
                  rank);
  PlacedParts placing;
  for (const int count : counts) {
    placing.parts.push_back({0, count});
    placing.length = std::max<std::int64_t>(placing.length, count);
  }
  return placing;
}

PlacedParts received(const LiveCall& call, Rank rank) {
  std::vector<int> counts;
  for (Rank r = 0; r < call.ranks; ++r) counts.push_back(moved(call, r, rank));
  const Movement movement = movement_of(call.collective->kind);
  const bool is_of_root = movement == Movement::spreads || movement == Movement::deals_out;
  return placed(is_of_root ? Layout::even : call.layout, counts, BufferSide::received, rank);
}

int share(const LiveCall& call, Rank rank) {
  const int each = call.count / call.ranks;
  if (call.layout == Layout::even) return each + (rank < call.count % call.ranks ? 1 : 0);
  if (call.count == 0 || call.layout == Layout::one) return rank == call.ranks - 1 ? call.count : 0;
  return share_of(call.layout, each, call.ranks, rank);
}

std::size_t given(const LiveCall& call, Rank rank) {
  if (movement_of(call.collective->kind) != Movement::none) return static_cast<std::size_t>(sent(call, rank).length);
  switch (call.collective->kind) {
    case CallKind::reduce_scatter_block:
      return static_cast<std::size_t>(call.count) * static_cast<std::size_t>(call.ranks);
    case CallKind::reduce_scatter: {
      const Sum last = sum_of(call, call.ranks - 1);
      return static_cast<std::size_t>(last.begin + last.count);
    }
    default: return static_cast<std::size_t>(call.count);
  }
}

std::size_t positions_of(const LiveCall& call) {
  std::size_t positions = 1, longest = 0;
  for (Rank r = 0; r < call.ranks; ++r) positions = std::max(positions, given(call, r));
  if (call.layout != Layout::scattered) return positions;
  for (Rank r = 0; r < call.ranks; ++r) longest = std::max(longest, wanted(call, r));
  return first_gap + longest;
}

std::size_t wanted(const LiveCall& call, Rank rank) {
  if (movement_of(call.collective->kind) != Movement::none)
    return static_cast<std::size_t>(received(call, rank).length);
  return static_cast<std::size_t>(sum_of(call, rank).count);
}

std::vector<Due> due(const LiveCall& call, Rank rank) {
  std::vector<Due> list;
  if (movement_of(call.collective->kind) == Movement::none) {
    const Sum sum = sum_of(call, rank);
    for (int k = 0; k < sum.count; ++k) list.push_back({0, sum.end, static_cast<std::uint32_t>(sum.begin + k)});
    return list;
  }
  const PlacedParts result = received(call, rank);
  for (std::int64_t k = 0; k < result.length; ++k)
    list.push_back({rank, rank + 1, first_gap + static_cast<std::uint32_t>(k)});
  for (Rank src = 0; src < call.ranks; ++src) {
    const Part to = result.parts[static_cast<std::size_t>(src)];
    const Part from = to.count > 0 ? sent_to(call, src, rank) : Part{};
    for (int k = 0; k < to.count; ++k)
      list[static_cast<std::size_t>(to.begin + k)] = {src, src + 1, static_cast<std::uint32_t>(from.begin + k)};
  }
  return list;
}

std::vector<std::optional<std::uint32_t>> held_before(const LiveCall& call, Rank rank) {
  const CallKind kind = call.collective->kind;
  const bool starts_there = kind == CallKind::broadcast || kind == CallKind::exscan;
  const bool is_whole = call.in_place && (kind == CallKind::reduce_scatter || kind == CallKind::reduce_scatter_block);
  const std::vector<Due> result = due(call, rank);
  const std::size_t input = given(call, rank);
  std::vector<std::optional<std::uint32_t>> held(
      std::max(result.size(), starts_there || is_whole ? input : std::size_t{0}));
  const bool exchanges = movement_of(kind) == Movement::exchanges;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const bool is_own = call.in_place && result[k].first == rank && !call.collective->reduces;
    if (is_gap(result[k]) || is_own) held[k] = result[k].position;
    if (!is_gap(result[k]) && call.in_place && exchanges) held[k] = static_cast<std::uint32_t>(k);
  }
  const bool has_input = kind == CallKind::broadcast ? rank == call.root : call.in_place && call.collective->reduces;
  for (std::size_t k = 0; has_input && held.size() >= input && k < input; ++k) held[k] = static_cast<std::uint32_t>(k);
  return held;
}

}  // namespace onceover::live
