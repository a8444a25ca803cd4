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

/// A stored set of blocks that patterns share: offsets around a ring of `modulus` blocks.
/// Keeps the runs for the sender's view and, for a pattern of every `stride`-th index, the offsets by residue
/// for the block's view. Memory: 8 bytes a run and 8 bytes a stretch of equal steps.
class OffsetSet {
 public:
  /// `offsets` may be negative or past the modulus, and are taken around the ring. `stride` divides `modulus`.
  OffsetSet(std::vector<Block> offsets, Block modulus, Rank stride);

  struct Stretch {
    Block first;  // first, first + stride, .., `count` of them
    Block count;
  };

  std::span<const Run> runs() const { return runs_; }
  Block size() const { return size_; }
  const std::vector<Stretch>& of_residue(Rank residue) const { return stretches_[static_cast<std::size_t>(residue)]; }

 private:
  std::vector<Run> runs_;
  std::vector<std::vector<Stretch>> stretches_;
  Block size_ = 0;
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
/// Memory: O(patterns + offsets), independent of the transfers that they stand for.
class PatternedSchedule final : public Schedule {
 public:
  class Builder {
   public:
    /// Starts the next step; patterns added from now on belong to it.
    void begin_step() { steps_.emplace_back(); }
    void add(Pattern pattern);

    int steps() const { return static_cast<int>(steps_.size()); }

    /// Appends the time reversal of everything so far: steps backwards, senders and receivers swapped, `copy`.
    /// The reversal of a reduce-scatter is an allgather. (Swing paper, section 3.1.1)
    void append_reversal();

    /// Replaces everything so far by its time reversal.
    void reverse();

   private:
    friend class PatternedSchedule;
    struct Stored {
      Indices indices;
      Rank ring;
      Place from;
      Place to;
      bool blocks_move;
      std::shared_ptr<const OffsetSet> blocks;
      Op op;
      int lane;
    };
    using Step = std::vector<Stored>;
    static Step reversal(const Step& step);

    std::vector<Step> steps_;
  };

  PatternedSchedule(Header header, Builder&& builder);

  int steps() const override { return static_cast<int>(steps_.size()); }
  std::uint64_t block_transfers() const override;
  void transfers(int step, std::vector<Transfer>& out) const override;
  void traces(BlockRange window, const TraceVisitor& visit) const override;

 private:
  using Stored = Builder::Stored;
  Block lane_base(const Stored& pattern) const;
  void pass_on(const Stored& pattern, Block block, Trace& trace) const;

  std::vector<Builder::Step> steps_;
};

}  // namespace onceover
