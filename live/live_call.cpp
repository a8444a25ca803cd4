#include "live/live_call.h"

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
    LiveCollective{
        .kind = CallKind::allgatherv, .name = "allgatherv", .has_in_place = true, .collective = Collective::allgather},
    LiveCollective{.kind = CallKind::gather,
                   .name = "gather",
                   .has_root = true,
                   .has_in_place = true,
                   .collective = Collective::gather},
    LiveCollective{.kind = CallKind::scatter,
                   .name = "scatter",
                   .has_root = true,
                   .has_in_place = true,
                   .collective = Collective::scatter},
    LiveCollective{
        .kind = CallKind::alltoall, .name = "alltoall", .has_in_place = true, .collective = Collective::alltoall},
    LiveCollective{
        .kind = CallKind::alltoallv, .name = "alltoallv", .has_in_place = true, .collective = Collective::alltoall},
};

/// Adds the elements `first`, `first` + 1, .. of one origin, or of the sum over ranks first_rank .. end_rank-1.
void add_run(std::vector<Due>& list, Rank first_rank, Rank end_rank, int first, int count) {
  for (int k = 0; k < count; ++k) list.push_back({first_rank, end_rank, static_cast<std::uint32_t>(first + k)});
}

/// Where the data of `src` for `dst` begins in its send buffer.
std::size_t offset_between(const LiveCall& call, Rank src, Rank dst) {
  std::size_t offset = 0;
  for (Rank d = 0; d < dst; ++d) offset += static_cast<std::size_t>(count_between(call, src, d));
  return offset;
}

}  // namespace

std::span<const LiveCollective> live_collectives() {
  return rows;
}

std::string LiveCall::name() const {
  return (nonblocking ? "i" : "") + std::string(collective->name);
}

int count_between(const LiveCall& call, Rank src, Rank dst) {
  const bool halves = call.collective->kind == CallKind::allgatherv ? src % 2 == 1 : (src + dst) % 2 == 1;
  const bool varies = call.collective->kind == CallKind::allgatherv || call.collective->kind == CallKind::alltoallv;
  return varies && halves ? call.count / 2 : call.count;
}

int share(const LiveCall& call, Rank rank) {
  return call.count / call.ranks + (rank < call.count % call.ranks ? 1 : 0);
}

std::size_t given(const LiveCall& call, Rank rank) {
  const auto count = static_cast<std::size_t>(call.count), ranks = static_cast<std::size_t>(call.ranks);
  switch (call.collective->kind) {
    case CallKind::allreduce:
    case CallKind::reduce:
    case CallKind::reduce_scatter:
    case CallKind::scan:
    case CallKind::exscan:
    case CallKind::allgather:
    case CallKind::gather: return count;
    case CallKind::broadcast: return rank == call.root ? count : 0;
    case CallKind::scatter: return rank == call.root ? count * ranks : 0;
    case CallKind::reduce_scatter_block:
    case CallKind::alltoall: return count * ranks;
    case CallKind::allgatherv: return static_cast<std::size_t>(count_between(call, rank, rank));
    case CallKind::alltoallv: return offset_between(call, rank, call.ranks);
  }
  return 0;
}

std::size_t positions_of(const LiveCall& call) {
  std::size_t positions = 1;
  for (Rank r = 0; r < call.ranks; ++r) positions = std::max(positions, given(call, r));
  return positions;
}

std::size_t wanted(const LiveCall& call, Rank rank) {
  const auto count = static_cast<std::size_t>(call.count), ranks = static_cast<std::size_t>(call.ranks);
  switch (call.collective->kind) {
    case CallKind::allreduce:
    case CallKind::reduce_scatter_block:
    case CallKind::scan:
    case CallKind::broadcast:
    case CallKind::scatter: return count;
    case CallKind::reduce: return rank == call.root ? count : 0;
    case CallKind::gather: return rank == call.root ? count * ranks : 0;
    case CallKind::exscan: return rank > 0 ? count : 0;
    case CallKind::reduce_scatter: return static_cast<std::size_t>(share(call, rank));
    case CallKind::allgather:
    case CallKind::alltoall: return count * ranks;
    case CallKind::allgatherv:
    case CallKind::alltoallv: {
      std::size_t sum = 0;
      for (Rank r = 0; r < call.ranks; ++r) sum += static_cast<std::size_t>(count_between(call, r, rank));
      return sum;
    }
  }
  return 0;
}

std::vector<Due> due(const LiveCall& call, Rank rank) {
  std::vector<Due> list;
  const Rank p = call.ranks;
  const int count = call.count;
  switch (call.collective->kind) {
    case CallKind::allreduce: add_run(list, 0, p, 0, count); break;
    case CallKind::reduce:
      if (rank == call.root) add_run(list, 0, p, 0, count);
      break;
    case CallKind::reduce_scatter: {
      int first = 0;
      for (Rank r = 0; r < rank; ++r) first += share(call, r);
      add_run(list, 0, p, first, share(call, rank));
      break;
    }
    case CallKind::reduce_scatter_block: add_run(list, 0, p, rank * count, count); break;
    case CallKind::scan: add_run(list, 0, rank + 1, 0, count); break;
    case CallKind::exscan:
      if (rank > 0) add_run(list, 0, rank, 0, count);
      break;
    case CallKind::broadcast: add_run(list, call.root, call.root + 1, 0, count); break;
    case CallKind::allgather:
    case CallKind::allgatherv:
      for (Rank r = 0; r < p; ++r) add_run(list, r, r + 1, 0, count_between(call, r, rank));
      break;
    case CallKind::gather:
      if (rank == call.root)
        for (Rank r = 0; r < p; ++r) add_run(list, r, r + 1, 0, count);
      break;
    case CallKind::scatter: add_run(list, call.root, call.root + 1, rank * count, count); break;
    case CallKind::alltoall:
      for (Rank r = 0; r < p; ++r) add_run(list, r, r + 1, rank * count, count);
      break;
    case CallKind::alltoallv:
      for (Rank r = 0; r < p; ++r)
        add_run(list, r, r + 1, static_cast<int>(offset_between(call, r, rank)), count_between(call, r, rank));
      break;
  }
  return list;
}

}  // namespace onceover::live
