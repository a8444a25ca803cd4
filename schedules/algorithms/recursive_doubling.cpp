// Recursive doubling and halving, and their variants: four rows made from few parts.
//
// On a side of 2^a ranks, xor with 2^k is a step along the k-th of a dimensions of extent 2. So recursive halving is a
// product of pairs, near or far pairs first. Other sides are folded onto a power of two (folding.h). The mirrored lanes
// and the folding of neighbours are the same patterns with the ranks in other seats, given by a list.
//
// Example: 8 ranks are 2x2x2. With near pairs first, rank 0 exchanges with 1, 2 and 4 and sends them 4 blocks, 2 and 1.
// With far pairs first, it exchanges with 4, 2 and 1, and each message is one run of blocks. On 7 ranks, 4 to 6 first
// send their vectors to 0 to 2, and get the sums back at the end.
//
// A step is one pattern, with one axis for each pair; whole vectors take three axes for each side. So a schedule takes
// O(log2^2 p) on each lane, and p entries for a list of seats.

#include <fmt/format.h>

#include <algorithm>

#include "schedules/algorithms/algorithms.h"
#include "schedules/algorithms/folding.h"

namespace onceover::schedules {

namespace {

constexpr Rank recursive_doubling_most_ranks = 1 << 20;
constexpr Rank most_ranks_spread = 1 << 16;

/// Coordinates whose bit `step` is 0 exchange whole vectors with those whose bit is 1.
Meetings xor_exchange(Rank side, Rank rank_step, int step) {
  const Rank distance = Rank{1} << step;
  auto axis = [&](Rank extent, Rank places, Place to) {
    return Axis{.indices = Indices::range(0, extent),
                .ring = extent,
                .to = to,
                .blocks = Blocks::all(1),
                .extent = 1,
                .rank_step = places * rank_step};
  };
  return {{axis(side / (2 * distance), 2 * distance, Place::by(0)), axis(2, distance, Place::by(1)),
           axis(distance, 1, Place::by(0))}};
}

/// The seats of the mirror image: every coordinate c becomes -c modulo its side.
std::shared_ptr<const std::vector<Rank>> mirror(const std::vector<Rank>& shape) {
  std::vector<Rank> labels{0};
  for (const Rank side : shape) {
    std::vector<Rank> longer;
    for (const Rank prefix : labels)
      for (Rank c = 0; c < side; ++c) longer.push_back(prefix * side + (side - c) % side);
    labels = std::move(longer);
  }
  return std::make_shared<const std::vector<Rank>>(std::move(labels));
}

/// The seats that fold neighbours on a line of p, where p' is the largest power of two within p. Of the first 2(p - p')
/// ranks the odd ones take part, and each even one sends its vector to its right neighbour. All later ranks take part.
std::shared_ptr<const std::vector<Rank>> neighbour_seats(Rank p) {
  const Rank inner = power_of_two_within(p), extra = p - inner;
  std::vector<Rank> labels;
  for (Rank c = 0; c < inner; ++c) labels.push_back(c < extra ? 2 * c + 1 : c + extra);
  for (Rank c = 0; c < extra; ++c) labels.push_back(2 * c);
  return std::make_shared<const std::vector<Rank>>(std::move(labels));
}

/// A product of pairs for the inner torus, and the order of their steps.
struct Pairs {
  std::vector<Factor> factors;
  std::vector<int> order;
};

/// One pair for each bit, the most significant bit of each side first. Near or far bits go first, round-robin over the
/// sides from `first` on. (Sack and Gropp's order; Swing paper, section 2.3.3)
Pairs pairs_of(const Folding& folding, bool near_first, int first) {
  Pairs pairs;
  const auto& sides = folding.inner();
  std::vector<int> begin;
  int most_bits = 0;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    begin.push_back(static_cast<int>(pairs.factors.size()));
    most_bits = std::max(most_bits, ceil_log2(sides[k]));
    for (int bit = ceil_log2(sides[k]) - 1; bit >= 0; --bit)
      pairs.factors.push_back(pair_factor(folding.rank_step(k) << bit));
  }
  for (int s = 0; s < most_bits; ++s)
    for (std::size_t n = 0; n < sides.size(); ++n) {
      const std::size_t k = (static_cast<std::size_t>(first) + n) % sides.size();
      const int bits = ceil_log2(sides[k]);
      if (s < bits) pairs.order.push_back(begin[k] + (near_first ? bits - 1 - s : s));
    }
  return pairs;
}

/// The reduce-scatter by recursive halving on the inner torus; empty for a single rank.
PatternedSchedule::Builder halving(const Folding& folding, bool near_first, int first, const Seats& seats) {
  PatternedSchedule::Builder plan;
  const Pairs pairs = pairs_of(folding, near_first, first);
  if (!pairs.factors.empty()) add_product(plan, pairs.factors, pairs.order, seats);
  return plan;
}

/// The first half of the allreduce for any shape; sides that aren't powers of two are folded before.
PatternedSchedule::Builder folded_halving(const Folding& folding, bool near_first, int first, const Seats& seats) {
  PatternedSchedule::Builder plan;
  folding.fold(plan, seats);
  plan.append(halving(folding, near_first, first, seats));
  return plan;
}

Folding folding_of(const std::vector<Rank>& shape) {
  std::vector<Rank> inner;
  for (const Rank side : shape) inner.push_back(power_of_two_within(side));
  return {shape, inner};
}

Block block_count(const Folding& folding) {
  Block blocks = 1;
  for (const Rank side : folding.inner()) blocks *= side;
  return blocks;
}

bool is_folded(const Request& request) {
  return !std::all_of(request.shape.begin(), request.shape.end(), is_power_of_two);
}

Seats folding_seats(const Algorithm& row, const Request& request) {
  const bool folds_neighbours = setting(row, request, "remainder") == "fold-neighbours" && is_folded(request);
  return folds_neighbours ? Seats{.labels = neighbour_seats(request.ranks())} : Seats{};
}

std::optional<std::string> neighbours_refusal(const Algorithm& row, const Request& request) {
  if (setting(row, request, "remainder") == "fold-neighbours" && request.dimensions() > 1)
    return "remainder=fold-neighbours is for a line of ranks";
  return std::nullopt;
}

std::optional<std::string> outside_of(const Algorithm& row, const Request& request) {
  if (request.collective != Collective::allreduce && is_folded(request))
    return fmt::format("{} does {} only for powers of two, and {} is not one; its allreduce takes any p", row.name,
                       name(request.collective), shape_text(request.shape));
  return refuse_above(row, request, recursive_doubling_most_ranks);
}

// recursive-doubling

constexpr std::string_view doubling_description =
    R"(Latency-optimal: at step s every rank exchanges its whole vector, here one block, with rank r xor 2^s and adds it up.
Steps: log2 p. As an allgather, of one block a rank, the blocks held double at each step, near ranks first.

On a torus the steps go round-robin over the dimensions, near coordinates first. A side n that is not a power of two is folded
onto n', the largest one below: coordinate n' + i gives its vector to i first and gets the result back at the end, two
steps more; the allgather and the reduce-scatter are for powers of two only. With remainder=fold-neighbours, on a line of
p = n' + r, the first 2r ranks fold in pairs, as Open MPI and MPICH do: 0 gives its vector to 1, 2 to 3, and so on.

remainder=spread takes ceil(log2 p) steps, the least possible with one message a rank and step, for the p that allow it: 6,
10, 12, 18, 20, 22, 24, 28, .. In each step neighbouring sums become one, and the last one, without a neighbour, is copied to ranks
whose own sums others hold, too. p = 6: 0-1, 2-3 and 4-5 exchange; 2 and 3 give to 0 and 1, 0 to 2, and 4 a copy to 3; then
0, 1, 2 exchange with 4, 5, 3.

p = 8: partners of rank 0: 1, 2, 4.
)";

