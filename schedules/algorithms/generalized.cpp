// Folding of distributed vectors. `description` tells users what that is; this essay says how the schedule is made.
//
// `fold_factor` begins at the end: which vectors must be summed after the last folding? In each of them a vector of the
// partner's class has arrived. So the step must send that vector, and before the step both must have been summed. What
// a step leaves thus determines what it sends, and what the step before it must leave. Without removed steps this
// yields the paper's sets. With removed steps it serves all the vectors that are asked for, each from the nearest rank
// that has it.
//
// Example: p = 5 folds 5 vectors into 3, 2 and 1. The last step leaves vector 0, so it sends 1. The step before it
// leaves 0 and 1, so it sends 2 to the place of 1, while 0 rests. The first step leaves 0, 1 and 2, so it sends 3 and 4
// to 1 and 2. That is 4 = p-1 blocks for each rank.
//
// N vectors become ceil(N/2), so it ends after ceil(log2 n) foldings for a factor n of the group. Each folding takes a
// few passes over n vectors.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank most_ranks = 1 << 20;

constexpr std::string_view description =
    R"(Kolmakov and Zhang's folding. Distributed vector k is the set of all blocks that are k places to the right of their
owners, one on each rank. N = p of them begin; a step sends those from ceil(N/2) to N-1 to the rank floor(N/2) places to the
left, where each meets another vector and is added to it, and ceil(N/2) remain. The last one is home. Where N is odd,
vector 0 rests. The allgather is the time reversal.

group=cyclic is that, for any p. group=AxB.. writes ranks as coordinates and folds one factor after the other: more steps
where a factor is no power of two, and other partners. group=xor, for powers of two, is 2x2x..x2, which is recursive
halving, far partners first.

removed-steps=r leaves out the first r steps of an allreduce's distribution. The reduction then has to end with all the
vectors 0 .. M-1 that those steps would have made, so ranks keep and send more. With r = ceil(log2 p) nothing is left to
distribute, and every rank has summed every block.

Steps: ceil(log2 p) for cyclic, the sum of ceil(log2 n) over the factors n else (allreduce: twice as many, less r). Each
rank sends p-1 blocks in each half, the least possible (equation 25). With r steps removed, equations 36 and 44 are upper bounds
in the cyclic and the xor group; powers of two reach (36) in the cyclic one and (44) in both, with one message a step.

Where the paper keeps two different sums of one block on a rank, which it does for odd N and r > 0, this row keeps one, since a
schedule of steps holds one value per rank and block. It takes what is missing from the nearest rank to the right that has
it. So a rank may send to several others in a step: to 3 or 4 for most p and r, to about log2 p where nothing is left to
distribute; the paper's program, with its second buffer, sends to one.

The equations (20), (21) and (23) print floors where the sent set begins at ceil(N/2) and the kept one ends just before:
see generalized-as-printed.
)";

constexpr std::array parameters{
    Parameter{.name = "group", .summary = "cyclic, xor, or factors like 3x5 whose product is p", .preset = "cyclic"},
    Parameter{.name = "removed-steps",
              .summary = "steps that an allreduce's distribution leaves out",
              .preset = "0",
              .least = 0,
              .most = 20}};

/// The factors of the group: {p}, {2, 2, ..}, or as the user wrote them. Nothing if their product isn't p.
std::optional<std::vector<Rank>> factors_of(std::string_view group, Rank p) {
  if (group == "cyclic") return p == 1 ? std::vector<Rank>{} : std::vector<Rank>{p};
  if (group == "xor")
    return is_power_of_two(p) ? std::optional(std::vector<Rank>(static_cast<std::size_t>(ceil_log2(p)), 2))
                              : std::nullopt;
  std::vector<Rank> factors;
  std::int64_t product = 1;
  for (const char* at = group.data(); at <= group.data() + group.size();) {
    Rank factor = 0;
    const auto [end, error] = std::from_chars(at, group.data() + group.size(), factor);
    const bool ends_well = end == group.data() + group.size() || *end == 'x';
    if (error != std::errc{} || factor < 2 || factor > p || !ends_well) return std::nullopt;
    factors.push_back(factor);
    product *= factor;
    if (product > p) return std::nullopt;
    at = end + 1;
  }
  return product == p ? std::optional(factors) : std::nullopt;
}

