// A schedule written as patterns.
#pragma once

#include <memory>
#include <vector>

#include "schedules/pattern.h"
#include "schedules/schedule.h"

namespace onceover::schedules {

/// A schedule of patterns. What an algorithm's author writes is a step's patterns; both views follow from them:
/// the sender's by running through the indices, the block's by solving i + offset = block for i, axis by axis.
/// Memory: about 70 bytes an axis of a pattern and up to 12 an offset, whatever the number of transfers that they stand
/// for.
class PatternedSchedule final : public Schedule {
 public:
  class Builder {
   public:
    /// Starts the next step; patterns added from now on belong to it.
    void begin_step() { steps_.emplace_back(); }

    /// Adds a pattern to the last step begun, or to an earlier one. Patterns of no indices or no blocks vanish.
    void add(Pattern pattern) { add(steps() - 1, std::move(pattern)); }
    void add(int step, Pattern pattern);

    /// A pattern of one axis, on lane 0.
    void add(Axis axis, Op op = Op::reduce);

    /// Appends the steps of another builder.
    void append(Builder&& later);

    int steps() const { return static_cast<int>(steps_.size()); }

    /// Makes sure that there are at least so many steps.
    void extend_to(int steps);

    /// Runs another builder's steps beside this one's, from the first step on.
    void merge(Builder&& beside);

    /// Replaces everything so far by its time reversal: steps backwards, senders and receivers swapped, with `op`.
    /// The reversal of a reduce-scatter with `copy` is an allgather, that of a broadcast with `reduce` a reduce.
    /// (Swing paper, section 3.1.1)
    void reverse(Op op = Op::copy);

    /// Appends the time reversal of everything so far, with `copy`.
    void append_reversal();

   private:
    friend class PatternedSchedule;
    std::vector<std::vector<Pattern>> steps_;
  };

  PatternedSchedule(Header header, Builder&& builder);

  int steps() const override { return static_cast<int>(step_ends_.size()) - 1; }
  std::uint64_t block_transfers() const override { return block_transfers_; }
  void visit_transfers(int step, const TransferVisitor& visit) const override;
  std::vector<int> alike() const override;
  void traces(BlockRange window, const TraceVisitor& visit) const override;

 private:
  /// A pattern laid out for reading: what it has of its own. Steps of an algorithm mostly differ in little else.
  struct LaidPattern {
    std::int32_t step;
    std::uint32_t form;      // in forms_
    std::uint32_t residues;  // of its first axis that moves, in residue_ends_; those of the others follow
    std::uint32_t blocks;    // of its first axis, in block_axes_
    Op op;
  };

  /// What patterns share: all but the blocks that they send.
  struct Form {
    std::uint32_t first_axis;
    std::uint32_t axis_count;
    Block block_count;  // of the axes' extents
    Block base;         // of the lane
    Block size;         // blocks of the axes' product
    std::uint16_t lane;
    std::uint16_t labels;  // in labels_; 0: none
  };

  /// x + ring where x is negative. Without a choice, so that loops over it become vectors.
  static Rank turned_up(Rank x, Rank ring) { return x + ((x >> 31) & ring); }

  /// Where an index is, in ranks: some ranks on around the ring, or at one place whatever the index.
  struct Seat {
    Rank mask;    // of the index: all bits or none
    Rank offset;  // less the ring
    Rank ring;    // 0: none

    Rank at(Rank index) const { return turned_up((index & mask) + offset, ring); }
  };

  /// An axis laid out for both views. Indices and places are counted in ranks, in multiples of `rank_stride`.
  struct LaidAxis {
    Rank first, last, gap;  // indices
    Rank ring;
    Seat from, to;
    Rank rank_stride;
    Rank stride;  // of the indices, in places
    Rank ring_places, extent;
    Block block_stride;
    bool blocks_move;
    bool is_whole;  // the indices are all of their residue mod stride

    BlockTransfer move(Rank index) const { return {from.at(index), to.at(index)}; }
  };

  /// first, first + gap, .., `count` of them, all below the ring and none below 0. The offsets of an algorithm that
  /// halves are a few of these, and some that make no stretch.
  struct Stretch {
    Block first;
    Block gap;
    Block count;

    /// Adds what follows, if the two are one stretch; two of one offset each always are, and none with any.
    bool take(Stretch next);
  };

  /// Where the offsets of one residue end, those before ending where it begins.
  struct OffsetsEnd {
    std::uint32_t stretches;
    std::uint32_t single;
  };

  /// Patterns of steps one after the other, alone in them, that differ only in the one offset that they send, which
  /// drifts: a ring.
  struct Series {
    std::uint32_t first;  // in patterns_; a step's each
    std::uint32_t count;
    Rank drift;  // of the offset, in ranks, from one step to the next
  };

  class Reader;
  class Sender;
  class Layout;

  std::vector<std::int64_t> messages_of(int step) const;
  BlockTransfer labelled(const Form& form, BlockTransfer move) const;
  const Form& form_of(const LaidPattern& p) const { return forms_[p.form]; }
  /// In ranks, of a pattern that has just one.
  Rank one_offset_of(const LaidPattern& p) const { return single_[residue_ends_[p.residues].single]; }
  std::span<const LaidAxis> axes_of(const Form& f) const { return {&axes_[f.first_axis], f.axis_count}; }
  std::span<const BlockAxis> block_axes_of(const LaidPattern& p) const {
    return {&block_axes_[p.blocks], form_of(p).axis_count};
  }

  std::vector<LaidPattern> patterns_;   // all steps' patterns, in order
  std::vector<std::size_t> step_ends_;  // step s: patterns step_ends_[s] .. step_ends_[s+1]
  std::vector<Series> series_;          // all patterns, in order
  std::vector<Form> forms_;             // each once
  std::vector<LaidAxis> axes_;          // all forms' axes, in order
  std::vector<BlockAxis> block_axes_;   // all patterns' axes, in order, for the sender's view; the runs are in runs_
  std::vector<Run> runs_;
  std::vector<OffsetsEnd> residue_ends_;  // residue k's offsets: residue_ends_[k] .. [k + 1]
  std::vector<Stretch> stretches_;        // offsets for the block's view, by residue mod stride, in ranks
  std::vector<Rank> single_;              // those in no long stretch
  std::vector<std::shared_ptr<const std::vector<Rank>>> labels_{nullptr};
  std::uint64_t block_transfers_ = 0;
};

inline BlockTransfer PatternedSchedule::labelled(const Form& form, BlockTransfer move) const {
  const auto& labels = *labels_[form.labels];
  return {labels[static_cast<std::size_t>(move.src)], labels[static_cast<std::size_t>(move.dst)]};
}

}  // namespace onceover::schedules