constexpr std::array<std::string_view, 3> foldings{"fold", "fold-neighbours", "spread"};
constexpr std::array doubling_parameters{Parameter{.name = "remainder",
                                                   .summary = "what is done about ranks beyond a power of two",
                                                   .preset = "fold",
                                                   .choices = foldings}};

bool spreads(const Request& request) {
  return setting(recursive_doubling_algorithm, request, "remainder") == "spread" && is_folded(request);
}

std::optional<std::string> spread_refusal(const Request& request) {
  if (request.dimensions() > 1) return "remainder=spread is for a line of ranks";
  if (request.collective != Collective::allreduce) return outside_of(recursive_doubling_algorithm, request);
  if (auto reason = refuse_above(recursive_doubling_algorithm, request, most_ranks_spread)) return reason;
  return refuse_spreading(request.ranks());
}

std::optional<std::string> doubling_outside(const Request& request) {
  if (auto reason = neighbours_refusal(recursive_doubling_algorithm, request)) return reason;
  if (spreads(request)) return spread_refusal(request);
  return outside_of(recursive_doubling_algorithm, request);
}

SchedulePtr make_doubling(const Request& request) {
  if (request.collective != Collective::allreduce)
    return from_reduce_scatter(recursive_doubling_algorithm, request, 1,
                               halving(folding_of(request.shape), false, 0, {}));
  if (spreads(request))
    return with_blocks(recursive_doubling_algorithm, request, 1, 1, spreading_allreduce(request.ranks()));
  PatternedSchedule::Builder plan;
  add_whole_vector_exchanges(plan, request.shape, 0, folding_seats(recursive_doubling_algorithm, request),
                             xor_exchange);
  return with_blocks(recursive_doubling_algorithm, request, 1, 1, std::move(plan));
}

