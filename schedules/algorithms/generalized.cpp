// Folding of distributed vectors. `description` tells users what that is; this essay says how the schedule is made.
//
// A folding of n vectors sends those from ceil(n/2) on to the places of the others. If n is odd, vector 0 rests. With
// removed steps, several vectors k = 0 .. targets-1 must be summed, not only vector 0. For each, the same foldings run
// k places further: its n vectors are k, which rests if n is odd, and k+1 .. k+n-1. The sum at a place is the same for
// all k for which it isn't the resting one. So a rank needs at most two sums of a vector: the one that rests, and the
// one that moves on. Both add what arrives, so it is sent once.
//
// The two are one as long as nothing has rested. At the first odd n, a rank copies the resting sum to scratch where it
// needs both, and after the last folding it copies it back, in a step without messages. Resting sums are what
// is wanted in the end; scratch has them because what arrives must be added to the other one in the same step.
//
// Example: p = 5, one step removed: vectors 0 and 1 are wanted. The first folding (n = 5, by 2 places) sends vectors 3
// and 4 to 1 and 2, and 5, which is 0, to 3; at vector 1 both sums are needed. The second one (n = 3, by one place)
// leaves 0, 1 and 2, and the last one (n = 2) the two sums.
//
// n vectors become ceil(n/2), so it ends after ceil(log2 extent) foldings for a factor of the group. Each takes a few
// passes over the vectors.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <iterator>

#include "base/text.h"
#include "schedules/algorithms/algorithms.h"
#include "schedules/listed_schedule.h"

