// PatternedSchedule: a schedule written as patterns. A pattern is one sentence for all ranks that do the same, relative
// to themselves. Authors of algorithms write these.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "schedules/schedule.h"
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

  friend bool operator==(const Indices&, const Indices&) = default;
};

/// A coordinate relative to an index: some places further around the ring, or the same for all.
struct Place {
  bool moves;
  Rank offset;

  static Place by(Rank shift) { return {true, shift}; }
  static Place at(Rank coordinate) { return {false, coordinate}; }

  friend bool operator==(const Place&, const Place&) = default;
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

  friend bool operator==(const Blocks&, const Blocks&) = default;
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

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Do the labels give each of `ranks` seats to another rank? O(ranks).
bool is_permutation(const std::vector<Rank>& labels, Rank ranks);

/// Blocks of a message that land in copy `into` of their own: copy 0 is the block itself, copy k the scratch block of
/// number block + k * blocks.
struct CopyLanding {
  std::vector<Blocks> blocks;  // one for each axis
  int into;

  friend bool operator==(const CopyLanding&, const CopyLanding&) = default;
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

  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// A schedule of patterns. An algorithm's author writes the patterns of each step. Both views follow from them: the
/// view by step runs through the indices, the view by block solves i + offset = block for i, axis by axis. Memory:
/// about 70 bytes an axis of a pattern and up to 12 an offset, however many transfers they stand for.
class PatternedSchedule final : public Schedule {
 public:
  class Builder {
   public:
    /// Starts the next step; patterns added afterwards belong to it.
    void begin_step() { steps_.emplace_back(); }

    /// Adds a pattern to the last step begun, or to an earlier one. A pattern without indices or blocks is dropped.
    void add(Pattern pattern) { add(steps() - 1, std::move(pattern)); }
    void add(int step, Pattern pattern);

    /// A pattern of one axis, on lane 0.
    void add(Axis axis, Op op = Op::reduce);

    /// Appends the steps of another builder.
    void append(Builder&& later);

    int steps() const { return static_cast<int>(steps_.size()); }

    /// Adds empty steps until there are at least this many.
    void extend_to(int steps);

    /// Adds another builder's steps to this one's, first step to first step.
    void merge(Builder&& beside);

    /// Replaces everything so far by its time reversal: the steps backwards, senders and receivers exchanged, with
    /// `op`. Only for patterns that stay in copy 0. The reversal of a reduce-scatter with `copy` is an allgather; that
    /// of a broadcast with `reduce` is a reduce. (Swing paper, section 3.1.1)
    void reverse(Op op = Op::copy);

    /// Lets rank seats[r] take the part of rank r, in everything so far, which has no labels yet.
    void seat(std::vector<Rank> seats);

    /// Appends the time reversal of everything so far, with `copy`.
    void append_reversal();

    /// The same with one step less: the last step so far and the first one of the reversal become one exchange, in
    /// which partners add each other's sums of both their blocks. Only if partners exchange in that step, each sending
    /// the block that the other one owns and no more. (proofs/coq/Merged.v)
    void append_merged_reversal();

   private:
    friend class PatternedSchedule;
    std::vector<std::vector<Pattern>> steps_;
  };

  PatternedSchedule(Header header, Builder&& builder);

  /// The patterns of a step, in order, with everything that they leave to presets filled in: a schedule made of them is
  /// this one. So one algorithm can be made of others. O(patterns, their axes and runs).
  std::vector<Pattern> patterns(int step) const;

  const PatternedSchedule* as_patterns() const override { return this; }
  int steps() const override { return static_cast<int>(step_ends_.size()) - 1; }
  std::uint64_t block_transfers() const override { return block_transfers_; }
  void visit_transfers(int step, const TransferVisitor& visit) const override;
  std::vector<int> alike() const override;
  void traces(BlockRange window, const TraceVisitor& visit) const override;
  bool rescans() const override { return false; }

 private:
  /// What a laid pattern is for: both views; only the view by step, as a message whose blocks land in other copies; or
  /// only the view by block, as one of its landings, which follow it.
  enum class Role : std::uint8_t { whole, message, landing };

  /// A pattern laid out for reading: the part that it doesn't share. Steps of an algorithm mostly differ in little
  /// else.
  struct LaidPattern {
    std::int32_t step;
    std::uint32_t form;      // in forms_
    std::uint32_t residues;  // of its first moving axis, in residue_ends_; those of the others follow
    std::uint32_t blocks;    // of its first axis, in block_axes_
    Op op;
    Role role = Role::whole;
    std::uint8_t reads = 0;  // the copies between which it moves blocks
    std::uint8_t into = 0;
  };