// rabenseifner

constexpr std::string_view rabenseifner_description =
    R"(A reduce-scatter by recursive halving, then the allgather that reverses it: at each step partners r and r xor 2^k
send each other the half that the other one keeps. order=near starts with neighbours (k = 0, 1, ..), order=far with the
far half of the ranks, which keeps every message one run of blocks.

On a torus the steps go round-robin over the dimensions (Sack and Gropp). The reduce-scatter and the allgather are for powers
of two. For other sides the allreduce has three remedies:
- remainder=fold: coordinate n' + i of a side gives its whole vector to i first and gets the result back at the end, with
  n' the largest power of two below.
- remainder=eliminate-3-2: n = 2^a + r. Groups of three ranks of a side become two within its first halving step: the
  third sends one half of what it has to each of the two partners, which exchange halves as ever. It saves the two steps
  of folding while r <= 2^(a-1); the r - 2^(a-1) ranks beyond that are folded first. The paper has it on a line.

Steps: 2 log2 p for powers of two, 1 less with merge=yes: the two exchanges in the middle are one, in which partners send both
their blocks and both add. Each rank then sends 2(p-1) of p blocks, the least possible.
)";

constexpr std::array<std::string_view, 2> rabenseifner_orders{"near", "far"};
constexpr std::array<std::string_view, 3> remainders{"fold", "fold-neighbours", "eliminate-3-2"};
constexpr std::array rabenseifner_parameters{
    Parameter{
        .name = "order", .summary = "which partners come first", .preset = "near", .choices = rabenseifner_orders},
    Parameter{.name = "remainder",
              .summary = "what is done about ranks beyond a power of two",
              .preset = "fold",
              .choices = remainders},
    merge_parameter,
};

bool eliminates(const Request& request) {
  return setting(rabenseifner_algorithm, request, "remainder") == "eliminate-3-2" && is_folded(request);
}

std::optional<std::string> rabenseifner_outside(const Request& request) {
  if (eliminates(request) && setting(rabenseifner_algorithm, request, "order") == "far")
    return "remainder=eliminate-3-2 begins with neighbours: it needs order=near";
  if (auto reason = neighbours_refusal(rabenseifner_algorithm, request)) return reason;
  const std::string_view why_not = eliminates(request) ? "groups of three make other steps: see remainder=fold" : "";
  if (auto reason = refuse_merging(rabenseifner_algorithm, request, why_not)) return reason;
  return outside_of(rabenseifner_algorithm, request);
}

