// Schedule: a header, and transfers that can be read by step or by block.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/block_set.h"
#include "schedules/types.h"

namespace onceover::schedules {

/// Ranks may have places in a grid, and steps may belong to phases. Either may be missing. No verdict depends on names;
/// they are said beside numbers, which options ask for.
///
/// Example: in a grid of 4 nodes with 8 GPUs each, rank 11 is at (node 1, gpu 3).
struct Names {
  struct Axis {
    std::string name;
    Rank size;  // 1 or more
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  /// The steps from the first one up to the next phase. Without a name, they have none.
  struct Phase {
    std::string name;
    int first;
    friend bool operator==(const Phase&, const Phase&) = default;
  };

  std::vector<Axis> grid = {};     // the last axis is the fastest; the sizes multiply to the number of ranks
  std::vector<Phase> phases = {};  // in the order of their steps

  friend bool operator==(const Names&, const Names&) = default;

  bool empty() const { return grid.empty() && phases.empty(); }

  /// "(node 1, gpu 3)"; empty without a grid, and for a rank that doesn't exist.
  std::string place(Rank rank) const;

  /// Empty if the step is in no phase. O(log phases).
  std::string_view phase(int step) const;

  /// After the word "rank": "11 (node 1, gpu 3)", or just the number.
  std::string rank(Rank rank) const;

  /// After the word "step": "2 (exchange across nodes)", or just the number.
  std::string step(int step) const;
};

/// The names after two of so many steps change places; each takes its phase along.
Names with_swapped_steps(const Names& names, int first, int second, int steps);

/// The purpose of a schedule, and the sizes that its transfers refer to.
struct Header {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;                 // 1 .. max_ranks
  Block blocks = 1;               // promised ones, 1 .. max_blocks
  Block scratch = 0;              // further blocks, numbered from `blocks` on; with the others at most max_blocks
  std::vector<Rank> owners = {};  // one for each block; empty: block mod ranks
  Rank root = 0;                  // rooted collectives only
  std::vector<Rank> shape = {};   // sides of the torus, row-major, the last side fastest; empty: a line
  int lanes = 1;
  std::string algorithm = {};  // empty if it has no name
  Names names = {};            // of ranks and steps

  Rank owner(Block block) const { return owners.empty() ? block % ranks : owners[static_cast<std::size_t>(block)]; }

  /// Promised blocks and scratch: one more than the highest number that a transfer may name.
  Block all_blocks() const { return blocks + scratch; }

  /// The sides of the torus; a line is one side.
  std::vector<Rank> sides() const { return shape.empty() ? std::vector<Rank>{ranks} : shape; }

  /// The rank in whose buffer an alltoall's block starts: block s*ranks + d starts at rank s.
  Rank origin(Block block) const { return block / ranks % ranks; }

  /// The one rank that `holders` names for a block; must not be `everyone`.
  Rank holder(Holders holders, Block block) const;

  bool holds(Holders holders, Rank rank, Block block) const {
    return holders == Holders::everyone || holder(holders, block) == rank;
  }
};

/// Blocks of a message that land in other blocks: block b of `blocks` in block b + shift. If the message's blocks are a
/// product of axes, so are these, and both have the same code.
struct Landing {
  BlockSet blocks;
  Block shift;
};

/// At some step, `src` sends `blocks` to `dst`, which combines them with its own or replaces those. One transfer is one
/// message; if src = dst it stays on the rank and moves values between its blocks.
///
/// Each block lands in the block of the same number, unless there are `landings`. These say where blocks land: each
/// block at least once, no two in one block. A block that lands twice is sent once.
struct Transfer {
  Rank src;
  Rank dst;
  BlockSet blocks;
  Op op;
  int lane;
  const std::vector<Landing>* landings = nullptr;  // as long as the schedule

  bool is_local() const { return src == dst; }

  /// Calls visit(BlockSet, shift) for the sets of blocks that land equally far from their own number.
  template <class Visit>
  void for_each_landing(Visit&& visit) const {
    if (landings == nullptr) return visit(blocks, Block{0});
    for (Landing landing : *landings) {
      landing.blocks.turn_to(blocks.code());
      visit(landing.blocks, landing.shift);
    }
  }

  /// Does a block stay where it is, on its rank? That is a fault.
  bool stays() const {
    bool is_found = false;
    if (is_local()) for_each_landing([&](const BlockSet&, Block shift) { is_found = is_found || shift == 0; });
    return is_found;
  }

  /// Number of blocks that land: more than are sent if some land twice.
  Block landed() const {
    Block count = 0;
    for_each_landing([&](const BlockSet& set, Block) { count += set.size(); });
    return count;
  }
};

/// The move of a value from src to dst, which are cells (see Trace).
struct BlockTransfer {
  Rank src;
  Rank dst;
};

/// All moves of one block's values, in the order of the schedule, divided into segments of one operation. It is a
/// buffer to be filled again and again: it keeps its memory.
///
/// Values move between *cells*. Without scratch a cell is a rank. With it, the values of a block may move through other
/// blocks, its *slots*: slot 0 is the block itself, the others ascend, and cell `slot * ranks + rank` is that block on
/// that rank.
class Trace {
 public:
  /// Moves of one step; or of several steps with one move each and no other, as in a ring.
  struct Segment {
    std::int32_t step;  // the first step
    std::int32_t steps;
    std::uint32_t end;  // one past its last move; it begins where the segment before ends
    Op op;
  };

  void clear();

  /// Room for `count` more moves, to be written from its start; `commit` says how many were written.
  BlockTransfer* room(std::size_t count);
  void commit(std::size_t count) { used_ += count; }

  /// Adds a move to the last segment, or to a new one if that is of another step or operation.
  void add(int step, Op op, BlockTransfer move) {
    *room(1) = move;
    commit(1);
    end_segment(step, op);
  }

