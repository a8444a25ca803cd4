// Swing. The descriptions tell users what it does and why; this essay says how its schedules are made.
//
// One dimension is a factor. The offsets K(s) for which an even coordinate is responsible before step s are made from
// the last step down: K(s) holds K(s+1) and the mirror images of K(s+1), of which the new ones are what the coordinate
// sends at step s. Odd coordinates have the mirror image, so a step is two axes, whatever the side. On an odd side one
// more coordinate is served apart (peer_paths.h). Tori, lanes and the allgather are products and reversals, which
// don't depend on Swing.
//
// Example: n = 6 has three steps, with rho = 1, -1, 3. K(3) = {0}. K(2) adds 3 - 0 = 3. K(1) adds -1 - 0 = 5 and -1 - 3
// = 2, mod 6. K(0) adds 1 - 0 = 1 and 1 - 3 = 4; it already holds the images of 5 and 2. So an even coordinate sends
// {1, 4}, then {5, 2}, then {3}: each foreign block once.
//
// A step mirrors each offset of K once, and K at most doubles, so all steps together mirror fewer than 2n offsets on a
// side n.

#include <algorithm>

#include "base/stop.h"
#include "schedules/algorithms/folding.h"
#include "schedules/algorithms/swing_peers.h"
#include "schedules/peer_paths.h"

namespace onceover::schedules {

namespace {

constexpr Rank swing_most_ranks = 1 << 24;
constexpr Rank most_ranks_latency = 1 << 18;

constexpr std::string_view bandwidth_description =
    R"(The peer of rank r at step s is r + rho(s) for even r and r - rho(s) for odd r, mod p, with
rho(s) = 1, -1, 3, -5, 11, .. = (1 - (-2)^(s+1)) / 3: it swings from side to side and stays closer than r xor 2^s.

Even p. Let K(s) be the offsets of the blocks that an even rank is still responsible for before step s:
what it can reach with steps s, s+1, .., itself included. K(L) = {0} after the last of the L = ceil(log2 p) steps, and
K(s) = K(s+1) u (rho(s) - K(s+1)), because the peer is odd and sees everything mirrored. At step s the rank
sends K(s) \ K(s+1). So a block that could go twice goes only at the last step that reaches it, and a rank
never sends its own block. Odd ranks do the mirror image. The allgather is the time reversal.

Odd p. The first p-1 ranks run the algorithm for p-1. Rank p-1 exchanges one block with each of them directly:
at every step with half, rounded up, of the ranks that remain, at the last step with all of them.

The texts of the paper differ from this where they do not work: "not send the same data block twice" (section
3.2) does not say which of the two to leave out, and keeping the first one fails from p = 6; figure 3 marks blocks
that are sent at later steps; (p-1)/2^s blocks per step (section 3.2) are not a whole number, and figure 4 has 3, 2, 1.

Tori. Every side is a factor of its own, and the steps go round-robin over the dimensions, leaving out those that are
done. In a step of dimension w a rank sends the blocks whose w-coordinate the rule above names and whose other coordinates
it is still responsible for. With all lanes the vector is cut into 2D parts: lane l starts on dimension l mod D, and
lanes D to 2D-1 are mirrored, with -rho for rho. The peer rule of section 4.1 has delta where it needs rho.

Each rank sends p-1 blocks a lane in a reduce-scatter or an allgather, the least possible.

merge=yes, for even sides: in the last step of the reduce-scatter, partners send each other the block that the other one
owns. Here they send both their blocks, and both ranks add. So the first step of the allgather is done, too: an allreduce
of 2 ceil(log2 p) - 1 steps on a line, with no byte more.

Broadcast from rank 0: at step s everyone who has the vector sends it to the peer, where that has none yet; on an odd side
coordinate 0 serves the last one at the last step of that side. The reduce is the time reversal, with sums. The scatter goes
down the same tree: a rank is sent the blocks of all ranks below it. The gather is the time reversal.
)";

constexpr std::string_view latency_description =
    R"(Swing's peers (see `swing`), but at each step the two partners exchange the whole vector, here one block,
and add it up. After s steps a rank holds the sums of an interval of 2^s ranks, after log2 p steps of all.

The exchange itself is right for powers of two only: elsewhere the last interval wraps around onto itself, and at p = 6
already two contributions are counted twice. A side n that is not a power of two is folded onto n', the largest one below:
first coordinate n' + i gives its vector to i, and at the end it gets the result back.

Tori and lanes as for `swing`, with one block a lane. From 8 ranks on a side the ranks add up in different orders (p/4
of them on a line), so floating-point results differ between ranks.
)";

}  // namespace