SchedulePtr make_rabenseifner(const Request& request) {
  const bool near_first = setting(rabenseifner_algorithm, request, "order") == "near";
  if (eliminates(request)) {
    return with_blocks(rabenseifner_algorithm, request, 1, block_count(folding_of(request.shape)),
                       eliminating_allreduce(request.shape));
  }
  const Folding folding = folding_of(request.shape);
  if (request.collective != Collective::allreduce)
    return from_reduce_scatter(rabenseifner_algorithm, request, 1, halving(folding, near_first, 0, {}));
  PatternedSchedule::Builder plan =
      folded_halving(folding, near_first, 0, folding_seats(rabenseifner_algorithm, request));
  append_allgather(rabenseifner_algorithm, request, plan);
  return with_blocks(rabenseifner_algorithm, request, 1, block_count(folding), std::move(plan));
}

// recursive-halving-doubling

constexpr std::string_view halving_doubling_description =
    R"(The recursive code of the class report: ranks and tensor are halved together, and each rank exchanges halves with the
rank half of the current ranks away; then the recursion runs backwards. For powers of two that is Rabenseifner's algorithm, far
partners first.

For other p the code does not pair ranks. With three, `partner = rank + int(rank_size / 2)` makes rank 0 send to 1, rank 1 to
2 and rank 2 to 0, while rank 0 waits for 1: blocking calls hang.
)";

std::optional<std::string> halving_doubling_outside(const Request& request) {
  if (!is_folded(request)) return outside_of(recursive_halving_doubling_algorithm, request);
  return fmt::format(
      "recursive-halving-doubling is for powers of two, and {} is not one: the code's partners are not mutual then, "
      "and at p = 3 rank 0 sends to 1, which sends to 2, which sends to 0",
      shape_text(request.shape));
}

SchedulePtr make_halving_doubling(const Request& request) {
  return from_reduce_scatter(recursive_halving_doubling_algorithm, request, 1,
                             halving(folding_of(request.shape), false, 0, {}));
}

// mirrored-recursive-doubling

constexpr std::string_view mirrored_description =
    R"(Recursive doubling on all ports: D plain lanes, lane l starting on dimension l, and D mirrored ones, in which
coordinate c takes the part of -c, so that the first partner is the neighbour on the other side. version=bandwidth
halves and doubles vectors, near partners first (see `rabenseifner`); version=latency exchanges whole ones.

Sides that are not powers of two are folded, see `recursive-doubling`. The reduce-scatter and the allgather are for powers of
two, and the halves of version=bandwidth, of which merge=yes joins the steps in the middle (see `rabenseifner`). In a mirrored lane, block i belongs to the rank with coordinates -i.
)";

constexpr std::array<std::string_view, 2> versions{"bandwidth", "latency"};
constexpr std::array mirrored_parameters{
    Parameter{.name = "version", .summary = "what is optimal", .preset = "bandwidth", .choices = versions},
    merge_parameter};

std::optional<std::string> mirrored_outside(const Request& request) {
  const bool is_latency = setting(mirrored_recursive_doubling_algorithm, request, "version") == "latency";
  if (is_latency && request.collective != Collective::allreduce)
    return fmt::format("mirrored-recursive-doubling: version=latency is an allreduce; {} needs version=bandwidth",
                       name(request.collective));
  const std::string_view why_not = is_latency ? "version=latency has whole vectors, no halves" : "";
  if (auto reason = refuse_merging(mirrored_recursive_doubling_algorithm, request, why_not)) return reason;
  return outside_of(mirrored_recursive_doubling_algorithm, request);
}