  /// The moves from position `begin` on.
  std::span<BlockTransfer> from(std::size_t begin) { return std::span(moves_).subspan(begin, used_ - begin); }

  /// Makes a segment of the moves committed since the last segment, or adds them to that if it is of the same step and
  /// operation. Does nothing if there are none.
  void end_segment(int step, Op op);

  /// Makes a segment of the last `count` moves committed, one for each step from `first_step` on. They must be the only
  /// moves of these steps.
  void end_segment_of_steps(int first_step, Op op, std::size_t count);

  /// The blocks that the moves read and write; empty if it is just the one whose trace this is.
  std::span<const Block> slots() const { return slots_; }
  std::size_t slot_count() const { return slots_.empty() ? 1 : slots_.size(); }
  void set_slots(std::span<const Block> slots) { slots_.assign(slots.begin(), slots.end()); }

  const BlockTransfer* moves() const { return moves_.data(); }
  std::size_t move_count() const { return used_; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// Calls visit(step, op, move) for each move, in order.
  template <class Visit>
  void for_each_move(Visit&& visit) const;

 private:
  std::vector<BlockTransfer> moves_;
  std::size_t used_ = 0;
  std::vector<Segment> segments_;
  std::vector<Block> slots_;
};

inline void Trace::clear() {
  used_ = 0;
  segments_.clear();
  slots_.clear();
}

inline BlockTransfer* Trace::room(std::size_t count) {
  if (moves_.size() < used_ + count) moves_.resize((used_ + count) * 2);
  return moves_.data() + used_;
}

inline void Trace::end_segment(int step, Op op) {
  const auto end = static_cast<std::uint32_t>(used_);
  if (end == (segments_.empty() ? 0 : segments_.back().end)) return;
  if (!segments_.empty() && segments_.back().step == step && segments_.back().op == op)
    segments_.back().end = end;
  else
    segments_.push_back({step, 1, end, op});
}

inline void Trace::end_segment_of_steps(int first_step, Op op, std::size_t count) {
  assert((segments_.empty() ? 0 : segments_.back().end) + count == used_);
  assert(segments_.empty() || segments_.back().step + segments_.back().steps <= first_step);
  segments_.push_back({first_step, static_cast<std::int32_t>(count), static_cast<std::uint32_t>(used_), op});
}

template <class Visit>
void Trace::for_each_move(Visit&& visit) const {
  std::size_t move = 0;
  for (const Segment& segment : segments_) {
    const int on = segment.steps > 1 ? 1 : 0;
    for (int step = segment.step; move != segment.end; ++move, step += on) visit(step, segment.op, moves_[move]);
  }
}

class PatternedSchedule;

/// A schedule that is read as a stream. It offers two views of the same transfers:
/// - by step: what each rank sends, as that rank would run it (`transfers`);
/// - by block: which ranks pass a block on to which (`traces`). Blocks are executed in this view, window by window, in
///   O(ranks) memory.
///
/// In both views a rank receives a block's values within a step in the same order, in which they are added up. Moves to
/// different ranks within a step may be ordered differently in the view by block. A schedule is immutable, so several
/// threads may read it.
class Schedule {
 public:
  explicit Schedule(Header header) : header_(std::move(header)) {}
  virtual ~Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  const Header& header() const { return header_; }

  /// Number of steps, 0 or more.
  virtual int steps() const = 0;

  /// Number of (transfer, landing block) pairs in all steps: the work of executing it. O(transfers) or less.
  virtual std::uint64_t block_transfers() const = 0;

  using TransferVisitor = std::function<void(std::span<const Transfer>)>;

  /// Visits the transfers of `step`, in order, some thousand at a time. They are valid during the visit, their block
  /// sets as long as the schedule.
  virtual void visit_transfers(int step, const TransferVisitor& visit) const = 0;

  /// Replaces `out` with the transfers of `step`, in order.
  void transfers(int step, std::vector<Transfer>& out) const;

  /// Replaces `out` with the messages of `step`, in order: its transfers without those that stay on their rank.
  void messages(int step, std::vector<Transfer>& out) const;

  /// The same schedule as patterns, if that is how it is written; null otherwise.
  virtual const PatternedSchedule* as_patterns() const { return nullptr; }

  /// For each step, the first step with the same messages except for their blocks: as many, between the same ranks,
  /// with the same sizes, operations and lanes, as much of which lands, in the same order. O(steps). This general
  /// version calls no two steps alike.
  virtual std::vector<int> alike() const;

  using TraceVisitor = std::function<void(Block, const Trace&)>;

  /// Visits the trace of each block of `window`, upward. The trace is valid during the visit. This general version
  /// sorts the transfers of all steps by block, a part of the window at a time. Each part takes O(transfers) time, and
  /// 28 bytes for each of its moves: a million, or those of one block. A schedule that can compute a block's senders
  /// overrides it.
  ///
  /// Only promised blocks have traces. That of a block in a larger group has the moves of the whole group.
  virtual void traces(BlockRange window, const TraceVisitor& visit) const;

  /// Does `traces` go through all transfers for each window? Then few large windows take less time than many.
  virtual bool rescans() const { return true; }

  /// The groups of blocks that exchange values; null if each is alone, as always without landings.
  const Groups* groups() const { return groups_.get(); }

  /// Number of blocks in the largest group.
  Block most_slots() const { return groups_ == nullptr ? 1 : groups_->largest(); }

 protected:
  /// Only for constructors.
  void set_groups(Groups&& groups) { groups_ = std::make_unique<const Groups>(std::move(groups)); }

 private:
  Header header_;
  std::unique_ptr<const Groups> groups_;
};

using SchedulePtr = std::shared_ptr<const Schedule>;

}  // namespace onceover::schedules
