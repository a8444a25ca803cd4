// The table of searches, with those for several papers and those for a class report; the others are beside their
// tables.

#include "papers/searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "optimum/small_schedules.h"
#include "papers/counts.h"
#include "schedules/catalogue.h"
#include "schedules/listed_schedule.h"
#include "schedules/numbers.h"
#include "verifier/blocking.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

/// Two edge-disjoint Hamiltonian cycles of an r x c torus. All ways of the first cycle are tried; the links that it
/// leaves must be one cycle, too.
class DisjointCycles {
 public:
  DisjointCycles(Rank rows, Rank columns) : path_{0} {
    for (Rank node = 0; node < rows * columns; ++node) {
      const Rank row = node / columns;
      const Rank column = node % columns;
      neighbours_.push_back({row * columns + (column + 1) % columns, row * columns + (column + columns - 1) % columns,
                             (row + 1) % rows * columns + column, (row + rows - 1) % rows * columns + column});
    }
  }

  bool exist() {
    if (path_.size() == neighbours_.size()) return is_neighbour(path_.back(), 0) && rest_is_a_cycle();
    for (const Rank next : neighbours_[static_cast<std::size_t>(path_.back())]) {
      if (std::find(path_.begin(), path_.end(), next) != path_.end()) continue;
      path_.push_back(next);
      if (exist()) return true;
      path_.pop_back();
    }
    return false;
  }

 private:
  bool is_neighbour(Rank a, Rank b) const {
    const auto& of_a = neighbours_[static_cast<std::size_t>(a)];
    return std::find(of_a.begin(), of_a.end(), b) != of_a.end();
  }

  bool is_on_path(Rank a, Rank b) const {
    const auto at = static_cast<std::size_t>(std::find(path_.begin(), path_.end(), a) - path_.begin());
    const std::size_t n = path_.size();
    return path_[(at + 1) % n] == b || path_[(at + n - 1) % n] == b;
  }

  bool rest_is_a_cycle() const {
    Rank before = -1;
    Rank node = 0;
    std::size_t length = 0;
    do {
      Rank next = -1;
      for (const Rank other : neighbours_[static_cast<std::size_t>(node)])
        if (!is_on_path(node, other) && other != before) next = other;
      if (next < 0) return false;
      before = node;
      node = next;
      ++length;
    } while (node != 0 && length <= neighbours_.size());
    return length == neighbours_.size();
  }

  std::vector<std::vector<Rank>> neighbours_;
  std::vector<Rank> path_;
};

/// A link between neighbours: the cell that it leaves, and whether it leaves downwards or to the right. So a side of 2
/// has two.
using Edge = std::pair<Rank, bool>;

