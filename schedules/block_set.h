// BlockSet: a set of blocks, stored as runs or as a product of ring sets, one for each dimension. Groups: the blocks
// whose values flow into each other.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
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

/// One dimension of a product: the coordinates in the set, relative to the sender's index in this dimension.
struct BlockAxis {
  std::span<const Run> runs;
  Block count;   // coordinates in `runs`
  Block ring;    // what moves, moves around this many places, at most `extent`
  Block extent;  // coordinates of the dimension
  Block stride;  // blocks from one coordinate to the next: the product of the later extents
  bool moves;    // do the runs move with the sender's index?

  RingSet seen_by(Block code) const { return {runs, ring, moves ? code / stride % extent : 0}; }
};

/// A view of a set of blocks, in one of two forms:
/// - fixed runs;
/// - a product of coordinate sets, row-major (the last axis is the fastest), plus `base`. `code` is the sender's index,
///   row-major like the blocks; axes that move are turned to its coordinates. So all ranks of a pattern share one
///   stored set.
///
/// Copying is cheap. The schedule owns the runs and axes, which must outlive the view. Iteration goes upward over
/// maximal runs and allocates nothing.
class BlockSet {
 public:
  BlockSet() = default;

  /// `runs` are sorted, disjoint and don't touch; they hold `size` blocks.
  BlockSet(std::span<const Run> runs, Block size) : runs_(runs), size_(size) {}

  BlockSet(std::span<const BlockAxis> axes, Block size, Block code, Block base)
      : axes_(axes), size_(size), code_(code), base_(base) {}

  /// Number of blocks. O(1).
  Block size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Number of maximal runs. O(axes * log runs).
  std::size_t run_count() const { return size_ == 1 ? 1 : count_runs(); }

  /// An upper bound of the number of maximal runs. O(axes).
  std::size_t run_limit() const;

  /// O(axes * log runs).
  bool contains(Block block) const;

  /// Are all blocks in 0 .. blocks-1? O(1) if the range of the whole product is, else O(runs).
  bool inside(Block blocks) const {
    if (!axes_.empty() && base_ >= 0 && axes_.front().extent * axes_.front().stride <= blocks - base_) return true;
    return runs_inside(blocks);
  }

  /// Calls visit(Run) for each maximal run, upward. O(runs before they are joined).
  template <class Visit>
  void for_each_run(Visit&& visit) const {
    if (axes_.empty())
      for (const Run run : runs_) visit(run);
    else {
      RunJoiner joiner(visit);
      add_product(0, base_, nullptr, joiner);
      joiner.finish();
    }
  }

  /// Replaces `out` with the blocks, in any order. O(blocks), and faster than their runs where these are short.
  void list(std::vector<Block>& out) const;

  /// Is this a product on a torus with exactly these sides, within one lane of `ranks` blocks, each of whose axes
  /// either moves around its whole side with the sender or holds all of it? Then moving `code`, the sender's index,
  /// moves the set equally far. O(axes).
  bool turns_on(std::span<const Rank> sides, Rank ranks) const;
  Block code() const { return code_; }
  void turn_to(Block code) { code_ = code; }

  /// Are the sets equal except for `code`? May be false for equal sets that are stored apart. O(1).
  bool same_but_for_code(const BlockSet& other) const {
    return !axes_.empty() && axes_.data() == other.axes_.data() && axes_.size() == other.axes_.size() &&
           base_ == other.base_;
  }

  /// Number of blocks inside `window`. O(log runs + runs in the window) for fixed runs; else O(runs) of the first axis
  /// and, of the others, for each of its coordinates whose blocks the window meets.
  Block count_in(BlockRange window) const;

  /// Calls visit(Block) for each block inside `window`, upward. O(answers) besides the cost of `count_in`.
  template <class Visit>
  void for_each_block(BlockRange window, Visit&& visit) const;

 private:
  std::size_t count_runs() const;
  bool runs_inside(Block blocks) const;

