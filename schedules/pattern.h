// Pattern: one sentence for all ranks that do the same, relative to themselves. Authors of algorithms write these.
#pragma once

#include <memory>
#include <vector>

#include "schedules/types.h"

namespace onceover::schedules {

/// The indices of an axis: first, first + stride, .., `count` of them.
struct Indices {
  Rank first = 0;
  Rank stride = 1;
  Rank count = 1;

  static Indices range(Rank first, Rank end) { return {first, 1, end - first}; }
  static Indices only(Rank index) { return {index, 1, 1}; }
  static Indices every_second(Rank first, Rank n) { return {first, 2, (n - first + 1) / 2}; }
};

/// A coordinate relative to an index: some places further around the ring, or the same for all.
struct Place {
  bool moves;
  Rank offset;

  static Place by(Rank shift) { return {true, shift}; }
  static Place at(Rank coordinate) { return {false, coordinate}; }
};

/// The blocks that index i sends: those at `offsets` from i around the ring, or one set for all. Offsets are runs, each
/// shorter than the ring, which may begin below 0 and end past the ring.
struct Blocks {
  bool move = true;
  std::vector<Run> offsets = {};

  static Blocks relative(const std::vector<Block>& offsets);
  static Blocks relative_run(Run offsets) { return {true, {offsets}}; }
  static Blocks fixed(const std::vector<Block>& blocks);
  static Blocks all(Block extent) { return {false, {{0, extent - 1}}}; }
};

/// One dimension of a pattern: for every index i of `indices`, coordinate from(i) sends blocks(i) to coordinate to(i).
/// What moves, moves around a ring of `ring` places: i + offset mod ring.
struct Axis {
  Indices indices;
  Rank ring;
  Place from = Place::by(0);
  Place to = Place::by(0);
  Blocks blocks = {};
  Rank extent = 0;     // block coordinates of the dimension; 0: as many as the ring has places
  Rank rank_step = 0;  // ranks from one coordinate to the next; 0: as many as blocks

  /// Are all indices of the ring in it, or every second one, every third one ..? Then turns by the stride take the
  /// indices to each other.
  bool is_turned_onto_itself() const;

  Rank block_extent() const { return extent == 0 ? ring : extent; }

  /// The number of places around which the offsets of blocks are turned.
  Block block_ring() const { return blocks.move ? ring : block_extent(); }

  /// The offsets of the blocks, in 0 .. block_ring()-1, sorted and joined. They must not overlap. O(runs log runs).
  std::vector<Run> settled_offsets() const;
};

/// Do the labels give each of `ranks` seats to another rank? O(ranks).
bool is_permutation(const std::vector<Rank>& labels, Rank ranks);

/// Blocks of a message that land in copy `into` of their own: copy 0 is the block itself, copy k the scratch block of
/// number block + k * blocks.
struct CopyLanding {
  std::vector<Blocks> blocks;  // one for each axis
  int into;
};

/// For every combination of one index from each axis, the rank with coordinates from(i) sends the blocks whose
/// coordinates are all in blocks(i) to the rank with coordinates to(i). Ranks and blocks are row-major; the last axis
/// is the fastest. With `labels`, rank labels[r] takes the seat of rank r: the same pattern with other ranks.
///
/// The ranks send copy `reads` of the blocks. These land in the same copy, unless `lands` says where; each must then
/// land at least once.
struct Pattern {
  std::vector<Axis> axes;
  Op op = Op::reduce;
  int lane = 0;
  std::shared_ptr<const std::vector<Rank>> labels = {};
  int reads = 0;
  std::vector<CopyLanding> lands = {};
};

}  // namespace onceover::schedules
