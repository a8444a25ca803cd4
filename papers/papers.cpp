#include "papers/papers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

double product(const std::vector<Rank>& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
}

}  // namespace

double swing_congestion_limit(int dimensions) {
  // delta(s) = (2^(s+1) + (-1)^s) / 3, so the sum is that of two geometric series.
  const double q = std::pow(2.0, -dimensions);
  return (1 - q) / 3 * (2 / (1 - 2 * q) + 1 / (1 + q));
}

std::optional<Deficiencies> swing_table_2(std::string_view algorithm, const std::vector<Rank>& shape,
                                          bool exact_limit) {
  const double d = static_cast<double>(shape.size());
  const double p = product(shape);
  const double log = std::log2(p);
  const double side = std::pow(p, 1 / d);
  const double two_to_d = std::pow(2.0, d);
  const bool is_square = std::all_of(shape.begin(), shape.end(), [&](Rank n) { return n == shape[0]; });
  if (shape.size() < 2 || !is_square) return std::nullopt;
  if (algorithm == "hamiltonian-ring") return Deficiencies{2 * p / log, 1, 1};
  if (algorithm == "recursive-doubling") return Deficiencies{1, d * log, 2 * d * side};
  if (algorithm == "rabenseifner") return Deficiencies{2, 2 * d, (two_to_d - 1) / (two_to_d - 2)};
  if (algorithm == "bucket") return Deficiencies{2 * d * side / log, 1, 1};
  if (algorithm == "swing-latency") return Deficiencies{1, d * log, 4.0 / 3 * d * side};
  if (algorithm != "swing" || shape.size() > 4) return std::nullopt;
  constexpr double printed[] = {1.19, 1.03, 1.008};
  const int dimensions = static_cast<int>(shape.size());
  return Deficiencies{2, 1, exact_limit ? swing_congestion_limit(dimensions) : printed[dimensions - 2]};
}

double swing_equation_3(const std::vector<Rank>& shape) {
  const auto [least, most] = std::minmax_element(shape.begin(), shape.end());
  const double d = static_cast<double>(shape.size());
  return std::log2(static_cast<double>(*most) / *least) / (6 * std::pow(*least, d - 1));
}

double swing_second_phase(const Contention& measured, const std::vector<Rank>& shape, Block blocks) {
  const int d = static_cast<int>(shape.size());
  const int first = d * ceil_log2(*std::min_element(shape.begin(), shape.end()));
  int half = 0;
  for (const Rank side : shape) half += ceil_log2(side);
  Rational sum = 0;
  for (const StepContention& step : measured.steps) {
    const int s = std::min(step.kind.step, 2 * half - 1 - step.kind.step);
    if (s >= first) sum += step.load * step.kind.times;
  }
  return static_cast<double>(sum) / blocks * d;
}

std::optional<BucketBounds> jain_sabharwal(Collective collective, const std::vector<Rank>& shape) {
  const double p = product(shape);
  const double n = static_cast<double>(shape.size());
  const auto least = least_vectors(collective, static_cast<Rank>(p));
  const auto [shortest, longest] = std::minmax_element(shape.begin(), shape.end());
  if (!least || *shortest < 2) return std::nullopt;
  const double halves = *least / ((p - 1) / p);
  const double dl = *longest;
  const double ds = *shortest;
  const double cost = (dl - 1) / dl / (2 * n) * (1 - std::pow(ds, -n)) * ds / (ds - 1);
  return BucketBounds{*least / (2 * n), halves * cost};
}

FoldingCost kolmakov_zhang(Rank processes, int r) {
  const int l = ceil_log2(processes);
  const double p = processes;
  if (r >= l) return {l, p * l, p * (2.0 * l - 2)};
  const double more = std::pow(2.0, r) - 1;
  return {2 * l - r, 2 * (p - 1) + more * (l - 1), p - 1 + more * (2 * l - 2)};
}

FoldingCost ring_cost(Rank processes) {
  return {2 * (processes - 1), 2.0 * (processes - 1), processes - 1.0};
}

namespace {

/// Adds the folding of what is beyond a power of two: two steps, a vector each, of which one is added.
FoldingCost with_folding(FoldingCost cost, Rank processes) {
  if (is_power_of_two(processes)) return cost;
  return {cost.steps + 2, cost.sent + 2.0 * processes, cost.reduced + processes};
}

int floor_log2(Rank n) {
  return ceil_log2(n + 1) - 1;
}

}  // namespace

FoldingCost recursive_doubling_cost(Rank processes) {
  const int l = floor_log2(processes);
  return with_folding({l, static_cast<double>(l) * processes, static_cast<double>(l) * processes}, processes);
}

FoldingCost recursive_halving_cost(Rank processes) {
  const int l = floor_log2(processes);
  const double part = 1 - 1 / std::pow(2.0, l);
  return with_folding({2 * l, 2 * part * processes, part * processes}, processes);
}

double time_of(const FoldingCost& cost, Rank processes, const PointToPoint& speeds, double bytes) {
  const double block = bytes / processes;
  return cost.steps * speeds.alpha + cost.sent * block * speeds.beta + cost.reduced * block * speeds.gamma;
}

int kolmakov_zhang_best(Rank processes, const PointToPoint& speeds, double bytes) {
  if (speeds.alpha == 0) return 0;
  const double p = processes;
  const double r = std::log2(speeds.alpha / (bytes * (speeds.beta + 2 * speeds.gamma))) +
                   std::log2(p / ((std::log2(p) - 1) * std::log(2.0)));
  return static_cast<int>(std::clamp(std::round(r), 0.0, static_cast<double>(ceil_log2(processes))));
}

std::int64_t pat_staging(Rank ranks, Block aggregation) {
  return std::int64_t{aggregation} * (ceil_log2(ranks) - ceil_log2(aggregation)) - 1;
}

}  // namespace onceover::papers
