// The rules of a call follow from its promise (verifier/promise.h). What is added here is how long its parts are and
// where they lie.
//
// Counts are drawn from a small pattern modulo m, which has no common factor with 2 and 3 and is larger than p: rank k
// has 3k + 1 elements more than asked for, and rank i has i + 3j more for rank j. So no two ranks have equally many, no
// two pairs of a row or a column have, and (i, j) differs from (j, i). Where the sum is 0 modulo m, there is nothing.
//
// Example: with p = 2, m is 5, and each rank is to have 10 elements for each. Rank 0 has none for itself and 13 for
// rank 1, which has 11 for rank 0 and 14 for itself.

#include "live/live_call.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace onceover::live {

namespace {

constexpr std::array<std::string_view, 4> names{"even", "uneven", "scattered", "one"};

/// The smallest number beyond p that has no common factor with 2 and 3.
int modulus(Rank ranks) {
  int m = ranks + 1;
  while (m % 2 == 0 || m % 3 == 0) ++m;
  return m;
}

int varied(int count, std::int64_t number, Rank ranks) {
  const auto more = static_cast<int>(number % modulus(ranks));
  return more == 0 ? 0 : count + more;
}

/// The order in which parts lie in a scattered buffer, and where the first one begins.
struct Order {
  Rank first;
  Rank step;
  std::int64_t begin;
};

PlacedParts scattered(std::span<const int> counts, BufferSide side, Rank rank) {
  const auto ranks = static_cast<Rank>(counts.size());
  const Order order = side == BufferSide::received ? Order{ranks - 1, ranks - 1, 1 + rank % 2} : Order{1 % ranks, 1, 2};
  PlacedParts placing{std::vector<Part>(counts.size()), 0};
  std::int64_t at = order.begin;
  for (Rank k = 0, other = order.first; k < ranks; ++k, other = (other + order.step) % ranks) {
    const int count = counts[static_cast<std::size_t>(other)];
    placing.parts[static_cast<std::size_t>(other)] = {at, count};
    placing.length = std::max(placing.length, at + count + 1);
    const bool overlaps = side == BufferSide::sent_and_shared && count > 0 && other % 2 == 1;
    at += overlaps ? count - 1 : count + (side == BufferSide::received ? other % 2 : 1);
  }
  return placing;
}

using verifier::Promised;

constexpr std::array rows{
    LiveCollective{
        .kind = CallKind::allreduce, .name = "allreduce", .promised = Promised::allreduce, .has_in_place = true},
    LiveCollective{.kind = CallKind::reduce, .name = "reduce", .promised = Promised::reduce, .has_in_place = true},
    LiveCollective{.kind = CallKind::reduce_scatter,
                   .name = "reduce-scatter",
                   .promised = Promised::reduce_scatter,
                   .has_in_place = true,
                   .has_counts = true},
    LiveCollective{.kind = CallKind::reduce_scatter_block,
                   .name = "reduce-scatter-block",
                   .promised = Promised::reduce_scatter,
                   .has_in_place = true},
    LiveCollective{.kind = CallKind::scan, .name = "scan", .promised = Promised::scan, .has_in_place = true},
    LiveCollective{.kind = CallKind::exscan, .name = "exscan", .promised = Promised::exscan, .has_in_place = true},
    LiveCollective{.kind = CallKind::broadcast, .name = "bcast", .promised = Promised::broadcast},
    LiveCollective{
        .kind = CallKind::allgather, .name = "allgather", .promised = Promised::allgather, .has_in_place = true},
    LiveCollective{.kind = CallKind::allgatherv,
                   .name = "allgatherv",
                   .promised = Promised::allgather,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true},
    LiveCollective{.kind = CallKind::gather, .name = "gather", .promised = Promised::gather, .has_in_place = true},
    LiveCollective{.kind = CallKind::gatherv,
                   .name = "gatherv",
                   .promised = Promised::gather,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true},
    LiveCollective{.kind = CallKind::scatter, .name = "scatter", .promised = Promised::scatter, .has_in_place = true},
    LiveCollective{.kind = CallKind::scatterv,
                   .name = "scatterv",
                   .promised = Promised::scatter,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true},
    LiveCollective{
        .kind = CallKind::alltoall, .name = "alltoall", .promised = Promised::alltoall, .has_in_place = true},
    LiveCollective{.kind = CallKind::alltoallv,
                   .name = "alltoallv",
                   .promised = Promised::alltoall,
                   .has_in_place = true,
                   .has_counts = true,
                   .has_displacements = true},
};

const PromiseRow& row_of(const LiveCall& call) {
  return promise_row(call.collective->promised);
}

/// Does each rank have a part for each other?
bool exchanges(const PromiseRow& row) {
  return row.input_has_parts && row.result_has_parts;
}

/// How many elements go from `src` to `dst`, where data only moves. In place, two ranks exchange equally much (MPI 4.0,
/// section 6.8).
int moved(const LiveCall& call, Rank src, Rank dst) {
  const PromiseRow& row = row_of(call);
  if (call.count == 0 || !row.gives(src, call.root) || !row.gets(dst, call.root)) return 0;
  if (exchanges(row))
    return call.in_place ? count_of(call.layout, call.count, call.ranks, std::min(src, dst), std::max(src, dst))
                         : count_of(call.layout, call.count, call.ranks, src, dst);
  if (!row.input_has_parts && !row.result_has_parts) return call.count;
  return share_of(call.layout, call.count, call.ranks, row.input_has_parts ? dst : src);
}

/// What `src` has for `dst`, where data only moves. O(ranks), and mostly O(1).
BufferPart sent_to(const LiveCall& call, Rank src, Rank dst) {
  const int count = moved(call, src, dst);
  if (!row_of(call).input_has_parts) return {0, count};
  if (call.layout == Layout::even) return {std::int64_t{dst} * call.count, count};
  return {sent(call, src).parts[static_cast<std::size_t>(dst)].begin, count};
}

/// What a reduction adds up for the rank: a part of the vector. O(ranks).
BufferPart summed(const LiveCall& call, Rank rank) {
  if (!row_of(call).input_has_parts) return {0, call.count};
  if (call.collective->kind == CallKind::reduce_scatter_block) return {std::int64_t{rank} * call.count, call.count};
  std::int64_t begin = 0;
  for (Rank r = 0; r < rank; ++r) begin += share(call, r);
  return {begin, share(call, rank)};
}

/// The call's promise. It is valid as long as the call.
Promise promise_of(const LiveCall& call) {
  if (row_of(call).sums)
    return {row_of(call), call.ranks, call.root, {[&](Rank, Rank dst) { return summed(call, dst); }}};
  const auto begins = [&](Rank dst) {
    std::vector<std::int64_t> all;
    for (const Part& part : received(call, dst).parts) all.push_back(part.begin);
    return all;
  };
  return {row_of(call), call.ranks, call.root, {[&](Rank src, Rank dst) { return sent_to(call, src, dst); }, begins}};
}

}  // namespace

