// Searches for claims of the Swing paper that limits and formulas can't express. Each tries a fixed range, smallest
// case first; the first case in which the sentence doesn't hold is the counterexample.
//
// Some look at transfers of the catalogue: which rank sends to which, over which links, in which direction. Others need
// no schedule, only the paper's rule for peers: `ways_of` counts in how many ways each rank's data reaches each other
// rank, by adding up along the peers step by step.
//
// Example: for p = 6 and 3 steps, some ranks' data reaches others twice, once in the last step and once before.
//
// Ranges are fixed, so all searches end. `ways_of` takes O(p^2) a step, and p stays below 260. Cycles are found by
// trying all ways, which is exponential and done on 3x4 only.

#include "papers/swing_searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "papers/papers.h"
#include "papers/subjects.h"
#include "schedules/listed_schedule.h"
#include "schedules/numbers.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

using Shape = std::vector<Rank>;

SchedulePtr make(std::string_view row, const Request& request) {
  return find_algorithm(row)->make(request);
}

Contention on_torus(const Schedule& schedule, const std::vector<Rank>& shape) {
  return measured(schedule, network_of("torus", shape));
}

ExactDeficiencies deficiencies_on(const Shape& shape, std::string_view row) {
  return sure(on_torus(*make(row, {Collective::allreduce, shape, true}), shape).exact);
}

Rational time_on(const Shape& shape, std::string_view row) {
  const ExactDeficiencies found = deficiencies_on(shape, row);
  return found.bandwidth * found.congestion;
}

/// The rank that r sends to at a step, by Swing's rule.
Rank peer_of(Rank r, int step, Rank p) {
  Rank rho = 1;
  for (int s = 0; s < step; ++s) rho = 1 - 2 * rho;
  return ((r % 2 == 0 ? r + rho : r - rho) % p + p) % p;
}

/// In how many ways each rank's data reaches each other: ways[r][q] sequences of the first steps lead from q to r.
std::vector<std::vector<int>> ways_of(Rank p, int steps) {
  const auto n = static_cast<std::size_t>(p);
  std::vector<std::vector<int>> ways(n, std::vector<int>(n));
  for (std::size_t r = 0; r < n; ++r) ways[r][r] = 1;
  for (int step = 0; step < steps; ++step) {
    stop_point();
    const auto before = ways;
    for (Rank r = 0; r < p; ++r) {
      auto& there = ways[static_cast<std::size_t>(peer_of(r, step, p))];
      for (std::size_t q = 0; q < n; ++q) there[q] += before[static_cast<std::size_t>(r)][q];
    }
  }
  return ways;
}

/// Two edge-disjoint Hamiltonian cycles of an r x c torus. All ways of the first cycle are tried; the links that it
/// leaves must be one cycle, too.
class DisjointCycles {
 public:
  DisjointCycles(Rank rows, Rank columns) : way_{0} {
    for (Rank node = 0; node < rows * columns; ++node) {
      const Rank row = node / columns;
      const Rank column = node % columns;
      neighbours_.push_back({row * columns + (column + 1) % columns, row * columns + (column + columns - 1) % columns,
                             (row + 1) % rows * columns + column, (row + rows - 1) % rows * columns + column});
    }
  }

  bool exist() {
    if (way_.size() == neighbours_.size()) return is_neighbour(way_.back(), 0) && rest_is_a_cycle();
    for (const Rank next : neighbours_[static_cast<std::size_t>(way_.back())]) {
      if (std::find(way_.begin(), way_.end(), next) != way_.end()) continue;
      way_.push_back(next);
      if (exist()) return true;
      way_.pop_back();
    }
    return false;
  }

