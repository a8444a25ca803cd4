// A circulant graph: each rank r has edges to the ranks r + skip, for ceil(log2 p) skips. Reduce-scatters go along them
// once. Broadcasts of many blocks go along them again and again, and this essay says how.
//
// Rounds come in phases of q = ceil(log2 p), and in round k of each rank r hears from rank r - skip[k]. What it gets is
// said once, for phase 0; in each further phase it gets the blocks that are q later. Numbers below 0 are blocks of the
// phase before. The first block of a rank is the number of the last skip of its sum: r as a sum of skips, the largest
// first. In each phase, rank r gets q different blocks: its first one, and all of -q .. -1 that it lacks.
//
// A depth-first search finds which comes when. It adds up skips, the largest first, towards p + r, since what r gets
// may have come around the ring. For each round k in turn it takes a sum that is at most p + r - skip[k] and below the
// one before; the block is the number of the sum's last skip, each taken once, and p as the last one stands for the
// first block of r.
//
// Example: p = 5 has the skips 1, 2, 3. In a phase, rank 1 gets block 0 from rank 0, then -1 from rank 4 and -2 from
// rank 3, blocks of the phase before. Rank 4 = 3 + 1 gets -1 from 3, -2 from 2, and then 0 from 1.
//
// Why there always is a block for each round, and why its sender has it, is proved in proofs/coq/CirculantRows.v.
//
// The search looks at few sums for each rank. A schedule of n blocks has n (p-1) patterns.

#include <fmt/format.h>

#include <algorithm>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank circulant_most_ranks = 1 << 24;
constexpr std::int64_t circulant_most_messages = 1 << 20;

constexpr std::string_view circulant_description =
    R"(Träff's reduce-scatter on a circulant graph, in which each rank r has edges to the ranks r + skip. The skips halve, rounded
up, from p to 1. With N blocks left, of ranks r to r+N-1, and the skip s = ceil(N/2), rank r sends the blocks of ranks r+s to
r+N-1 to rank r + s, and s are left. The last one is its own. The allgather is the time reversal, and the allreduce is both.

Steps: ceil(log2 p) (allreduce: twice as many), the fewest with one message a rank and step. Each rank sends p-1 blocks in
each half, the least possible, to ceil(log2 p) neighbours.

p = 5 has the skips 3, 2, 1. Rank 0 holds blocks 0 to 4. It sends 3 and 4 to rank 3, then 2 to rank 2, then 1 to rank 1.

Broadcast from rank 0 of a vector in segments=n blocks: the steps go through the skips in ascending order, again and again,
up to the largest one in the last step. In each, rank r sends one block to rank r + skip, the root the next block. The others
pass on what they got in the last ceil(log2 p) steps, in an order that depends on the rank, so that each gets a new block in
every step, once the first has come. The reduce is the time reversal, with sums. Steps: n-1 + ceil(log2 p), the fewest.

`generalized` halves p in the same way, but a skip there is floor(N/2): 2, 1, 1 for p = 5, so a rank talks to one rank
twice. For powers of two the two are mirror images; so are `circulant` and near-first `bruck`, whose skips are powers of two.
)";

constexpr std::array circulant_collectives{Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                                           Collective::broadcast, Collective::reduce};

constexpr std::array circulant_parameters{Parameter{
    .name = "segments", .summary = "blocks of a broadcast or reduce", .preset = "1", .least = 1, .most = 4096}};

std::optional<std::string> circulant_outside(const Request& request) {
  const std::int64_t segments = number_setting(circulant_algorithm, request, "segments");
  if (!is_rooted(request.collective) && segments > 1)
    return fmt::format("circulant: segments are for a broadcast or reduce; {} has a block for each rank",
                       name(request.collective));
  if (is_rooted(request.collective) && request.ranks() * segments > circulant_most_messages)
    return fmt::format("circulant: ranks times segments are at most {}, not {}", circulant_most_messages,
                       request.ranks() * segments);
  return refuse_above(circulant_algorithm, request, circulant_most_ranks);
}

