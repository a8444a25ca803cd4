// A schedule written as patterns: one sentence for all ranks that do the same, relative to themselves.
#pragma once

#include <memory>
#include <vector>

#include "schedules/schedule.h"

namespace onceover {

/// The indices first, first + stride, .., `count` of them, that a pattern speaks of.
struct Indices {
  Rank first = 0;
  Rank stride = 1;
  Rank count = 1;

  static Indices range(Rank first, Rank end) { return {first, 1, end - first}; }
  static Indices every_second(Rank first, Rank n) { return {first, 2, (n - first + 1) / 2}; }
};

/// A rank as an index sees it: some places on around the ring, or one and the same for all.
struct Place {
  bool moves;
  Rank offset;

  static Place by(Rank shift) { return {true, shift}; }
  static Place at(Rank rank) { return {false, rank}; }
};

/// Which blocks index i sends: those at `offsets` from i around the ring, or one set for all.
struct Blocks {
  bool move = true;
  std::vector<Block> offsets = {};

  static Blocks relative(std::vector<Block> offsets) { return {true, std::move(offsets)}; }
  static Blocks fixed(std::vector<Block> blocks) { return {false, std::move(blocks)}; }
};

/// For every index i of `indices`: rank from(i) sends blocks(i) to rank to(i).
/// What moves, moves around the ring of `ring` places: i + offset mod ring.
struct Pattern {
  Indices indices;
  Rank ring;
  Place from = Place::by(0);
  Place to;
  Blocks blocks;
  Op op = Op::reduce;
  int lane = 0;
};

/// A schedule of patterns. What an algorithm's author writes is a step's patterns; both views follow from them:
/// the sender's by running through the indices, the block's by solving i + offset = block for i.
/// Memory: about 80 bytes a pattern and 16 an offset, whatever the number of transfers that they stand for.
class PatternedSchedule final : public Schedule {
 public:
  class Builder {
   public:
    /// Starts the next step; patterns added from now on belong to it.
    void begin_step() { steps_.emplace_back(); }
    void add(Pattern pattern);

    /// Appends the time reversal of everything so far: steps backwards, senders and receivers swapped, `copy`.
    /// The reversal of a reduce-scatter is an allgather. (Swing paper, section 3.1.1)
    void append_reversal();

    /// Replaces everything so far by its time reversal.
    void reverse();

   private:
    friend class PatternedSchedule;
    std::vector<std::vector<Pattern>> steps_;
  };

  PatternedSchedule(Header header, Builder&& builder);

  int steps() const override { return static_cast<int>(step_ends_.size()) - 1; }
  std::uint64_t block_transfers() const override { return block_transfers_; }
  void transfers(int step, std::vector<Transfer>& out) const override;
  void traces(BlockRange window, const TraceVisitor& visit) const override;

 private:
  /// A pattern laid out for reading: `runs_` holds its blocks as runs, for the sender's view; `stretches_` holds them
  /// as stretches of equal steps, sorted by residue mod stride, for the block's view.
  struct Laid {
    std::int32_t step;
    Rank first, stride, count;  // indices
    Rank ring;
    Place from, to;
    Block base;  // of the lane
    Op op;
    bool blocks_move;
    bool whole_ring;  // the indices are all those of their residue
    std::uint16_t lane;
    std::uint32_t residues;  // residue k's stretches: residue_ends_[residues + k] .. [residues + k + 1]
  };

  struct Stretch {
    Block first;  // first, first + stride, .., `count` of them
    Block count;
  };

  /// Where a pattern's runs are; kept apart from Laid, which the block's view reads in its inner loop.
  struct RunSpan {
    std::size_t first;
    std::size_t count;
    Block size;
  };

  void lay_out(int step, const Pattern& pattern);
  void lay_out_stretches(const std::vector<Block>& sorted, Rank stride);
  BlockSet blocks_of(std::size_t pattern, Rank index) const;
  void pass_on(const Laid& pattern, Block block, Trace& trace) const;
  void pass_on_fixed(const Laid& pattern, Block x, Trace& trace) const;

  std::vector<Laid> patterns_;          // all steps' patterns, in order
  std::vector<std::size_t> step_ends_;  // step s: patterns step_ends_[s] .. step_ends_[s+1]
  std::vector<RunSpan> spans_;          // by pattern
  std::vector<Run> runs_;
  std::vector<std::uint32_t> residue_ends_;
  std::vector<Stretch> stretches_;
  std::uint64_t block_transfers_ = 0;
};

}  // namespace onceover