  /// What patterns share: everything except the blocks that they send.
  struct Form {
    std::uint32_t first_axis;
    std::uint32_t axis_count;
    Block block_count;  // the product of the axes' extents
    Block base;         // the lane's first block
    Block size;         // how many blocks of the axes' product are sent
    std::uint16_t lane;
    std::uint16_t labels;  // position in labels_; 0: none
  };

  /// x + ring if x is negative, else x; without a branch, so that the compiler can vectorise loops over it.
  static Rank turned_up(Rank x, Rank ring) { return x + ((x >> 31) & ring); }

  /// Where an index sends from or to, as a rank: some ranks further around the ring, or one rank for every index.
  struct Seat {
    Rank mask;    // of the index: all bits, or none
    Rank offset;  // less the ring
    Rank ring;    // 0: none

    Rank at(Rank index) const { return turned_up((index & mask) + offset, ring); }
  };

  /// An axis laid out for both views. Indices and places are counted in ranks: they are multiples of `rank_stride`.
  struct LaidAxis {
    Rank first, last, gap;  // indices
    Rank ring;
    Seat from, to;
    Rank rank_stride;
    Rank stride;    // of the indices, in places
    Rank residues;  // classes of offsets: as many as the stride, or 1 if it doesn't divide the ring
    Rank ring_places, extent;
    Block block_stride;
    bool blocks_move;
    bool is_whole;  // the indices are all of their residue mod stride

    BlockTransfer move(Rank index) const { return {from.at(index), to.at(index)}; }
    bool has(Rank index) const {
      return index >= first && index <= last && (residues == stride || (index - first) % gap == 0);
    }
  };

  /// The offsets first, first + gap, .., `count` of them, all in 0 .. ring-1. An algorithm that halves has a few
  /// stretches, and some offsets that make none.
  struct Stretch {
    Block first;
    Block gap;
    Block count;

    /// Adds the next stretch if the two make one; false if they don't. Two single offsets always do.
    bool take(Stretch next);
  };

  /// Where the offsets of one residue end. They begin where those of the residue before end.
  struct OffsetsEnd {
    std::uint32_t stretches;
    std::uint32_t single;
  };

  /// Patterns of successive steps, each the only one of its step, that differ only in the single offset that they send,
  /// which drifts. A ring is one.
  struct Series {
    std::uint32_t first;  // in patterns_; one for each step
    std::uint32_t count;
    Rank drift;  // of the offset, in ranks, from one step to the next
  };

  class Reader;
  class Sender;
  class Layout;

  std::vector<std::int64_t> messages_of(int step) const;
  BlockTransfer labelled(const Form& form, BlockTransfer move) const;
  const Form& form_of(const LaidPattern& p) const { return forms_[p.form]; }
  /// The offset, in ranks, of a pattern that has just one.
  Rank one_offset_of(const LaidPattern& p) const { return single_[residue_ends_[p.residues].single]; }
  std::span<const LaidAxis> axes_of(const Form& f) const { return {&axes_[f.first_axis], f.axis_count}; }
  std::span<const BlockAxis> block_axes_of(const LaidPattern& p) const {
    return {&block_axes_[p.blocks], form_of(p).axis_count};
  }

  std::vector<LaidPattern> patterns_;   // all steps' patterns, in order
  std::vector<std::size_t> step_ends_;  // step s: patterns step_ends_[s] .. step_ends_[s+1]
  std::vector<Series> series_;          // all patterns, in order
  std::vector<Form> forms_;             // each form once
  std::vector<LaidAxis> axes_;          // all forms' axes, in order
  std::vector<BlockAxis> block_axes_;   // all patterns' axes, in order, for the view by step; their runs are in runs_
  std::vector<Run> runs_;
  std::vector<OffsetsEnd> residue_ends_;  // residue k's offsets: residue_ends_[k] .. [k + 1]
  std::vector<Stretch> stretches_;        // offsets for the view by block, by residue mod stride, in ranks
  std::vector<Rank> single_;              // offsets in no long stretch
  std::vector<std::shared_ptr<const std::vector<Rank>>> labels_{nullptr};
  std::map<std::uint32_t, std::vector<Landing>> landings_;  // by message, as a position in patterns_
  std::uint64_t block_transfers_ = 0;
};

inline BlockTransfer PatternedSchedule::labelled(const Form& form, BlockTransfer move) const {
  const auto& labels = *labels_[form.labels];
  return {labels[static_cast<std::size_t>(move.src)], labels[static_cast<std::size_t>(move.dst)]};
}

}  // namespace onceover::schedules
