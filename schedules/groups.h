// Groups: which blocks' values flow into each other, in a schedule with scratch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/types.h"

namespace onceover::schedules {

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