/// The skips in ascending order, and then p.
std::vector<Rank> skips_of(Rank p) {
  std::vector<Rank> skips{p};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

/// Which block a rank other than 0 gets in each round of phase 0. (Träff, 2024)
class Receipts {
 public:
  Receipts(const std::vector<Rank>& skips, Rank rank)
      : skips_(skips), rounds_(skips.size() - 1), end_(skips.back() + rank), below_(2 * skips.back()) {
    is_open_.assign(skips.size(), true);
    const std::size_t first = first_block(rank);
    is_open_[first] = false;
    search(0, rounds_);
    for (const std::size_t block : found_)
      blocks_.push_back(static_cast<int>(block == rounds_ ? first : block) -
                        static_cast<int>(block == rounds_ ? 0 : rounds_));
  }

  int block(std::size_t round) const { return blocks_[round]; }

 private:
  /// The number of the last skip, of those that sum up to the rank, the largest first.
  std::size_t first_block(Rank rank) const {
    std::size_t skip = rounds_;
    while (rank > 0)
      if (skips_[--skip] <= rank) rank -= skips_[skip];
    return skip;
  }

  /// How far a sum may reach for that round.
  Rank reach(std::size_t round) const { return end_ - skips_[round]; }
  bool is_done() const { return found_.size() == rounds_; }

  /// Adds skips up to `largest` to a sum, which one round after the other takes. Larger sums go first. A sum that is in
  /// reach of the next round, too, is left for that round.
  void search(Rank sum, std::size_t largest) {
    for (std::size_t skip = largest + 1; skip-- > 0 && !is_done();) {
      const Rank longer = sum + skips_[skip];
      if (!is_open_[skip] || longer >= below_ || longer > reach(found_.size())) continue;
      if (longer <= reach(found_.size() + 1)) search(longer, skip);
      if (is_done() || sum > reach(found_.size() + 1)) return;
      below_ = longer;
      found_.push_back(skip);
      is_open_[skip] = false;
    }
  }

  const std::vector<Rank>& skips_;
  std::size_t rounds_;
  Rank end_;
  Rank below_;
  std::vector<bool> is_open_;
  std::vector<std::size_t> found_;
  std::vector<int> blocks_;
};

/// The broadcast of n blocks from rank 0, which are numbered so that the last step ends a phase. What would be a later
/// block is the last one, which a rank gets once.
PatternedSchedule::Builder circulant_broadcast(Rank p, Block n) {
  const std::vector<Rank> skips = skips_of(p);
  const auto phase = static_cast<int>(skips.size()) - 1;
  std::vector<Receipts> receipts;
  for (Rank r = 1; r < p; ++r) receipts.emplace_back(skips, r);
  std::vector<bool> has_last(static_cast<std::size_t>(p), false);
  PatternedSchedule::Builder plan;
  const int left_out = p == 1 ? 0 : (phase - (n - 1) % phase) % phase;
  for (int step = left_out; p > 1 && step < left_out + n - 1 + phase; ++step) {
    plan.begin_step();
    const auto k = static_cast<std::size_t>(step % phase);
    for (Rank r = 1; r < p; ++r) {
      const int block = receipts[static_cast<std::size_t>(r - 1)].block(k) + step / phase * phase - left_out;
      if (block < 0 || (block >= n - 1 && has_last[static_cast<std::size_t>(r)])) continue;
      if (block >= n - 1) has_last[static_cast<std::size_t>(r)] = true;
      plan.add({.indices = Indices::only(around(r - skips[k], p)),
                .ring = p,
                .to = Place::by(skips[k]),
                .blocks = Blocks::fixed({std::min<Block>(block, n - 1)}),
                .extent = n,
                .rank_step = 1},
               Op::copy);
    }
  }
  return plan;
}

SchedulePtr make_rooted(const Request& request) {
  const auto n = static_cast<Block>(number_setting(circulant_algorithm, request, "segments"));
  PatternedSchedule::Builder plan = circulant_broadcast(request.ranks(), n);
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  return with_blocks(circulant_algorithm, request, 1, n, std::move(plan));
}

SchedulePtr make_circulant(const Request& request) {
  if (is_rooted(request.collective)) return make_rooted(request);
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank left = p; left > 1;) {
    const Rank skip = (left + 1) / 2;
    plan.begin_step();
    plan.add({.indices = Indices::range(0, p),
              .ring = p,
              .to = Place::by(skip),
              .blocks = Blocks::relative_run({skip, left - 1})});
    left = skip;
  }
  return from_reduce_scatter(circulant_algorithm, request, 1, std::move(plan));
}

constexpr std::array circulant_volumes{least_volumes[0], least_volumes[1], least_volumes[2],
                                       Volume{Collective::broadcast, "ceil(log2(p)) * size"},
                                       Volume{Collective::reduce, "size"}};

}  // namespace

const Algorithm circulant_algorithm{
    .name = "circulant",
    .summary = "round-optimal for every p: skips that halve, rounded up",
    .source =
        "Träff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms; Optimal Broadcast Schedules, 2024",
    .collectives = circulant_collectives,
    .domain = "any p up to 16777216; broadcast, reduce: ranks times segments up to 1048576",
    .steps = "ceil(log2 p) (allreduce: twice as many; broadcast, reduce: segments-1 more)",
    .volumes = circulant_volumes,
    .description = circulant_description,
    .parameters = circulant_parameters,
    .outside = circulant_outside,
    .make = make_circulant,
};

}  // namespace onceover::schedules
