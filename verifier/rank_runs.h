// Which neighbouring ranks a term adds up.
#pragma once

#include <vector>

#include "verifier/replay.h"

namespace onceover {

/// Ranks first .. last, or no run at all.
struct RankRun {
  Rank first = -1;
  Rank last = -1;

  bool is_run() const { return first >= 0; }
  bool is_just_before(RankRun other) const { return is_run() && other.is_run() && last + 1 == other.first; }
};

/// The run of ranks of each term that is part of a result: a leaf is a run of one, and a sum of two neighbouring runs
/// is a run. A buffer to be filled again and again. Memory: 9 bytes a term.
class RankRuns {
 public:
  /// Of the block that was replayed last. O(terms).
  void find(const Replay& replay);

  /// Is the term part of what a rank must hold at the end?
  bool is_used(Term term) const { return used_[TermTable::id(term)]; }

  /// No run for sums that aren't used.
  RankRun of(Term term) const { return runs_[TermTable::id(term)]; }

 private:
  void mark_used(const Replay& replay);

  std::vector<bool> used_;
  std::vector<RankRun> runs_;
};

}  // namespace onceover
