// Searches for the claims of Kolmakov and Zhang, "A Generalization of the Allreduce Operation", 2020.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>

#include "base/stop.h"
#include "papers/papers.h"
#include "papers/searches.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

/// What equation (37) gives for a size, rounded, beside the number of removed steps that is fastest by (36) and (44).
struct OptimalSteps {
  Rank p;
  double bytes;
  int said;
  int best;
  double loss;  // of time, by what (37) gives; 0.1 is 10 %

  int off() const { return std::abs(said - best); }

  std::string where() const { return fmt::format("P = {}, {:.0f} bytes", p, bytes); }

  std::string why() const {
    return fmt::format("equation (37) gives {}, rounded; {} is fastest, and {} takes {:.1f} % longer", said, best, said,
                       100 * loss);
  }
};

/// Of the generalized allreduce with 0, 1, .. `most` steps removed; (44) is the one with all ceil(log2 P).
class StepTimes {
 public:
  StepTimes(Rank p, int most) : p_(p) {
    for (int r = 0; r <= most; ++r) costs_.push_back(kolmakov_zhang(p, r));
  }

  OptimalSteps at(double bytes) const {
    const int most = static_cast<int>(costs_.size()) - 1;
    const int said = std::min(kolmakov_zhang_best(p_, kolmakov_cluster, bytes), most);
    int best = 0;
    for (int r = 1; r <= most; ++r)
      if (time(r, bytes) < time(best, bytes)) best = r;
    return {p_, bytes, said, best, time(said, bytes) / time(best, bytes) - 1};
  }

 private:
  double time(int r, double bytes) const {
    return time_of(costs_[static_cast<std::size_t>(r)], p_, kolmakov_cluster, bytes);
  }

  Rank p_;
  std::vector<FoldingCost> costs_;
};

/// The sizes for which (37) is tried: all bytes where (44) may be the fastest, and each 64th beyond.
template <class Visit>
void for_each_size(Visit&& visit) {
  for (double bytes = 425; bytes <= 65536; bytes += bytes < 8192 ? 1 : 64) visit(bytes);
}

/// Is (37) never off by more than that? Without the latency-optimal version, if r is below ceil(log2 P).
ClaimFinding optimal_steps(int tolerance, bool has_latency_optimal) {
  ClaimFinding finding;
  for (Rank p = 7; p <= 128 && !finding.refutation; ++p) {
    stop_point();
    const StepTimes times(p, ceil_log2(p) - (has_latency_optimal ? 0 : 1));
    for_each_size([&](double bytes) {
      if (finding.refutation) return;
      if (const OptimalSteps found = times.at(bytes); found.off() > tolerance)
        finding.refutation = Refutation{found.where(), found.why()};
    });
  }
  return finding;
}

/// P = 33 and 1501 bytes: 4 against 6.
ClaimFinding optimal_steps_p33() {
  const OptimalSteps found = StepTimes(33, 6).at(1501);
  if (found.said == 4 && found.best == 6 && std::abs(found.loss - 0.117) < 0.0005) return {};
  return {.refutation = Refutation{found.where(), found.why()}};
}

/// How often (37) is off by two, how far at most, and what it loses at most.
ClaimFinding off_by_two() {
  int processes = 0;
  OptimalSteps worst{};
  int farthest = 0;
  for (Rank p = 7; p <= 128; ++p) {
    stop_point();
    const StepTimes times(p, ceil_log2(p));
    int most = 0;
    for_each_size([&](double bytes) {
      const OptimalSteps found = times.at(bytes);
      most = std::max(most, found.off());
      if (found.loss > worst.loss) worst = found;
    });
    processes += most >= 2 ? 1 : 0;
    farthest = std::max(farthest, most);
  }
  if (processes == 86 && farthest == 2 && worst.p == 9 && std::abs(worst.loss - 0.173) < 0.0005) return {};
  return {.refutation = Refutation{worst.where(), fmt::format("{}; off by up to {}, for {} P by two or more",
                                                              worst.why(), farthest, processes)}};
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

/// Is there a second abelian group of each order that is asked, and of no other?
ClaimFinding second_group(const std::function<bool(Rank)>& is_asked) {
  for (Rank p = 2; p <= 64; ++p) {
    int groups = 0;
    Group group;
    for_each_group(p, group, [&](const Group&) { ++groups; });
    if ((groups > 1) != is_asked(p))
      return {.refutation = Refutation{fmt::format("P = {}", p), groups > 1 ? "there are several abelian groups"
                                                                            : "the only abelian group is cyclic"}};
  }
  return {};
}

bool is_composite(Rank p) {
  for (Rank d = 2; d * d <= p; ++d)
    if (p % d == 0) return true;
  return false;
}

bool has_square_factor(Rank p) {
  for (Rank d = 2; d * d <= p; ++d)
    if (p % (d * d) == 0) return true;
  return false;
}

using Permutation = std::vector<Rank>;

/// The permutations i -> h(i) + k mod P, which are h T_P with the cyclic T_P.
std::vector<Permutation> shifted(const Permutation& h) {
  const auto p = static_cast<Rank>(h.size());
  std::vector<Permutation> all;
  for (Rank k = 0; k < p; ++k) {
    all.push_back(h);
    for (Rank& image : all.back()) image = (image + k) % p;
  }
  return all;
}

/// A finite set of permutations is a group if it has the composition of any two.
bool is_group(const std::vector<Permutation>& set) {
  for (const Permutation& a : set)
    for (const Permutation& b : set) {
      Permutation after(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) after[i] = a[static_cast<std::size_t>(b[i])];
      if (std::find(set.begin(), set.end(), after) == set.end()) return false;
    }
  return true;
}

/// Does exactly one take i to j, for any i and j?
bool takes_each_to_each_once(const std::vector<Permutation>& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    std::set<Rank> images;
    for (const Permutation& a : set) images.insert(a[i]);
    if (images.size() != set.size()) return false;
  }
  return true;
}

