#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "schedules/algorithms/algorithms.h"

namespace onceover {

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

Steps: ceil(log2 p) for cyclic, the sum of ceil(log2 n) over the factors n else (allreduce: twice as many). Each rank sends
p-1 blocks in each half, the least possible (equation 25).

The equations (20), (21) and (23) print floors where the sent set begins at ceil(N/2) and the kept one ends just
before: as printed p = 3 loses vectors or sends one that isn't there. The paper's versions with fewer steps (sections 8 and
9) keep two different sums of one block on a rank where N is odd; they are not in this row.
)";

constexpr std::array parameters{
    Parameter{.name = "group", .summary = "cyclic, xor, or factors like 3x5 whose product is p", .preset = "cyclic"}};

/// The factors of the group: {p}, {2, 2, ..}, or as written. Nothing if that isn't a group of order p.
std::optional<std::vector<Rank>> factors_of(std::string_view group, Rank p) {
  if (group == "cyclic") return std::vector<Rank>{p};
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

/// Before a step that folds N vectors a coordinate is responsible for those 0 .. N-1 places to its left.
Factor fold_factor(Rank extent) {
  Factor fold{.extent = extent, .sends = {}, .keeps = {keeps_all(extent)}};
  for (Rank n = extent; n > 1; n = (n + 1) / 2) {
    const Axis everybody{.indices = Indices::range(0, extent), .ring = extent};
    Axis sends = everybody;
    sends.to = Place::by(-(n / 2));
    sends.blocks = Blocks::relative_run({-(n - 1), -((n + 1) / 2)});
    Axis keeps = everybody;
    keeps.blocks = Blocks::relative_run({-((n + 1) / 2 - 1), 0});
    fold.sends.push_back({std::move(sends)});
    fold.keeps.push_back({std::move(keeps)});
  }
  return fold;
}

std::optional<std::string> outside(const Request& request) {
  const std::string_view group = setting(generalized_algorithm, request, "group");
  if (auto reason = refuse_above(generalized_algorithm, request, most_ranks)) return reason;
  if (request.ranks() == 1 || factors_of(group, request.ranks())) return std::nullopt;
  return fmt::format("generalized: group is cyclic, xor (for powers of two) or factors whose product is {}, not '{}'",
                     request.ranks(), group);
}

SchedulePtr make(const Request& request) {
  PatternedSchedule::Builder plan;
  if (request.ranks() > 1) {
    const auto sizes = factors_of(setting(generalized_algorithm, request, "group"), request.ranks());
    std::vector<Factor> factors;
    std::vector<int> order;
    for (const Rank n : *sizes) {
      order.insert(order.end(), static_cast<std::size_t>(ceil_log2(n)), static_cast<int>(factors.size()));
      factors.push_back(fold_factor(n));
    }
    add_product(plan, factors, order, {});
  }
  return from_reduce_scatter(generalized_algorithm, request, 1, std::move(plan));
}

}  // namespace

const Algorithm generalized_algorithm{
    .name = "generalized",
    .summary = "folding of distributed vectors, over any abelian group",
    .source = "Kolmakov and Zhang, section 7",
    .collectives = reduce_scatter_family,
    .domain = "any p up to 1048576",
    .steps = "ceil(log2 p) (allreduce: twice as many); for groups AxB.. see there",
    .description = description,
    .parameters = parameters,
    .outside = outside,
    .make = make,
};

}  // namespace onceover