namespace onceover::schedules {

namespace {

constexpr Rank generalized_most_ranks = 1 << 20;
constexpr Rank most_placed = 1024;

constexpr std::string_view generalized_description =
    R"(Kolmakov and Zhang's folding. Distributed vector k is the set of all blocks that are k places to the right of their
owners, one on each rank. N = p of them begin; a step sends those from ceil(N/2) to N-1 to the rank floor(N/2) places to the
left, where each meets another vector and is added to it, and ceil(N/2) remain. The last one is home. Where N is odd,
vector 0 rests. The allgather is the time reversal.

group=cyclic is that, for any p. group=AxB.. writes ranks as coordinates and folds one factor after the other: more steps
where a factor is not a power of two, and other partners. group=xor, for powers of two, is 2x2x..x2, which is recursive
halving, far partners first.

removed-steps=r leaves out the first r steps of an allreduce's distribution. The reduction then has to end with all the
vectors 0 .. M-1 that those steps would have made. With r = ceil(log2 p) nothing is left to distribute, and every rank
has summed every block.

Steps: ceil(log2 p) for cyclic, the sum of ceil(log2 n) over the factors n else (allreduce: twice as many, less r). In each
a rank sends one message. Each rank sends p-1 blocks in each half, the least possible (equation 25). With r steps removed
it sends (M-1)(ceil(log2 p)-1) more, where M <= 2^r, as equation 36 says; with all removed, all p blocks in each step
(equation 44).

With removed steps a rank keeps two sums of some blocks, once an odd number of vectors has been folded: one that took part and
one that rested. That takes scratch, and a last step of the reduction without messages, in which the sums in scratch are
copied home.

merge=yes, for groups whose last factor is 2 and natural placement, joins the two steps in the middle: both are the same exchange, see `swing`.

placement=h0,h1,.. gives block i to rank hi (the paper's h, which is free): it does what block hi does else. As reversed,
that is p-1, .., 1, 0. Peers and sizes of messages stay the same.

The equations (20), (21) and (23) print floors where the sent set begins at ceil(N/2) and the kept one ends just before:
see generalized-as-printed.
)";

constexpr std::array generalized_parameters{
    Parameter{.name = "group", .summary = "cyclic, xor, or factors like 3x5 whose product is p", .preset = "cyclic"},
    Parameter{.name = "removed-steps",
              .summary = "steps that an allreduce's distribution leaves out",
              .preset = "0",
              .least = 0,
              .most = 20},
    Parameter{.name = "placement",
              .summary = "natural, reversed, or the owners of all blocks, as in 2,0,1",
              .preset = "natural"},
    merge_parameter};

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

/// The owners of the blocks; empty if block i is rank i's. Nothing if they are no permutation.
std::optional<std::vector<Rank>> placement_of(std::string_view text, Rank p) {
  std::vector<Rank> owners;
  if (text == "natural") return owners;
  for (Rank i = p; text == "reversed" && i-- > 0;) owners.push_back(i);
  for (std::size_t at = 0; text != "reversed" && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto owner = parse_whole<Rank>(text.substr(at, end - at));
    if (!owner) return std::nullopt;
    owners.push_back(*owner);
    at = end + 1;
  }
  std::vector<Rank> sorted = owners;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Rank>(i)) return std::nullopt;
  return sorted.size() == static_cast<std::size_t>(p) ? std::optional(owners) : std::nullopt;
}

/// A set of the vectors 0 .. extent-1 of a factor.
using Vectors = std::vector<Block>;

/// The vectors first .. last, around the ring; all of them if these are more.
Vectors around_from(Rank first, Rank last, Rank extent) {
  Vectors vectors;
  for (Rank k = first; k <= std::min(last, first + extent - 1); ++k) vectors.push_back(k % extent);
  std::sort(vectors.begin(), vectors.end());
  return vectors;
}

Vectors joined(const Vectors& a, const Vectors& b) {
  Vectors both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Vectors common(const Vectors& a, const Vectors& b) {
  Vectors both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Vectors without(const Vectors& a, const Vectors& b) {
  Vectors rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

/// Vectors that every rank sends `shift` places to the left, or keeps (shift 0), from one copy of its blocks to others.
/// They are named as the receiver has them.
struct FoldMove {
  Rank shift;
  Op op;
  int reads;
  std::array<Vectors, 2> lands;  // in the block itself, and in scratch

  Vectors sent() const { return joined(lands[0], lands[1]); }
};

/// The foldings of the vectors of one factor, which leave `targets` complete sums.
struct Folds {
  Rank extent;
  Rank targets;
  Vectors apart = {};  // those of which ranks keep two sums for a while
  std::vector<std::vector<FoldMove>> steps = {};
};

/// How many vectors are left before each folding, and after the last one. (Equation 18)
std::vector<Rank> counts(Rank extent) {
  std::vector<Rank> n{extent};
  while (n.back() > 1) n.push_back((n.back() + 1) / 2);
  return n;
}

/// The foldings that leave out `removed` steps of the distribution. For each of the `targets` vectors k two sums are of
/// interest at k+1 .. k+n-1 and at k: there the sum of vector k rests when n is odd, and falls behind the others. From
/// the first odd n on, vectors of which both are needed have the one that rests in scratch.
Folds folds_of(Rank extent, int removed) {
  const std::vector<Rank> n = counts(extent);
  const std::size_t last = n.size() - 1;
  Folds folds{extent, n[last - static_cast<std::size_t>(removed)]};
  const Vectors resting = around_from(0, folds.targets - 1, extent);
  bool has_rested = false;
  for (std::size_t s = 0; s < last; ++s) {
    const bool is_odd = n[s] % 2 == 1;
    const Vectors moving = s + 1 == last ? Vectors{} : around_from(1, folds.targets + n[s + 1] - 2, extent);
    folds.steps.emplace_back();
    if (is_odd && !has_rested) {
      folds.apart = common(resting, moving);
      folds.steps.back().push_back({0, Op::copy, 0, {Vectors{}, folds.apart}});
    }
    has_rested = has_rested || is_odd;
    FoldMove fold{n[s] / 2, Op::reduce, 0, {moving, {}}};
    if (!is_odd) fold.lands = {joined(moving, without(resting, folds.apart)), folds.apart};
    folds.steps.back().push_back(std::move(fold));
  }
  if (!folds.apart.empty()) folds.steps.push_back({{0, Op::copy, 1, {folds.apart, Vectors{}}}});
  return folds;
}

/// The sender's blocks that are these vectors of a receiver `shift` places to its left.
Blocks blocks_of(const Vectors& vectors, Rank shift) {
  std::vector<Block> offsets;
  for (const Block k : vectors) offsets.push_back(-shift - k);
  return offsets.empty() ? Blocks{} : Blocks::relative(offsets);
}

/// An axis in which every coordinate sends, `shift` places to its left, the vectors that are these of the receiver.
Axis everybody(Rank extent, const Vectors& vectors, Rank shift) {
  Axis axis{.indices = Indices::range(0, extent), .ring = extent, .to = Place::by(-shift), .blocks = {}};
  axis.blocks = blocks_of(vectors, shift);
  return axis;
}

int steps_of(const std::vector<Rank>& extents) {
  int steps = 0;
  for (const Rank n : extents) steps += ceil_log2(n);
  return steps;
}

std::optional<std::string> outside_placement(const Request& request) {
  const std::string_view placement = setting(generalized_algorithm, request, "placement");
  if (placement == "natural") return std::nullopt;
  if (request.ranks() > most_placed)
    return fmt::format("generalized: a placement is for up to {} ranks, not {}", most_placed, request.ranks());
  if (placement_of(placement, request.ranks())) return std::nullopt;
  return fmt::format("generalized: placement is natural, reversed or each of 0 to {} once, as in 2,0,1; not '{}'",
                     request.ranks() - 1, placement);
}

/// Why the reduction's last step and the distribution's first one aren't merged; empty if they can be.
std::string_view unmerged(const std::vector<Rank>& extents, std::int64_t removed, std::string_view placement) {
  if (placement != "natural") return "its theorem is for placement=natural";
  if (removed > 0) return "removed-steps leaves out steps of its own";
  const bool is_exchange = extents.empty() || extents.back() == 2;
  return is_exchange ? "" : "the last factor of the group must be 2 for that, as with group=xor";
}

std::optional<std::string> generalized_outside(const Request& request) {
  const std::string_view group = setting(generalized_algorithm, request, "group");
  const auto removed = number_setting(generalized_algorithm, request, "removed-steps");
  if (auto reason = refuse_above(generalized_algorithm, request, generalized_most_ranks)) return reason;
  if (removed > 0 && request.collective != Collective::allreduce)
    return fmt::format("generalized: removed-steps shortens the distribution of an allreduce, and {} has none",
                       name(request.collective));
  if (group == "xor" && !is_power_of_two(request.ranks()))
    return fmt::format("generalized: group=xor is for powers of two, and p = {} is not one", request.ranks());
  const auto extents = factors_of(group, request.ranks());
  if (!extents)
    return fmt::format("generalized: group is cyclic, xor (for powers of two) or factors whose product is {}, not '{}'",
                       request.ranks(), group);
  if (removed > steps_of(*extents))
    return fmt::format(
        "generalized: with p = {} the distribution has {} steps, so removed-steps is at most that, not {}",
        request.ranks(), steps_of(*extents), removed);
  if (auto reason = refuse_merging(generalized_algorithm, request,
                                   unmerged(*extents, removed, setting(generalized_algorithm, request, "placement"))))
    return reason;
  return outside_placement(request);
}

/// The reduction by one factor after the other, which also sums what the last `removed` steps would have left apart.
class Reduction {
 public:
  Reduction(const std::vector<Rank>& extents, int removed) {
    for (std::size_t k = extents.size(); k-- > 0;) {
      const int own = std::min(removed, ceil_log2(extents[k]));
      factors_.insert(factors_.begin(), folds_of(extents[k], own));
      removed -= own;
    }
  }

  bool needs_scratch() const {
    return std::any_of(factors_.begin(), factors_.end(), [](const Folds& folds) { return !folds.apart.empty(); });
  }

  /// The first steps, at most `most` of them.
  PatternedSchedule::Builder plan(int most) const {
    PatternedSchedule::Builder plan;
    for (std::size_t k = 0; k < factors_.size(); ++k)
      for (const auto& step : factors_[k].steps) {
        if (plan.steps() == most) return plan;
        plan.begin_step();
        for (const FoldMove& move : step)
          if (!move.sent().empty()) plan.add(pattern(k, move));
      }
    return plan;
  }

 private:
  /// The move in dimension k, by all ranks: of the sums that earlier foldings left, of all that later ones will fold.
  Pattern pattern(std::size_t k, const FoldMove& move) const {
    Pattern pattern{.axes = {}, .op = move.op, .reads = move.reads};
    std::vector<Blocks> others;
    for (std::size_t d = 0; d < factors_.size(); ++d) {
      const Rank extent = factors_[d].extent;
      const Vectors kept = around_from(0, (d < k ? factors_[d].targets : extent) - 1, extent);
      pattern.axes.push_back(d == k ? everybody(extent, move.sent(), move.shift) : everybody(extent, kept, 0));
      others.push_back(pattern.axes.back().blocks);
    }
    const bool stays_in_copy = move.reads == 0 && move.lands[1].empty();
    for (int into = 0; into < 2 && !stays_in_copy; ++into) {
      CopyLanding landing{others, into};
      landing.blocks[k] = blocks_of(move.lands[static_cast<std::size_t>(into)], move.shift);
      pattern.lands.push_back(std::move(landing));
    }
    return pattern;
  }

  std::vector<Folds> factors_;
};

SchedulePtr make_natural(const Request& request) {
  const auto removed = static_cast<int>(number_setting(generalized_algorithm, request, "removed-steps"));
  const auto extents = *factors_of(setting(generalized_algorithm, request, "group"), request.ranks());
  const int steps = steps_of(extents);
  PatternedSchedule::Builder plan;
  const Reduction reduction(extents, removed);
  if (request.collective != Collective::allgather) plan = reduction.plan(INT_MAX);
  if (merges(generalized_algorithm, request)) {
    plan.append_merged_reversal();
  } else if (request.collective != Collective::reduce_scatter) {
    PatternedSchedule::Builder distribution = Reduction(extents, 0).plan(steps - removed);
    distribution.reverse();
    plan.append(std::move(distribution));
  }
  const Block scratch = reduction.needs_scratch() ? request.ranks() : 0;
  return with_blocks(generalized_algorithm, request, 1, request.ranks(), std::move(plan), scratch);
}

SchedulePtr make_generalized(const Request& request) {
  SchedulePtr natural = make_natural(request);
  const auto owners = *placement_of(setting(generalized_algorithm, request, "placement"), request.ranks());
  if (owners.empty()) return natural;
  std::vector<Block> block_of(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) block_of[static_cast<std::size_t>(owners[i])] = static_cast<Block>(i);
  return with_renamed_blocks(*natural, block_of);
}

}  // namespace

const Algorithm generalized_algorithm{
    .name = "generalized",
    .summary = "folding of distributed vectors, over any abelian group",
    .source = "Kolmakov and Zhang, sections 7 to 9",
    .collectives = reduce_scatter_family,
    .domain = "any p up to 1048576",
    .steps =
        "ceil(log2 p) (allreduce: twice as many, less removed-steps, or 1 with merge=yes); for groups AxB.. see there",
    .volumes = least_volumes,
    .description = generalized_description,
    .parameters = generalized_parameters,
    .outside = generalized_outside,
    .make = make_generalized,
};

}  // namespace onceover::schedules