/// How N vectors fold: two classes meet, and the pair is one class afterwards. If N is odd one class rests: vector 0,
/// as in the paper, or the middle one. The middle one keeps the classes alike in size, so that none has to serve many
/// others when sums are formed in several places. (Sections 7 to 9)
struct Folding {
  Rank n;
  bool middle_rests;

  Rank left() const { return n - n / 2; }  // classes afterwards
  bool rests(Rank c) const { return n % 2 == 1 && c == (middle_rests ? n / 2 : 0); }
  Rank shift() const { return middle_rests ? left() : n / 2; }
  Rank partner(Rank c) const { return c < left() ? c + shift() : c - shift(); }
  Rank afterwards(Rank c) const { return c < left() ? c : c - shift(); }
};

/// The foldings that make `extent` vectors one.
std::vector<Folding> foldings(Rank extent, bool middle_rests) {
  std::vector<Folding> all;
  for (Rank n = extent; n > 1; n = (n + 1) / 2) all.push_back({n, middle_rests});
  return all;
}

/// The classes of the vectors 0 .. extent-1 before each folding, and after the last one.
std::vector<std::vector<Rank>> classes_before(const std::vector<Folding>& foldings, Rank extent) {
  std::vector<std::vector<Rank>> before(1, std::vector<Rank>(static_cast<std::size_t>(extent)));
  std::iota(before[0].begin(), before[0].end(), 0);
  for (const Folding& fold : foldings) {
    std::vector<Rank> after = before.back();
    for (Rank& c : after) c = fold.afterwards(c);
    before.push_back(std::move(after));
  }
  return before;
}

/// An axis in which every coordinate sends, `shift` places to its left, the blocks k places to its left for each k of
/// `vectors`.
Axis everybody(Rank extent, const std::vector<Block>& vectors, Rank shift) {
  std::vector<Block> offsets;
  for (const Block k : vectors) offsets.push_back(-k);
  return {.indices = Indices::range(0, extent),
          .ring = extent,
          .to = Place::by(-shift),
          .blocks = Blocks::relative(offsets)};
}

/// What a folding sends so that all vectors of `needed` are folded: how far to the left, and which vectors. Each vector
/// comes from the nearest vector to its right in the class that its own class meets.
std::map<Rank, std::vector<Block>> sent_for(const std::vector<bool>& needed, const Folding& fold,
                                            const std::vector<Rank>& classes) {
  const auto extent = static_cast<Rank>(classes.size());
  std::vector<Rank> nearest(static_cast<std::size_t>(fold.n));
  std::map<Rank, std::vector<Block>> sent;
  for (Rank turn = 2 * extent - 1; turn >= 0; --turn) {
    const auto k = static_cast<std::size_t>(turn % extent);
    const Rank c = classes[k];
    if (turn < extent && needed[k] && !fold.rests(c)) {
      const Rank from = nearest[static_cast<std::size_t>(fold.partner(c))];
      sent[from - turn].push_back(from % extent);
    }
    nearest[static_cast<std::size_t>(c)] = turn;
  }
  return sent;
}

std::vector<Block> members(const std::vector<bool>& set) {
  std::vector<Block> list;
  for (std::size_t k = 0; k < set.size(); ++k)
    if (set[k]) list.push_back(static_cast<Block>(k));
  return list;
}

