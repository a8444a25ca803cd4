// The functions of Spread.v, by the names that they have in Coq; read them side by side.
//
// Example: p = 6. Runs of 1 rank are held by 1 each, those of 2 by 2, those of 4 by 3, and the run of all by 6. When
// runs of 2 become runs of 4, ranks 0 and 1 take from 2 and 3, rank 2 takes from 0, and rank 3 is spare: it takes a
// copy from 4.
//
// A step takes O(p) time, and memory until the schedule is no longer needed.

#include <algorithm>
#include <memory>

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

using Ranks = std::vector<Rank>;
using Runs = std::vector<Ranks>;
using Given = std::vector<std::optional<Source>>;  // by taker

/// Spread.v: up
std::int64_t up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Spread.v: holders
std::int64_t holders(Rank p, int s) {
  return up(p, power(log2_up(p) - s));
}

/// Spread.v: doubled
Runs doubled(std::size_t need, const Ranks& free, const Runs& runs) {
  Runs all;
  for (std::size_t j = 0; j < runs.size(); j += 2) {
    Ranks run = runs[j];
    const Ranks& more = j + 1 < runs.size() ? runs[j + 1] : free;
    const std::size_t taken = std::min(need - run.size(), more.size());
    run.insert(run.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(taken));
    all.push_back(std::move(run));
  }
  return all;
}

/// Spread.v: spare
Ranks spare(Rank p, std::size_t need, const Runs& runs) {
  std::vector<char> is_kept(at(p));
  for (const Ranks& run : doubled(need, {}, runs))
    for (const Rank r : run) is_kept[at(r)] = 1;
  Ranks free;
  for (Rank r = 0; r < p; ++r)
    if (is_kept[at(r)] == 0) free.push_back(r);
  return free;
}

/// Spread.v: giving
void give(Given& given, Op op, const Ranks& takers, const Ranks& givers, std::size_t most) {
  for (std::size_t i = 0; i < std::min({takers.size(), givers.size(), most}); ++i)
    given[at(takers[i])] = Source{givers[i], false, op};
}

/// Spread.v: takes
Given takes(Rank p, std::size_t need, const Ranks& free, const Runs& runs) {
  Given given(at(p));
  for (std::size_t j = 0; j < runs.size(); j += 2) {
    const std::size_t more = need - runs[j].size();
    if (j + 1 == runs.size()) {
      give(given, Op::copy, free, runs[j], more);
      continue;
    }
    give(given, Op::reduce, runs[j], runs[j + 1], need);
    give(given, Op::reduce, runs[j + 1], runs[j], more);
  }
  return given;
}

}  // namespace

// Spread.v: room
bool has_room_to_spread(Rank p) {
  for (int s = 0; s <= log2_up(p); ++s)
    if (up(p, power(s)) * holders(p, s) > p) return false;
  return true;
}

// Spread.v: runs_at, spread_pull, spreading
RoutedSchedule spread_vectors(Rank p) {
  RoutedSchedule schedule{p, 1};
  Runs runs;
  for (Rank r = 0; r < p; ++r) runs.push_back({r});
  for (int s = 0; s < log2_up(p); ++s) {
    const auto need = static_cast<std::size_t>(holders(p, s + 1));
    const Ranks free = spare(p, need, runs);
    const auto given = std::make_shared<const Given>(takes(p, need, free, runs));
    schedule.takings.steps.push_back(
        [given](Rank x, Block, bool is_copy) { return is_copy ? std::nullopt : (*given)[at(x)]; });
    runs = doubled(need, free, runs);
  }
  return schedule;
}

}  // namespace onceover::proofs