SchedulePtr make_mirrored(const Request& request) {
  const auto& row = mirrored_recursive_doubling_algorithm;
  const bool halves = setting(row, request, "version") == "bandwidth";
  const int lanes = lane_count(request);
  const Folding folding = folding_of(request.shape);
  const auto mirrored = mirror(request.shape);
  PatternedSchedule::Builder plan;
  LaneLabels labels;
  for (int lane = 0; lane < lanes; ++lane) {
    labels.push_back(lane < request.dimensions() ? nullptr : mirrored);
    const Seats seats{.lane = lane, .labels = labels.back()};
    const int first = lane % request.dimensions();
    PatternedSchedule::Builder steps;
    if (halves)
      steps = folded_halving(folding, true, first, seats);
    else
      add_whole_vector_exchanges(steps, request.shape, first, seats, xor_exchange);
    plan.merge(std::move(steps));
  }
  if (request.collective != Collective::allreduce)
    return from_seated_reduce_scatter(row, request, labels, std::move(plan));
  if (halves) append_allgather(row, request, plan);
  return with_blocks(row, request, lanes, lanes * (halves ? block_count(folding) : 1), std::move(plan));
}

constexpr std::array folded_volumes{Volume{Collective::allreduce, "2 * (q-1) * size / q + (p > q) * size"},
                                    Volume{Collective::reduce_scatter, "(p-1) * size / p"},
                                    Volume{Collective::allgather, "(p-1) * size / p"}};

constexpr std::array doubling_volumes{Volume{Collective::allreduce, "(log2(p) + (p > q)) * size"},
                                      Volume{Collective::reduce_scatter, "(p-1) * size / p"},
                                      Volume{Collective::allgather, "(p-1) * size / p"}};

}  // namespace

const Algorithm recursive_doubling_algorithm{
    .name = "recursive-doubling",
    .summary = "latency-optimal: exchanges with partners at distance 1, 2, 4, ..",
    .source = "Swing paper, section 2.3.2; PAT paper, introduction",
    .collectives = reduce_scatter_family,
    .domain = "any p or torus up to 1048576 ranks (allgather, reduce-scatter: powers of two)",
    .steps = "log2 n, for other n floor(log2 n) + 2, summed over the sides n; ceil(log2 p) with remainder=spread",
    .volumes = doubling_volumes,
    .description = doubling_description,
    .on_tori = true,
    .parameters = doubling_parameters,
    .outside = doubling_outside,
    .make = make_doubling,
};

const Algorithm rabenseifner_algorithm{
    .name = "rabenseifner",
    .summary = "bandwidth-optimal: recursive halving, then doubling",
    .source = "Swing paper, section 2.3.3",
    .collectives = reduce_scatter_family,
    .domain = "any p or torus up to 1048576 ranks (allgather, reduce-scatter: powers of two)",
    .steps =
        "2 log2 p for powers of two (reduce-scatter, allgather: log2 p), less 1 with merge=yes; see there for others",
    .volumes = folded_volumes,
    .description = rabenseifner_description,
    .on_tori = true,
    .parameters = rabenseifner_parameters,
    .outside = rabenseifner_outside,
    .make = make_rabenseifner,
};

const Algorithm recursive_halving_doubling_algorithm{
    .name = "recursive-halving-doubling",
    .summary = "recursive halving and doubling as a class report codes it",
    .source = "class report, section 2.2",
    .collectives = reduce_scatter_family,
    .domain = "p a power of two up to 1048576",
    .steps = "2 log2 p (reduce-scatter, allgather: log2 p)",
    .volumes = least_volumes,
    .description = halving_doubling_description,
    .outside = halving_doubling_outside,
    .make = make_halving_doubling,
};

const Algorithm mirrored_recursive_doubling_algorithm{
    .name = "mirrored-recursive-doubling",
    .summary = "recursive doubling on all ports of a torus",
    .source = "Swing paper, sections 4.1 and 5.1",
    .collectives = reduce_scatter_family,
    .domain = "any p or torus up to 1048576 ranks (allgather, reduce-scatter: powers of two)",
    .steps = "as recursive-doubling and rabenseifner",
    .volumes = folded_volumes,
    .description = mirrored_description,
    .on_tori = true,
    .has_lanes = true,
    .parameters = mirrored_parameters,
    .outside = mirrored_outside,
    .make = make_mirrored,
};

}  // namespace onceover::schedules