/// Folds until all vectors are summed that the last `removed` foldings would have left apart. It is made from the end:
/// what a step must leave determines what it sends and what the step before it must leave.
Factor fold_factor(Rank extent, int removed) {
  const std::vector<Folding> steps = foldings(extent, removed > 0);
  const std::vector<std::vector<Rank>> classes = classes_before(steps, extent);
  const std::size_t folded = steps.size() - static_cast<std::size_t>(removed);
  const Rank wanted = folded == steps.size() ? 1 : steps[folded].n;

  std::vector<bool> needed(static_cast<std::size_t>(extent), false);
  std::fill_n(needed.begin(), wanted, true);
  Factor fold{.extent = extent, .sends = {}, .keeps = {{everybody(extent, members(needed), 0)}}};
  for (std::size_t s = steps.size(); s-- > 0;) {
    std::vector<Axis> sends;
    for (const auto& [shift, vectors] : sent_for(needed, steps[s], classes[s])) {
      sends.push_back(everybody(extent, vectors, shift));
      for (const Block k : vectors) needed[static_cast<std::size_t>(k)] = true;
    }
    fold.sends.push_back(std::move(sends));
    fold.keeps.push_back({everybody(extent, members(needed), 0)});
  }
  std::reverse(fold.sends.begin(), fold.sends.end());
  std::reverse(fold.keeps.begin(), fold.keeps.end());
  return fold;
}

int steps_of(const std::vector<Rank>& extents) {
  int steps = 0;
  for (const Rank n : extents) steps += ceil_log2(n);
  return steps;
}

std::optional<std::string> outside(const Request& request) {
  const std::string_view group = setting(generalized_algorithm, request, "group");
  const auto removed = number_setting(generalized_algorithm, request, "removed-steps");
  if (auto reason = refuse_above(generalized_algorithm, request, most_ranks)) return reason;
  if (removed > 0 && request.collective != Collective::allreduce)
    return fmt::format("generalized: removed-steps shortens the distribution of an allreduce, and {} has none",
                       name(request.collective));
  if (group == "xor" && !is_power_of_two(request.ranks()))
    return fmt::format("generalized: group=xor is for powers of two, and p = {} is none", request.ranks());
  const auto extents = factors_of(group, request.ranks());
  if (!extents)
    return fmt::format("generalized: group is cyclic, xor (for powers of two) or factors whose product is {}, not '{}'",
                       request.ranks(), group);
  if (removed > steps_of(*extents))
    return fmt::format(
        "generalized: with p = {} the distribution has {} steps, so removed-steps is at most that, not {}",
        request.ranks(), steps_of(*extents), removed);
  return std::nullopt;
}

/// The reduction by one factor after the other, which also sums what the last `removed` steps would have left apart.
PatternedSchedule::Builder reduction(const std::vector<Rank>& extents, int removed, int steps) {
  std::vector<Factor> factors;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const int own = std::min(removed, ceil_log2(extents[k]));
    factors.push_back(fold_factor(extents[k], own));
    // With removed steps, ranks sum several blocks and send some of them to several ranks; without, it is a
    // reduce-scatter.
    if (own == 0) require_sent_once(factors.back());
    removed -= own;
  }
  std::reverse(factors.begin(), factors.end());
  PatternedSchedule::Builder plan;
  add_in_turn(plan, factors, steps, {});
  return plan;
}

SchedulePtr make(const Request& request) {
  const auto removed = static_cast<int>(number_setting(generalized_algorithm, request, "removed-steps"));
  const auto extents = *factors_of(setting(generalized_algorithm, request, "group"), request.ranks());
  const int steps = steps_of(extents);
  PatternedSchedule::Builder plan;
  if (request.collective != Collective::allgather) plan = reduction(extents, removed, steps);
  if (request.collective != Collective::reduce_scatter) {
    PatternedSchedule::Builder distribution = reduction(extents, 0, steps - removed);
    distribution.reverse();
    plan.append(std::move(distribution));
  }
  return with_blocks(generalized_algorithm, request, 1, request.ranks(), std::move(plan));
}

}  // namespace

const Algorithm generalized_algorithm{
    .name = "generalized",
    .summary = "folding of distributed vectors, over any abelian group",
    .source = "Kolmakov and Zhang, sections 7 to 9",
    .collectives = reduce_scatter_family,
    .domain = "any p up to 1048576",
    .steps = "ceil(log2 p) (allreduce: twice as many, less removed-steps); for groups AxB.. see there",
    .description = description,
    .parameters = parameters,
    .outside = outside,
    .make = make,
};

}  // namespace onceover::schedules
