// Sets of blocks as runs, and such sets turned around a ring of blocks.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schedules/types.h"

namespace onceover {

/// Sorts runs and joins those that touch. If two of them share a block, returns the first such block and leaves `runs`
/// in an unspecified order. Cost: O(n log n).
std::optional<Block> normalise(std::vector<Run>& runs);

/// A view of a set of blocks: the runs of a stored set, turned by `rotation` around a ring of
/// `modulus` blocks, then moved up by `base`:
///
///     { base + (x + rotation) mod modulus : x in runs }
///
/// So all ranks of a pattern share one stored set ("the blocks 1, 3, 5 places after me"), and a set
/// that doesn't move has rotation 0. Copying is cheap; the runs belong to the schedule and must outlive
/// the view. Iteration goes upward, joins runs that touch across the seam, and allocates nothing.
///
/// Invariant: runs are sorted, disjoint, not touching, inside [0, modulus); 0 <= rotation < modulus.
class BlockSet {
 public:
  BlockSet() = default;
  BlockSet(std::span<const Run> runs, Block size, Block modulus, Block rotation, Block base)
      : runs_(runs), size_(size), modulus_(modulus), rotation_(rotation), base_(base) {}

  /// A set that stays where it is. `size` is the number of blocks in `runs`.
  static BlockSet fixed(std::span<const Run> runs, Block size) { return {runs, size, max_blocks, 0, 0}; }

  /// Number of blocks. O(1).
  Block size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Number of maximal runs. O(log runs).
  std::size_t run_count() const { return size_ == 1 ? 1 : count_runs(); }

  bool contains(Block block) const;

  /// Are all blocks in 0 .. blocks-1? O(1) where the whole ring is, else O(runs).
  bool inside(Block blocks) const { return (base_ >= 0 && modulus_ <= blocks - base_) || runs_inside(blocks); }

  /// Calls visit(Run) for each maximal run, upward. O(runs).
  template <class Visit>
  void for_each_run(Visit&& visit) const;

  /// Calls visit(Block) for each block of the set inside `window`, upward. O(log runs + answers) for a fixed set,
  /// O(runs + answers) for a turned one.
  template <class Visit>
  void for_each_block(BlockRange window, Visit&& visit) const;

 private:
  std::size_t count_runs() const;
  bool runs_inside(Block blocks) const;
  bool stored_contains(Block x) const;
  std::size_t first_run_ending_at_or_after(Block x) const;

  std::span<const Run> runs_;
  Block size_ = 0;
  Block modulus_ = max_blocks;
  Block rotation_ = 0;
  Block base_ = 0;
};

template <class Visit>
void BlockSet::for_each_run(Visit&& visit) const {
  // Upward from block 0 of the ring, the stored set is read from `seam` to its end, then from its start to `seam`.
  const Block seam = rotation_ == 0 ? 0 : modulus_ - rotation_;
  const std::size_t split = first_run_ending_at_or_after(seam);
  Run pending{0, -1};
  auto emit = [&](Block first, Block last, Block shift) {
    const Run run{first + shift, last + shift};
    if (pending.last >= pending.first && pending.last + 1 == run.first) {
      pending.last = run.last;
      return;
    }
    if (pending.last >= pending.first) visit(pending);
    pending = run;
  };
  for (std::size_t k = split; k < runs_.size(); ++k) emit(std::max(runs_[k].first, seam), runs_[k].last, base_ - seam);
  if (seam > 0)
    for (std::size_t k = 0; k < runs_.size() && runs_[k].first < seam; ++k)
      emit(runs_[k].first, std::min(runs_[k].last, seam - 1), base_ + rotation_);
  if (pending.last >= pending.first) visit(pending);
}

template <class Visit>
void BlockSet::for_each_block(BlockRange window, Visit&& visit) const {
  auto clip = [&](Run run) {
    const Block end = std::min(run.last + 1, window.end);
    for (Block b = std::max(run.first, window.first); b < end; ++b) visit(b);
  };
  if (rotation_ != 0) return for_each_run(clip);
  for (std::size_t k = first_run_ending_at_or_after(window.first - base_);
       k < runs_.size() && runs_[k].first + base_ < window.end; ++k)
    clip({runs_[k].first + base_, runs_[k].last + base_});
}

}  // namespace onceover