std::int64_t rho(int step) {
  std::int64_t sum = 0;
  for (int i = step; i >= 0; --i) sum = 1 - 2 * sum;
  return sum;
}

Rank swing_peer(Rank rank, int step, Rank n) {
  return around(rank % 2 == 0 ? rank + rho(step) : rank - rho(step), n);
}

namespace {

std::vector<Block> negated(std::vector<Block> offsets) {
  for (Block& x : offsets) x = -x;
  return offsets;
}

/// K(s), the offsets for which an even coordinate of n is responsible before step s, and K(s) \ K(s+1), those that it
/// sends at step s; n is even.
struct Shares {
  std::vector<std::vector<Block>> kept;  // one more entry than there are steps
  std::vector<std::vector<Block>> sent;
};

Shares shares(Rank n, const ShiftOfStep& shift) {
  const auto steps = static_cast<std::size_t>(ceil_log2(n));
  Shares shares{std::vector<std::vector<Block>>(steps + 1), std::vector<std::vector<Block>>(steps)};
  shares.kept[steps] = {0};
  std::vector<bool> is_kept(static_cast<std::size_t>(n));
  is_kept[0] = true;
  for (std::size_t s = steps; s-- > 0;) {
    stop_point();
    const auto& later = shares.kept[s + 1];
    auto& fresh = shares.sent[s];
    for (const Block x : later) {
      const Rank mirrored = around(shift(static_cast<int>(s)) - x, n);
      if (!is_kept[static_cast<std::size_t>(mirrored)]) fresh.push_back(mirrored);
    }
    for (const Block x : fresh) is_kept[static_cast<std::size_t>(x)] = true;
    shares.kept[s] = later;
    shares.kept[s].insert(shares.kept[s].end(), fresh.begin(), fresh.end());
  }
  return shares;
}

/// Two axes: the even coordinates of 0 .. n-1 with these offsets, and the odd ones with the mirror image.
std::vector<Axis> both_parities(Rank n, Rank extent, Rank shift, const std::vector<Block>& offsets) {
  std::vector<Axis> axes;
  for (const Rank parity : {0, 1})
    axes.push_back({.indices = Indices::every_second(parity, n),
                    .ring = n,
                    .to = Place::by(parity == 0 ? shift : -shift),
                    .blocks = Blocks::relative(parity == 0 ? offsets : negated(offsets)),
                    .extent = extent});
  return axes;
}

}  // namespace

Factor mirroring_factor(Rank extent, const ShiftOfStep& shift) {
  Factor factor{.extent = extent, .sends = {}, .keeps = {keeps_all(extent)}};
  const bool is_odd = extent % 2 == 1;
  const Rank n = is_odd ? extent - 1 : extent;
  if (n == 0) return factor;
  const Shares shares = schedules::shares(n, shift);
  OddOneOut odd_one(n);
  for (std::size_t s = 0; s < shares.sent.size(); ++s) {
    auto sends = both_parities(n, extent, around(shift(static_cast<int>(s)), n), shares.sent[s]);
    auto keeps = both_parities(n, extent, 0, shares.kept[s + 1]);
    if (is_odd) {
      odd_one.exchange(s + 1 == shares.sent.size(), sends);
      odd_one.keep(keeps);
    }
    factor.sends.push_back(std::move(sends));
    factor.keeps.push_back(std::move(keeps));
  }
  return factor;
}

std::string_view odd_one_out_of(const std::vector<Rank>& shape) {
  const bool is_odd = std::any_of(shape.begin(), shape.end(), [](Rank side) { return side > 1 && side % 2 == 1; });
  return is_odd ? "on an odd side the last rank exchanges with several others" : "";
}

ShiftOfStep swing_shift(bool mirrored) {
  return [mirrored](int step) { return mirrored ? -rho(step) : rho(step); };
}

Factor swing_factor(Rank extent, bool mirrored) {
  return mirroring_factor(extent, swing_shift(mirrored));
}

