#include "verifier/rank_runs.h"

namespace onceover {

void RankRuns::mark_used(const Replay& replay) {
  used_.assign(replay.end_of_sums(), false);
  for (Rank r = 0; r < replay.header().ranks; ++r)
    if (replay.must_hold(r)) used_[TermTable::id(replay.value(r))] = true;
  for (std::uint32_t id = replay.end_of_sums(); id-- > replay.first_sum();) {
    if (!used_[id]) continue;
    used_[TermTable::id(replay.terms().first(static_cast<Term>(id)))] = true;
    used_[TermTable::id(replay.terms().second(static_cast<Term>(id)))] = true;
  }
}

void RankRuns::find(const Replay& replay) {
  mark_used(replay);
  runs_.assign(replay.end_of_sums(), {});
  for (Rank r = 0; r < replay.header().ranks; ++r) runs_[TermTable::id(replay.terms().leaf(r))] = {r, r};
  for (std::uint32_t id = replay.first_sum(); id < replay.end_of_sums(); ++id) {
    if (!used_[id]) continue;
    const RankRun a = of(replay.terms().first(static_cast<Term>(id)));
    const RankRun b = of(replay.terms().second(static_cast<Term>(id)));
    if (a.is_just_before(b)) runs_[id] = {a.first, b.last};
    if (b.is_just_before(a)) runs_[id] = {b.first, a.last};
  }
}

}  // namespace onceover