 private:
  bool is_neighbour(Rank a, Rank b) const {
    const auto& of_a = neighbours_[static_cast<std::size_t>(a)];
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

  bool is_on_way(Rank a, Rank b) const {
    const auto at = static_cast<std::size_t>(std::find(way_.begin(), way_.end(), a) - way_.begin());
    const std::size_t n = way_.size();
    return way_[(at + 1) % n] == b || way_[(at + n - 1) % n] == b;
  }

  bool rest_is_a_cycle() const {
    Rank before = -1;
    Rank node = 0;
    std::size_t length = 0;
    do {
      Rank next = -1;
      for (const Rank other : neighbours_[static_cast<std::size_t>(node)])
        if (!is_on_way(node, other) && other != before) next = other;
      if (next < 0) return false;
      before = node;
      node = next;
      ++length;
    } while (node != 0 && length <= neighbours_.size());
    return length == neighbours_.size();
  }

  std::vector<std::vector<Rank>> neighbours_;
  std::vector<Rank> way_;
};

/// A link between neighbours, as a pair of cells.
using Edge = std::pair<Rank, Rank>;

/// The edges of a closed walk; empty if it isn't a Hamiltonian cycle of the rows x columns torus.
std::set<Edge> cycle_of(Rank rows, Rank columns, const std::function<std::pair<Rank, Rank>(Rank)>& cell) {
  const auto is_step = [](Rank a, Rank b, Rank side) { return (a + 1) % side == b || (b + 1) % side == a; };
  std::set<Rank> cells;
  std::set<Edge> edges;
  for (Rank i = 0; i < rows * columns; ++i) {
    const auto [row, column] = cell(i);
    const auto [next_row, next_column] = cell((i + 1) % (rows * columns));
    if (row == next_row ? !is_step(column, next_column, columns)
                        : column != next_column || !is_step(row, next_row, rows))
      return {};
    const Rank here = row * columns + column, there = next_row * columns + next_column;
    cells.insert(here);
    edges.emplace(std::min(here, there), std::max(here, there));
  }
  return cells.size() == static_cast<std::size_t>(rows * columns) ? edges : std::set<Edge>();
}

/// Does the paper's construction (its reference 26) give two edge-disjoint Hamiltonian cycles of that torus? Along the
/// first, a row is walked after another, each beginning one column earlier; the second goes c - 1 rows on, then turns.
bool are_disjoint_cycles(Rank rows, Rank columns) {
  const auto first = cycle_of(rows, columns, [&](Rank i) {
    const Rank turn = i / columns;
    return std::pair{turn % rows, ((i % columns - turn) % columns + columns) % columns};
  });
  const auto second = cycle_of(rows, columns, [&](Rank i) {
    const Rank turn = i / columns;
    return std::pair{(turn * (columns - 1) + i % columns) % rows, turn % columns};
  });
  return !first.empty() && !second.empty() &&
         std::none_of(first.begin(), first.end(), [&](const Edge& edge) { return second.contains(edge); });
}

}  // namespace