std::span<const std::string_view> layout_names() {
  return names;
}

int share_of(Layout layout, int count, Rank ranks, Rank rank) {
  switch (layout) {
    case Layout::even: return count;
    case Layout::uneven:
    case Layout::scattered: return varied(count, 3 * std::int64_t{rank} + 1, ranks);
    case Layout::one: return rank == ranks - 1 ? count : 0;
  }
  return 0;
}

int count_of(Layout layout, int count, Rank ranks, Rank src, Rank dst) {
  constexpr Rank without = 1;  // sends nothing and gets nothing, if there are others
  const bool is_without = ranks > 2 && (src == without || dst == without);
  switch (layout) {
    case Layout::even: return count;
    case Layout::uneven:
    case Layout::scattered: return varied(count, src + 3 * std::int64_t{dst}, ranks);
    case Layout::one: return !is_without && (src == ranks - 1 || dst == 0) ? count : 0;
  }
  return 0;
}

PlacedParts placed(Layout layout, std::span<const int> counts, BufferSide side, Rank rank) {
  const bool is_empty = std::all_of(counts.begin(), counts.end(), [](int count) { return count == 0; });
  if (layout == Layout::scattered && !is_empty) return scattered(counts, side, rank);
  PlacedParts placing{std::vector<Part>(counts.size()), 0};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    placing.parts[k] = {placing.length, counts[k]};
    placing.length += counts[k];
  }
  return placing;
}