  template <class Joiner>
  void add_product(std::size_t axis, Block first, const BlockRange* window, Joiner& joiner) const;

  template <class Visit>
  void for_each_run_in(BlockRange window, Visit&& visit) const;

  std::span<const Run> runs_;
  std::span<const BlockAxis> axes_;
  Block size_ = 0;
  Block code_ = 0;
  Block base_ = 0;
};

/// Adds the runs of the axes from `axis` on; `first` is the block at their coordinates 0. Runs that don't meet the
/// window, if one is given, may be left out.
template <class Joiner>
void BlockSet::add_product(std::size_t axis, Block first, const BlockRange* window, Joiner& joiner) const {
  const BlockAxis& here = axes_[axis];
  here.seen_by(code_).for_each_run([&](Run run) {
    if (axis + 1 == axes_.size()) return joiner.add({first + run.first, first + run.last});
    if (window != nullptr)
      run = {std::max(run.first, (window->first - first) / here.stride),
             std::min(run.last, (window->end - 1 - first) / here.stride)};
    for (Block x = run.first; x <= run.last; ++x) add_product(axis + 1, first + x * here.stride, window, joiner);
  });
}

/// Calls visit(Run) for the part of each run inside `window`.
template <class Visit>
void BlockSet::for_each_run_in(BlockRange window, Visit&& visit) const {
  auto clip = [&](Run run) {
    const Run part{std::max(run.first, window.first), std::min(run.last, window.end - 1)};
    if (part.first <= part.last) visit(part);
  };
  if (!axes_.empty()) {
    RunJoiner joiner(clip);
    add_product(0, base_, &window, joiner);
    return joiner.finish();
  }
  auto run = std::partition_point(runs_.begin(), runs_.end(), [&](Run r) { return r.last < window.first; });
  for (; run != runs_.end() && run->first < window.end; ++run) clip(*run);
}

template <class Visit>
void BlockSet::for_each_block(BlockRange window, Visit&& visit) const {
  for_each_run_in(window, [&](Run run) {
    for (Block b = run.first; b <= run.last; ++b) visit(b);
  });
}

/// Divides promised blocks and scratch blocks into groups that exchange no values, so that each group can be executed
/// alone. Usually a group is a promised block and its scratch.
///
/// Scratch that no promised block flows into or out of joins the group of block 0 if a transfer names it: it stays
/// empty, and reading it is a fault of that group. Other scratch has the number of that group, and isn't in it. Memory:
/// 28 bytes a block.
class Groups {
 public:
  /// All blocks apart.
  Groups(Block promised, Block scratch);

  /// Values of one block flow into the other. O(log blocks), amortised. Only before `settle`.
  void join(Block a, Block b);

  /// A transfer names these blocks. Those that are joined needn't be named. Only before `settle`.
  void name(Run run);

  /// Lists the groups. O(blocks log blocks).
  void settle();

  /// The blocks of a block's group, ascending; at least the block itself.
  std::span<const Block> of(Block block) const;

  /// A number for the block's group: 0 .. size()-1, in the order of their lowest blocks.
  std::size_t number(Block block) const { return static_cast<std::size_t>(numbers_[static_cast<std::size_t>(block)]); }
  std::size_t size() const { return begins_.size() - 1; }
  std::span<const Block> group(std::size_t number) const {
    return {members_.data() + begins_[number], begins_[number + 1] - begins_[number]};
  }

  /// Does a group have several promised blocks?
  bool mixes() const { return static_cast<Block>(size()) < promised_; }

  /// How many blocks the largest group has.
  Block largest() const;

 private:
  Block root(Block block);

  Block promised_;
  std::vector<Block> parents_;         // before `settle`: a forest with the groups as trees
  std::vector<std::int32_t> named_;    // before `settle`, by scratch block: runs that begin there less those that end
  std::vector<std::int32_t> numbers_;  // by block
  std::vector<std::size_t> begins_;    // by group, in members_
  std::vector<Block> members_;
};

}  // namespace onceover::schedules
