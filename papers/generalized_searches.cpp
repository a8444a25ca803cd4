// Searches for the claims of Kolmakov and Zhang, "A Generalization of the Allreduce Operation", 2020.
#include <fmt/format.h>

#include <numeric>

#include "papers/papers.h"
#include "papers/searches.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

/// Equation (37) against the number of removed steps that is fastest by (36) and (44), on the cluster of table 2.
ClaimFinding optimal_steps(int tolerance) {
  constexpr PointToPoint cluster{3e-5, 1e-8, 2e-10};
  for (const Rank p : {7, 15, 16, 31, 32, 63, 64, 127, 128})
    for (const double bytes : {425.0, 1024.0, 2048.0, 4096.0, 9216.0, 65536.0}) {
      int best = 0;
      int most = 0;
      while ((1 << most) < p) ++most;
      for (int r = 1; r <= most; ++r)
        if (time_of(kolmakov_zhang(p, r), p, cluster, bytes) < time_of(kolmakov_zhang(p, best), p, cluster, bytes))
          best = r;
      const int said = kolmakov_zhang_best(p, cluster, bytes);
      if (std::abs(said - best) > tolerance)
        return {.refutation = Refutation{
                    fmt::format("P = {}, {:.0f} bytes", p, bytes),
                    fmt::format("equation (37) gives {}, rounded; by (36) and (44) {} is faster", said, best)}};
    }
  return {};
}

/// An abelian group, as the orders of cyclic factors.
using Group = std::vector<Rank>;

Rank order_of(const Group& group) {
  return std::accumulate(group.begin(), group.end(), Rank{1}, std::multiplies<>());
}

/// The order of the element with that number.
Rank order_of(const Group& group, Rank element) {
  Rank order = 1;
  for (const Rank factor : group) {
    order = std::lcm(order, factor / std::gcd(factor, element % factor));
    element /= factor;
  }
  return order;
}

/// The most vectors that can be added to others in one step. An element of order m moves the places around in circles
/// of m, and of m neighbours in a circle m/2 can be sent to the next one.
Rank most_pairs(const Group& group) {
  Rank most = 0;
  for (Rank element = 0; element < order_of(group); ++element) {
    const Rank m = order_of(group, element);
    most = std::max(most, order_of(group) / m * (m / 2));
  }
  return most;
}

/// The fewest steps of a reduction that folds by one element of the group in each step.
int least_steps(const Group& group) {
  const Rank most = most_pairs(group);
  int steps = 0;
  for (Rank vectors = order_of(group); vectors > 1; ++steps) vectors -= std::min(most, vectors / 2);
  return steps;
}

/// Calls visit(group) for all abelian groups of that order, as products of cyclic groups whose orders are powers of
/// primes, with the primes, and the powers of each, in ascending order.
void for_each_group(Rank order, Group& group, const std::function<void(const Group&)>& visit) {
  if (order == 1) return visit(group);
  Rank prime = 2;
  while (order % prime != 0) ++prime;
  const Rank least = group.empty() || group.back() % prime != 0 ? prime : group.back();
  for (Rank factor = least; order % factor == 0; factor *= prime) {
    group.push_back(factor);
    for_each_group(order / factor, group, visit);
    group.pop_back();
  }
}

/// Do the ceil(log2 P) steps of (25) suffice for every group, as far as counting tells?
ClaimFinding every_group_in_log_steps() {
  ClaimFinding finding;
  for (Rank p = 2; p <= 64 && !finding.refutation; ++p) {
    Group group;
    for_each_group(p, group, [&](const Group& g) {
      if (finding.refutation || least_steps(g) <= ceil_log2(p)) return;
      finding.refutation =
          Refutation{fmt::format("P = {}, group Z{}", p, fmt::join(g, "xZ")),
                     fmt::format("at most {} of {} vectors find a partner in a step, so it takes at least {} steps, "
                                 "not {}",
                                 most_pairs(g), p, least_steps(g), ceil_log2(p))};
    });
  }
  return finding;
}

}  // namespace

std::vector<NamedEvidence> generalized_searches() {
  const std::string cluster = "P from 7 to 128, 425 B to 64 KiB, the cluster of table 2";
  return {
      {"every-group-in-log-steps",
       search("all abelian groups of 2 to 64 elements, by counting who can meet whom", every_group_in_log_steps)},
      {"generalized-optimal-steps", search(cluster, [] { return optimal_steps(0); })},
      {"generalized-optimal-steps-within-one", search(cluster, [] { return optimal_steps(1); })},
  };
}

}  // namespace onceover::papers