Evidence messages_on_links(std::string_view row, const std::vector<std::string>& settings,
                           const std::vector<std::uint64_t>& expected) {
  return search("p = 16, steps 0 to 2", [=]() -> ClaimFinding {
    Request request = on_line(Collective::reduce_scatter, 16);
    for (const std::string& setting : settings)
      request.settings.emplace(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
    const Contention found = on_torus(*make(row, request), {16});
    for (std::size_t s = 0; s < expected.size(); ++s)
      if (found.steps[s].most_messages != expected[s])
        return {.refutation = Refutation{fmt::format("{}, step {}", row, s),
                                         fmt::format("a link carries {} messages", found.steps[s].most_messages)}};
    return {};
  });
}

ClaimFinding fewer_steps_than_log2() {
  ListedSchedule::Builder steps;
  steps.begin_step();
  const Run all{0, 2};
  for (Rank src = 0; src < 3; ++src)
    for (Rank dst = 0; dst < 3; ++dst)
      if (src != dst) steps.add(src, dst, {&all, 1}, Op::reduce);
  const ListedSchedule schedule(Header{.collective = Collective::allreduce, .ranks = 3, .blocks = 3}, std::move(steps));
  if (verify(schedule).verdict != Verdict::pass) return {};
  return {.refutation = Refutation{"p = 3, two ports for each rank",
                                   "one step is enough: each rank sends its vector to both others; 1 < log2 3"}};
}

ClaimFinding figure_4() {
  const auto schedule = make("swing", on_line(Collective::reduce_scatter, 7));
  const std::vector<std::vector<Rank>> expected{{0, 1, 2}, {3, 4}, {5}};
  for (int step = 0; step < 3; ++step) {
    std::vector<Transfer> transfers;
    schedule->transfers(step, transfers);
    std::vector<Rank> receivers;
    for (const Transfer& t : transfers)
      if (t.src == 6) receivers.push_back(t.dst);
    std::sort(receivers.begin(), receivers.end());
    if (receivers != expected[static_cast<std::size_t>(step)])
      return {.refutation = Refutation{fmt::format("p = 7, step {}", step),
                                       fmt::format("rank 6 sends to {}", fmt::join(receivers, ", "))}};
  }
  return {};
}

ClaimFinding figure_6() {
  const auto schedule = make("swing", {Collective::reduce_scatter, {2, 4}, true});
  std::vector<Transfer> transfers;
  schedule->transfers(2, transfers);
  for (const Transfer& t : transfers)
    if (t.src / 4 != t.dst / 4)
      return {.refutation = Refutation{"torus 2x4, step 2", fmt::format("rank {} sends to rank {}", t.src, t.dst)}};
  return {};
}

ClaimFinding congestion_grows() {
  Rational before = 0;
  for (const Rank side : {2, 4, 8, 16, 32, 64}) {
    const Rational congestion = deficiencies_on({side, side}, "swing").congestion;
    if (congestion < before)
      return {.refutation = Refutation{fmt::format("torus {}x{}", side, side),
                                       "the congestion deficiency is less than on the torus before"}};
    before = congestion;
  }
  return {};
}

ClaimFinding is_less_congested_on(std::string_view hammingmesh, std::string_view better, const std::vector<Rank>& sides,
                                  const Rational& torus_times) {
  for (const Rank side : sides) {
    const auto schedule = make("swing", {Collective::allreduce, {side, side}, true});
    const auto congestion_on = [&](std::string_view name) {
      return sure(measured(*schedule, network_of(name, {side, side})).exact).congestion;
    };
    const Rational torus = congestion_on("torus");
    const Rational boards = congestion_on(hammingmesh);
    const Rational least = better.empty() ? 0 : congestion_on(better);
    if (boards >= torus * torus_times || boards <= least)
      return {.refutation =
                  Refutation{fmt::format("{0}x{0} ranks, {1}", side, hammingmesh),
                             fmt::format("the congestion deficiency is {}, on a torus {}{}", boards.str(), torus.str(),
                                         better.empty() ? "" : fmt::format(", on {} {}", better, least.str()))}};
  }
  return {};
}

ClaimFinding equation_3(double factor) {
  for (const std::vector<Rank>& shape : {std::vector<Rank>{2, 4}, {4, 8}, {4, 16}, {2, 2, 4}, {4, 4, 8}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const double measured = swing_second_phase(on_torus(*schedule, shape), shape, schedule->header().blocks);
    const double said = swing_equation_3(shape);
    const double expected = factor == 0 ? said : said * factor * static_cast<double>(shape.size());
    if (std::abs(measured - expected) > measured / 3)
      return {.refutation = Refutation{
                  shape_text(shape), fmt::format("equation (3) gives {:.3f}, the links take {:.3f}", said, measured)}};
  }
  return {};
}

ClaimFinding cycles_beyond_the_condition() {
  if (DisjointCycles(3, 4).exist()) return {};
  return {.refutation = Refutation{"torus 3x4", "it has no two edge-disjoint Hamiltonian cycles"}};
}

ClaimFinding cycles_need_the_condition() {
  for (Rank rows = 2; rows <= 24; ++rows)
    for (Rank columns = 3; columns <= 24; ++columns) {
      const bool is_said = rows % columns == 0 && std::gcd(rows, columns - 1) == 1;
      if (are_disjoint_cycles(rows, columns) != is_said)
        return {.refutation = Refutation{fmt::format("torus {}x{}", rows, columns),
                                         is_said ? "the two walks are not edge-disjoint Hamiltonian cycles"
                                                 : "the two walks are edge-disjoint Hamiltonian cycles"}};
    }
  return {};
}

ClaimFinding fewer_steps_than_ports_allow() {
  for (const Algorithm& row : catalogue())
    for (Rank p = 2; p <= 33; ++p) {
      const Request request = on_line(Collective::allreduce, p);
      if (row.as_printed || refusal(row, request)) continue;
      const Metrics m = verify(*row.make(request)).metrics;
      double reached = 1;
      for (int step = 0; step < m.steps; ++step) reached *= static_cast<double>(m.max_receives_per_rank_step + 1);
      if (reached < p)
        return {.refutation =
                    Refutation{fmt::format("{}, p = {}", row.name, p), fmt::format("it takes {} steps", m.steps)}};
    }
  return {};
}

ClaimFinding at_most_twice_once_in_the_last_step() {
  for (Rank p = 2; p <= 200; p += 2) {
    const int steps = ceil_log2(p);
    const auto before = ways_of(p, steps - 1);
    const auto all = ways_of(p, steps);
    bool is_twice = false;
    for (std::size_t r = 0; r < all.size(); ++r)
      for (std::size_t q = 0; q < all.size(); ++q) {
        is_twice = is_twice || all[r][q] == 2;
        if (all[r][q] < 1 || all[r][q] > 2 || before[r][q] < all[r][q] - 1 || before[r][q] > 1)
          return {.refutation = Refutation{fmt::format("p = {}", p),
                                           fmt::format("rank {} hears of rank {} {} times, {} of them before the last "
                                                       "step",
                                                       r, q, all[r][q], before[r][q])}};
      }
    if (is_twice == is_power_of_two(p))
      return {.refutation =
                  Refutation{fmt::format("p = {}", p), is_twice ? "some ranks hear twice" : "no rank hears twice"}};
  }
  return {};
}

ClaimFinding odd_ranks_collide() {
  for (Rank p = 5; p <= 257; p += 2) {
    bool is_same_parity = false;
    for (int step = 0; step < ceil_log2(p); ++step) {
      std::set<Rank> receivers;
      for (Rank r = 0; r < p; ++r) {
        receivers.insert(peer_of(r, step, p));
        is_same_parity = is_same_parity || (peer_of(r, step, p) - r) % 2 == 0;
      }
      if (receivers.size() == static_cast<std::size_t>(p))
        return {.refutation = Refutation{fmt::format("p = {}, step {}", p, step), "all ranks send to different ranks"}};
    }
    const auto ways = ways_of(p, ceil_log2(p));
    const bool all_reached = std::all_of(ways.begin(), ways.end(),
                                         [](const auto& of) { return std::find(of.begin(), of.end(), 0) == of.end(); });
    if (!is_same_parity || all_reached)
      return {.refutation =
                  Refutation{fmt::format("p = {}", p), all_reached ? "all ranks are reached" : "lemma A.2 holds"}};
  }
  return {};
}

ClaimFinding ports_of_their_own() {
  for (const Shape& shape : {Shape{4, 4}, Shape{8, 8}, Shape{16, 16}, Shape{4, 4, 4}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const Rank side = shape.front();
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule->steps(); ++step) {
      std::set<std::tuple<Rank, Rank, bool>> used;  // rank, distance between neighbours of the dimension, direction
      schedule->transfers(step, transfers);
      for (const Transfer& t : transfers) {
        Rank stride = 1;
        while (t.src / (stride * side) != t.dst / (stride * side)) stride *= side;
        const Rank ahead = (t.dst / stride - t.src / stride + side) % side;
        if (!used.emplace(t.src, stride, 2 * ahead < side).second)
          return {.refutation = Refutation{fmt::format("{}, step {}", shape_text(shape), step),
                                           fmt::format("rank {} sends two messages the same way", t.src)}};
      }
    }
  }
  return {};
}

ClaimFinding remaining(const std::function<Rank(Rank p, Rank power)>& said) {
  for (Rank p = 6; p <= 512; p += 2) {
    Rank power = 2;
    while (2 * power < p) power *= 2;
    std::set<Rank> reached{0};
    Rank rho = 1;
    for (Rank before = 1; 2 * before <= power; before *= 2, rho = 1 - 2 * rho) {
      std::set<Rank> more = reached;
      for (const Rank r : reached) more.insert(((r % 2 == 0 ? r + rho : r - rho) % p + p) % p);
      reached = std::move(more);
    }
    const auto left = p - static_cast<Rank>(reached.size());
    if (left != said(p, power))
      return {.refutation = Refutation{fmt::format("p = {}, p' = {}", p, power),
                                       fmt::format("{} ranks remain, not {}", left, said(p, power))}};
  }
  return {};
}

ClaimFinding between_ring_and_square() {
  for (const auto& [rectangle, square] :
       {std::pair{Shape{2, 8}, Shape{4, 4}}, {{4, 16}, {8, 8}}, {{2, 32}, {8, 8}}, {{8, 32}, {16, 16}}}) {
    const Rank ranks = square[0] * square[1];
    const Rational here = time_on(rectangle, "swing");
    if (here < time_on(square, "swing") || here > time_on({ranks}, "swing"))
      return {.refutation = Refutation{shape_text(rectangle), here.str()}};
  }
  return {};
}

ClaimFinding mirrored_more_congested() {
  for (const Shape& shape : {Shape{8, 8}, Shape{16, 16}, Shape{32, 32}, Shape{8, 8, 8}}) {
    const auto excess = [&](std::string_view mirrored, std::string_view swing) {
      return Rational(deficiencies_on(shape, mirrored).congestion - deficiencies_on(shape, swing).congestion);
    };
    if (excess("mirrored-recursive-doubling", "swing") <= 0)
      return {.refutation = Refutation{shape_text(shape), "the bandwidth-optimized version is not more congested"}};
    const Rational whole_vectors = excess("recursive-doubling", "swing-latency");
    if (shape.front() == 8 ? whole_vectors != 0 : whole_vectors <= 0)
      return {.refutation = Refutation{shape_text(shape), fmt::format("with whole vectors it is more congested by {}",
                                                                      whole_vectors.str())}};
  }
  return {};
}

}  // namespace onceover::papers