/// The edges of a closed walk; empty if it isn't a Hamiltonian cycle of the rows x columns torus.
std::set<Edge> cycle_of(Rank rows, Rank columns, const std::function<std::pair<Rank, Rank>(Rank)>& cell) {
  std::set<Rank> cells;
  std::set<Edge> edges;
  for (Rank i = 0; i < rows * columns; ++i) {
    const auto [row, column] = cell(i);
    const auto [next_row, next_column] = cell((i + 1) % (rows * columns));
    const Rank here = row * columns + column, there = next_row * columns + next_column;
    const bool is_down = row != next_row;
    if (is_down && column != next_column) return {};
    const Rank from = is_down ? row : column, to = is_down ? next_row : next_column, side = is_down ? rows : columns;
    if ((from + 1) % side != to && (to + 1) % side != from) return {};
    cells.insert(here);
    edges.emplace((from + 1) % side == to ? here : there, is_down);
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

/// A place on a torus of three dimensions, and the same with its coordinates turned.
using Cube = std::array<Rank, 3>;

Cube turned(Cube place, int by) {
  std::rotate(place.begin(), place.begin() + by, place.end());
  return place;
}

/// A Hamiltonian cycle of a torus with three equal sides that shares no link with those that turning the coordinates
/// makes of it. A turn takes a link to one along another dimension, so of each three such links the cycle may use one.
class TurnedCycle {
 public:
  explicit TurnedCycle(Rank side) : side_(side), path_{Cube{}} {}

  /// All ways are tried; nothing if there is none.
  std::optional<std::vector<Cube>> find() { return extend() ? std::optional(path_) : std::nullopt; }

 private:
  bool extend() {
    const Cube here = path_.back();
    const bool is_last = path_.size() == static_cast<std::size_t>(side_ * side_ * side_);
    for (int d = 0; d < 3; ++d)
      for (const bool forward : {true, false}) {
        Cube next = here;
        Rank& coordinate = next[static_cast<std::size_t>(d)];
        coordinate = (coordinate + (forward ? 1 : side_ - 1)) % side_;
        const bool fits = is_last ? next == path_.front() : std::find(path_.begin(), path_.end(), next) == path_.end();
        const Cube link = turned(forward ? here : next, d);
        if (!fits || !links_.insert(link).second) continue;
        if (is_last) return true;
        path_.push_back(next);
        if (extend()) return true;
        path_.pop_back();
        links_.erase(link);
      }
    return false;
  }

  Rank side_;
  std::vector<Cube> path_;
  std::set<Cube> links_;  // turned to the first dimension
};

/// 3x3x3 has three edge-disjoint Hamiltonian cycles, one for each pair of its six ports.
ClaimFinding no_cycles_in_three_dimensions() {
  const auto cycle = TurnedCycle(3).find();
  if (!cycle) return {};
  std::set<std::set<Cube>> links;
  for (int by = 0; by < 3; ++by)
    for (std::size_t k = 0; k < cycle->size(); ++k)
      links.insert({turned((*cycle)[k], by), turned((*cycle)[(k + 1) % cycle->size()], by)});
  if (links.size() != 81) throw std::logic_error("the cycles share a link");
  std::vector<Rank> ranks;
  for (const auto& [x, y, z] : *cycle) ranks.push_back((x * 3 + y) * 3 + z);
  return {.refutation = Refutation{
              "torus 3x3x3",
              fmt::format("along the cycle {}, and along those that turning its coordinates makes of it, each of the "
                          "81 links is used once",
                          fmt::join(ranks, " "))}};
}

ClaimFinding cycles_in_three_dimensions() {
  if (no_cycles_in_three_dimensions().refutation) return {};
  return {.refutation = Refutation{"torus 3x3x3", "no turned cycle is found"}};
}

/// Does a schedule with fewer steps than log2 p exist? Three ranks, each of which sends all to both others.
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

/// 3x4 has two such cycles, though 4 does not divide 3.
ClaimFinding cycles_beyond_the_condition() {
  if (DisjointCycles(3, 4).exist()) return {};
  return {.refutation = Refutation{"torus 3x4", "it has no two edge-disjoint Hamiltonian cycles"}};
}

/// The paper's construction gives two edge-disjoint Hamiltonian cycles of an r x c torus, c >= 2, if and only if c
/// divides r and gcd(r, c-1) = 1.
ClaimFinding cycles_need_the_condition() {
  for (Rank rows = 2; rows <= 24; ++rows)
    for (Rank columns = 2; columns <= 24; ++columns) {
      const bool is_said = rows % columns == 0 && std::gcd(rows, columns - 1) == 1;
      if (are_disjoint_cycles(rows, columns) != is_said)
        return {.refutation = Refutation{fmt::format("torus {}x{}", rows, columns),
                                         is_said ? "the two walks are not edge-disjoint Hamiltonian cycles"
                                                 : "the two walks are edge-disjoint Hamiltonian cycles"}};
    }
  return {};
}

/// No schedule of the catalogue takes fewer steps than log_(k+1) p, where a rank receives k messages in a step.
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

// Lower bounds over all schedules of a few ranks, as Z3 finds them. Each bound has a control: with one more, some
// schedule does it. If Z3 finds none then, the bound says nothing, and the search is undecided.

using optimum::SmallSchedules;
using proofs::Answer;
using proofs::Reply;

/// A bound of `least`: what the schedules are with a limit of `most`.
ClaimFinding bound(const std::string& where, int least, const std::function<SmallSchedules(int most)>& limited) {
  const Reply fewer = ask_small(limited(least - 1));
  if (fewer.answer == Answer::unknown) return {.unknown = fmt::format("{}: {}", where, fewer.reason)};
  if (fewer.answer == Answer::satisfiable) {
    std::string found;
    for (const auto& sent : fewer.model) found += (found.empty() ? "" : "; ") + sent.first;
    return {.refutation = Refutation{where, fmt::format("{} are enough: {}", least - 1, found)}};
  }
  const Reply control = ask_small(limited(least));
  if (control.answer == Answer::satisfiable) return {};
  return {.unknown = fmt::format("{}: Z3 finds no schedule with {} either", where, least)};
}

constexpr std::array collectives{Collective::reduce_scatter, Collective::allgather, Collective::allreduce};

/// At least ceil(log_(k+1) p) steps with k ports.
ClaimFinding fewest_steps() {
  for (const Collective collective : collectives)
    for (int p = 2; p <= 5; ++p)
      for (int ports = 1; ports <= 3; ++ports) {
        int least = 0;
        for (int reached = 1; reached < p; reached *= ports + 1) ++least;
        const auto where = fmt::format("{}, p = {}, {} port{}", name(collective), p, ports, ports == 1 ? "" : "s");
        ClaimFinding found = bound(where, least, [&](int steps) {
          return SmallSchedules{.collective = collective, .ranks = p, .steps = steps, .ports = ports};
        });
        if (found.refutation || !found.unknown.empty()) return found;
      }
  return {};
}

/// Each rank sends at least p-1 blocks of a reduce-scatter, and receives as many of an allgather.
ClaimFinding fewest_blocks() {
  for (const bool sends : {true, false})
    for (int p = 2; p <= 5; ++p) {
      ClaimFinding found =
          bound(fmt::format("blocks that a rank {}, p = {}", sends ? "sends" : "receives", p), p - 1, [&](int most) {
            SmallSchedules all{
                .collective = sends ? Collective::reduce_scatter : Collective::allgather, .ranks = p, .steps = p};
            (sends ? all.blocks_sent : all.blocks_received) = most;
            return all;
          });
      if (found.refutation || !found.unknown.empty()) return found;
    }
  return {};
}

std::vector<NamedEvidence> searches_for_several() {
  return {
      {"fewest-messages-reduce", fewest_messages(Collective::reduce, 1)},
      {"fewest-messages-broadcast", fewest_messages(Collective::broadcast, 1)},
      {"fewest-messages-allreduce", fewest_messages(Collective::allreduce, 2)},
      {"fewer-steps-than-log2", search("p = 3", fewer_steps_than_log2)},
      {"fewer-steps-than-ports-allow", search("the whole catalogue, p = 2..33", fewer_steps_than_ports_allow)},
      {"cycles-need-the-condition", search("tori 2x2 to 24x24", cycles_need_the_condition)},
      {"cycles-beyond-the-condition", search("torus 3x4", cycles_beyond_the_condition)},
      {"no-cycles-in-three-dimensions", search("torus 3x3x3", no_cycles_in_three_dimensions)},
      {"cycles-in-three-dimensions", search("torus 3x3x3", cycles_in_three_dimensions)},
      {"fewest-steps", search("all schedules of 2 to 5 ranks with 1 to 3 ports, by Z3", fewest_steps)},
      {"fewest-blocks", search("all schedules of p = 2..5 ranks and p steps, by Z3", fewest_blocks)},
  };
}

// Searches for the claims of a class report: Poduval and Kumar on ring and recursive halving/doubling allreduce.

BlockingRun ring_as(CallOrder order, Rank ranks) {
  return run_blocking(*find_algorithm("ring")->make(on_line(Collective::allreduce, ranks)), order);
}

/// The listing's order, in which even ranks send first, ends for every p.
ClaimFinding even_odd_ends() {
  for (Rank p = 2; p <= 64; ++p)
    if (!ring_as(CallOrder::even_odd, p).ends())
      return {.refutation = Refutation{fmt::format("p = {}", p), "it deadlocks"}};
  return {};
}

/// Two turns for each of the 2 (p-1) exchanges, or more, for p from `first` on in steps of `by`.
ClaimFinding two_turns(Rank first, Rank by, bool takes_more = false) {
  for (Rank p = first; p <= 64; p += by) {
    const std::uint64_t turns = ring_as(CallOrder::even_odd, p).rounds;
    const auto expected = static_cast<std::uint64_t>(4 * (p - 1));
    if (takes_more ? turns <= expected : turns != expected)
      return {.refutation =
                  Refutation{fmt::format("p = {}", p),
                             fmt::format("{} turns, not {}{}", turns, takes_more ? "more than " : "", expected),
                             fmt::format("verify --algo ring --p {} --blocking even-odd", p)}};
  }
  return {};
}

ClaimFinding all_send_first_deadlocks() {
  for (Rank p = 2; p <= 64; ++p)
    if (ring_as(CallOrder::all_send_first, p).ends())
      return {.refutation = Refutation{fmt::format("p = {}", p), "it ends"}};
  return {};
}

std::vector<NamedEvidence> report_searches() {
  return {
      {"ring-even-odd-ends", search("p = 2..64", even_odd_ends)},
      {"ring-all-send-first-deadlocks", search("p = 2..64", all_send_first_deadlocks)},
      {"ring-two-turns", search("p = 2..64", [] { return two_turns(2, 1); })},
      {"ring-two-turns-for-even-p", search("even p = 2..64", [] { return two_turns(2, 2); })},
      {"ring-more-turns-for-odd-p", search("odd p = 3..63", [] { return two_turns(3, 2, true); })},
  };
}

}  // namespace

const std::vector<NamedEvidence>& named_evidence() {
  static const std::vector<NamedEvidence> all = [] {
    std::vector<NamedEvidence> joined;
    for (const auto part : {searches_for_several, swing_searches, swing_orders, swing_gains, swing_evaluation,
                            swing_discussion, bucket_searches, generalized_searches, pat_searches, report_searches})
      for (NamedEvidence& row : part()) joined.push_back(std::move(row));
    return joined;
  }();
  return all;
}

}  // namespace onceover::papers