bool LiveCollective::reduces() const {
  return promise_row(promised).sums;
}

bool LiveCollective::has_root() const {
  return promise_row(promised).is_rooted();
}

std::optional<Collective> LiveCollective::collective() const {
  return promise_row(promised).collective;
}

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
  const PromiseRow& row = row_of(call);
  if (call.in_place && exchanges(row)) return received(call, rank);
  std::vector<int> counts;
  for (Rank r = 0; r < call.ranks; ++r) counts.push_back(moved(call, rank, r));
  if (row.input_has_parts)
    return placed(call.layout, counts, exchanges(row) ? BufferSide::sent_and_shared : BufferSide::sent, rank);
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
  return placed(row_of(call).result_has_parts ? call.layout : Layout::even, counts, BufferSide::received, rank);
}

int share(const LiveCall& call, Rank rank) {
  const int each = call.count / call.ranks;
  if (call.layout == Layout::even) return each + (rank < call.count % call.ranks ? 1 : 0);
  if (call.count == 0 || call.layout == Layout::one) return rank == call.ranks - 1 ? call.count : 0;
  return share_of(call.layout, each, call.ranks, rank);
}

std::size_t given(const LiveCall& call, Rank rank) {
  if (!row_of(call).sums) return static_cast<std::size_t>(sent(call, rank).length);
  const BufferPart last = summed(call, call.ranks - 1);
  return static_cast<std::size_t>(last.begin + last.count);
}

std::size_t positions_of(const LiveCall& call) {
  std::size_t positions = 1, longest = 0;
  for (Rank r = 0; r < call.ranks; ++r) positions = std::max(positions, given(call, r));
  if (call.layout != Layout::scattered) return positions;
  for (Rank r = 0; r < call.ranks; ++r) longest = std::max(longest, wanted(call, r));
  return first_gap + longest;
}

std::size_t wanted(const LiveCall& call, Rank rank) {
  if (row_of(call).sums) return static_cast<std::size_t>(promise_of(call).result(rank).size());
  return static_cast<std::size_t>(received(call, rank).length);
}

std::vector<Due> due(const LiveCall& call, Rank rank) {
  std::vector<Due> list(wanted(call, rank));
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = {rank, rank + 1, first_gap + static_cast<std::uint32_t>(k)};
  const Promise promise = promise_of(call);
  const PromisedResult result = promise.result(rank);
  for (const auto& [begin, count, first] : result.runs())
    for (std::int64_t k = 0; k < count; ++k)
      list[static_cast<std::size_t>(begin + k)] = {first.ranks.front(), first.ranks.back() + 1,
                                                   static_cast<std::uint32_t>(first.element + k)};
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
  for (std::size_t k = 0; k < result.size(); ++k) {
    const bool is_own = call.in_place && result[k].first == rank && !call.collective->reduces();
    if (is_gap(result[k]) || is_own) held[k] = result[k].position;
    if (!is_gap(result[k]) && call.in_place && exchanges(row_of(call))) held[k] = static_cast<std::uint32_t>(k);
  }
  const bool has_input = kind == CallKind::broadcast ? rank == call.root : call.in_place && call.collective->reduces();
  for (std::size_t k = 0; has_input && held.size() >= input && k < input; ++k) held[k] = static_cast<std::uint32_t>(k);
  return held;
}

}  // namespace onceover::live