namespace {

constexpr std::array swing_collectives{Collective::allreduce, Collective::reduce_scatter, Collective::allgather,
                                       Collective::broadcast, Collective::reduce,         Collective::scatter,
                                       Collective::gather};

constexpr std::array bandwidth_parameters{merge_parameter};

std::optional<std::string> bandwidth_outside(const Request& request) {
  if (auto reason = refuse_merging(swing_algorithm, request, odd_one_out_of(request.shape))) return reason;
  return refuse_above(swing_algorithm, request, is_carried(request.collective) ? most_carried_ranks : swing_most_ranks);
}

SchedulePtr make_tree(const Request& request) {
  const int lanes = lane_count(request);
  PatternedSchedule::Builder plan =
      mirroring_broadcast(request.shape, lanes, [&](int lane) { return swing_shift(lane >= request.dimensions()); });
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  if (!is_carried(request.collective)) return with_blocks(swing_algorithm, request, lanes, lanes, std::move(plan));
  Request broadcast = request;
  broadcast.collective = Collective::broadcast;
  return down_the_tree(swing_algorithm, request,
                       *with_blocks(swing_algorithm, broadcast, lanes, lanes, std::move(plan)));
}

/// Lane l starts on dimension l mod D; the second half of the lanes is mirrored. (Swing paper, section 4.1)
SchedulePtr make_bandwidth(const Request& request) {
  if (is_rooted(request.collective)) return make_tree(request);
  const int lanes = lane_count(request);
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Factor> factors;
    for (const Rank side : request.shape) factors.push_back(swing_factor(side, lane >= request.dimensions()));
    add_product(plan, factors, round_robin(factors, lane), {.lane = lane});
  }
  return from_reduce_scatter(swing_algorithm, request, lanes, std::move(plan));
}

std::optional<std::string> latency_outside(const Request& request) {
  return refuse_above(swing_latency_algorithm, request, most_ranks_latency);
}

/// One alternative for each parity: its coordinates send everything to their peers at step `step` of one dimension.
Meetings whole_exchange(Rank side, Rank rank_step, int step, bool mirrored) {
  const Rank shift = around(mirrored ? -rho(step) : rho(step), side);
  Meetings meetings;
  for (const Rank parity : {0, 1})
    meetings.push_back({{.indices = Indices::every_second(parity, side),
                         .ring = side,
                         .to = Place::by(parity == 0 ? shift : -shift),
                         .blocks = Blocks::all(1),
                         .extent = 1,
                         .rank_step = rank_step}});
  return meetings;
}

SchedulePtr make_latency(const Request& request) {
  const int lanes = lane_count(request);
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    const bool mirrored = lane >= request.dimensions();
    PatternedSchedule::Builder steps;
    add_whole_vector_exchanges(
        steps, request.shape, lane % request.dimensions(), {.lane = lane},
        [&](Rank side, Rank rank_step, int step) { return whole_exchange(side, rank_step, step, mirrored); });
    plan.merge(std::move(steps));
  }
  return with_blocks(swing_latency_algorithm, request, lanes, lanes, std::move(plan));
}

constexpr std::array latency_volumes{Volume{Collective::allreduce, "(log2(p) + (p > q)) * size"}};

constexpr std::array swing_volumes{Volume{Collective::allreduce, "2 * (p-1) * size / p"},
                                   Volume{Collective::reduce_scatter, "(p-1) * size / p"},
                                   Volume{Collective::allgather, "(p-1) * size / p"},
                                   Volume{Collective::broadcast, "(ceil(log2(p)) + odd(p)) * size", false},
                                   Volume{Collective::reduce, "size"},
                                   Volume{Collective::scatter, "(p-1) * size / p"},
                                   Volume{Collective::gather, "(p+1) / 2 * (size / p)", false}};

}  // namespace

const Algorithm swing_algorithm{
    .name = "swing",
    .summary = "bandwidth-optimal Swing on tori of any shape",
    .source = "Swing paper, sections 3.1.1, 3.2 and 4, appendix A",
    .collectives = swing_collectives,
    .domain = "any p or torus up to 16777216 ranks; scatter, gather: up to 65536",
    .steps =
        "ceil(log2 n), for odd n ceil(log2(n-1)), summed over the sides n (allreduce: twice as many, less 1 "
        "with merge=yes)",
    .volumes = swing_volumes,
    .description = bandwidth_description,
    .on_tori = true,
    .has_lanes = true,
    .parameters = bandwidth_parameters,
    .outside = bandwidth_outside,
    .make = make_bandwidth,
};

const Algorithm swing_latency_algorithm{
    .name = "swing-latency",
    .summary = "latency-optimal Swing: whole vectors at every step",
    .source = "Swing paper, section 3.1.2",
    .collectives = only_allreduce,
    .domain = "any p or torus up to 262144 ranks",
    .steps = "log2 n, for other n floor(log2 n) + 2, summed over the sides n",
    .volumes = latency_volumes,
    .description = latency_description,
    .on_tori = true,
    .has_lanes = true,
    .outside = latency_outside,
    .make = make_latency,
};

}  // namespace onceover::schedules
