// RingSet: a set of places on a ring, stored once and turned to each rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schedules/types.h"

namespace onceover::schedules {

/// Sorts runs and joins those that touch. If two of them share a block, returns the first such block and leaves `runs`
/// in an unspecified order. O(n log n).
std::optional<Block> normalise(std::vector<Run>& runs);

/// A view of the set { (x + rotation) mod ring : x in runs }: "the places 1, 3 and 5 after me", stored once for all.
/// Iteration goes upward, joins runs that touch across the seam, and allocates nothing.
///
/// Invariant: runs are sorted, disjoint, not touching, inside [0, ring); 0 <= rotation < ring.
class RingSet {
 public:
  RingSet(std::span<const Run> runs, Block ring, Block rotation) : runs_(runs), ring_(ring), rotation_(rotation) {}

  /// Number of maximal runs. O(log runs).
  std::size_t run_count() const;

  /// O(log runs).
  bool contains(Block place) const;

  /// Calls visit(Run) for each maximal run, upward. O(runs).
  template <class Visit>
  void for_each_run(Visit&& visit) const;

 private:
  bool stored_contains(Block x) const;
  std::size_t first_run_ending_at_or_after(Block x) const;

  std::span<const Run> runs_;
  Block ring_;
  Block rotation_;
};

/// Takes runs in ascending order and passes on the maximal ones.
template <class Visit>
class RunJoiner {
 public:
  explicit RunJoiner(Visit& visit) : visit_(visit) {}

  void add(Run run) {
    if (has_run_ && run_.last + 1 == run.first) {
      run_.last = run.last;
      return;
    }
    if (has_run_) visit_(run_);
    run_ = run;
    has_run_ = true;
  }

  /// Call this after the last run.
  void finish() {
    if (has_run_) visit_(run_);
  }

 private:
  Visit& visit_;
  Run run_{};
  bool has_run_ = false;
};

template <class Visit>
void RingSet::for_each_run(Visit&& visit) const {
  RunJoiner joiner(visit);
  // Upward from place 0, the stored set is read from `seam` to its end, then from its start to `seam`.
  const Block seam = rotation_ == 0 ? 0 : ring_ - rotation_;
  for (std::size_t k = first_run_ending_at_or_after(seam); k < runs_.size(); ++k)
    joiner.add({std::max(runs_[k].first, seam) - seam, runs_[k].last - seam});
  for (std::size_t k = 0; k < runs_.size() && runs_[k].first < seam; ++k)
    joiner.add({runs_[k].first + rotation_, std::min(runs_[k].last, seam - 1) + rotation_});
  joiner.finish();
}

}  // namespace onceover::schedules