/// Figure 3's h.
ClaimFinding figure_3_makes_a_group() {
  if (is_group(shifted({4, 5, 2, 6, 1, 0, 3}))) return {};
  return {.refutation =
              Refutation{"P = 7, h of figure 3", "the composition of two of the permutations isn't one of them"}};
}

/// For all h of up to 6 places: a group if and only if h is in T_P; and what the text concludes.
ClaimFinding coset_of_each_placement() {
  for (Rank p = 2; p <= 6; ++p) {
    Permutation h(static_cast<std::size_t>(p));
    std::iota(h.begin(), h.end(), Rank{0});
    const std::vector<Permutation> group = shifted(h);
    do {
      const std::vector<Permutation> coset = shifted(h);
      const bool is_in = std::find(group.begin(), group.end(), h) != group.end();
      if (is_group(coset) != is_in || !takes_each_to_each_once(coset))
        return {.refutation = Refutation{fmt::format("P = {}, h = {}", p, fmt::join(h, " ")), "it is otherwise"}};
    } while (std::next_permutation(h.begin(), h.end()));
  }
  return {};
}

/// How often another of recursive doubling, recursive halving and the ring becomes the fastest as vectors grow, 32 B to
/// 1 GiB.
int changes_of_the_best_known(Rank p) {
  const std::array costs{recursive_doubling_cost(p), recursive_halving_cost(p), ring_cost(p)};
  int changes = 0;
  std::size_t before = 0;
  for (double bytes = 32; bytes <= 0x1p30; bytes *= 1.25) {
    const auto time = [&](const FoldingCost& cost) { return time_of(cost, p, kolmakov_cluster, bytes); };
    std::size_t best = 0;
    for (std::size_t k = 1; k < costs.size(); ++k)
      if (time(costs[k]) < time(costs[best])) best = k;
    changes += bytes > 32 && best != before ? 1 : 0;
    before = best;
  }
  return changes;
}

/// For all P from 3 to 128.
ClaimFinding changes_are(const std::function<int(Rank)>& expected) {
  for (Rank p = 3; p <= 128; ++p)
    if (const int changes = changes_of_the_best_known(p); changes != expected(p))
      return {.refutation =
                  Refutation{fmt::format("P = {}", p), changes == 1 ? "the fastest of the others changes once"
                                                                    : "the fastest of the others changes twice"}};
  return {};
}

ClaimFinding changes_are_two() {
  return changes_are([](Rank /*p*/) { return 2; });
}

ClaimFinding changes_are_two_beyond_8_but_for_powers() {
  return changes_are([](Rank p) { return p > 8 && !is_power_of_two(p) ? 2 : 1; });
}

}  // namespace

std::vector<NamedEvidence> generalized_searches() {
  const std::string range = "P = 7..128, 425 B to 64 KiB, the cluster of table 2";
  return {
      {"every-group-in-log-steps",
       search("all abelian groups of 2 to 64 elements, by counting how many vectors find a partner in a step",
              every_group_in_log_steps)},
      {"second-group-of-composite-order", search("orders 2 to 64", [] { return second_group(is_composite); })},
      {"second-group-if-a-square-divides", search("orders 2 to 64", [] { return second_group(has_square_factor); })},
      {"figure-3-makes-a-group", search("P = 7", figure_3_makes_a_group)},
      {"coset-of-each-placement", search("all h of P = 2 to 6", coset_of_each_placement)},
      {"figure-1-changes-twice", search("P = 3..128, 32 B to 1 GiB", changes_are_two)},
      {"figure-1-changes-twice-beyond-8-but-for-powers",
       search("P = 3..128, 32 B to 1 GiB", changes_are_two_beyond_8_but_for_powers)},
      {"generalized-optimal-steps", search(range, [] { return optimal_steps(0, true); })},
      {"generalized-optimal-steps-p33", search("P = 33, 1501 B", optimal_steps_p33)},
      {"generalized-optimal-steps-off-by-two", search(range, off_by_two)},
      {"generalized-optimal-steps-of-36-within-one",
       search(range + ", r below ceil(log2 P)", [] { return optimal_steps(1, false); })},
  };
}

}  // namespace onceover::papers
