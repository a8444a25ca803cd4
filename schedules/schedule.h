// A schedule of a collective: its header, and its transfers seen by step or by block.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schedules/block_set.h"
#include "schedules/collective.h"
#include "schedules/types.h"

namespace onceover::schedules {

/// What a schedule is for, and the sizes that its transfers refer to.
struct Header {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;                 // 1 .. max_ranks
  Block blocks = 1;               // 1 .. max_blocks
  std::vector<Rank> owners = {};  // one a block; empty: block mod ranks
  Rank root = 0;                  // rooted collectives only
  std::vector<Rank> shape = {};   // sides of the torus, row-major, last fastest; empty: a line
  int lanes = 1;
  std::string algorithm = {};  // empty where nobody named it

  Rank owner(Block block) const { return owners.empty() ? block % ranks : owners[static_cast<std::size_t>(block)]; }

  /// The sides of the torus; a line is one side.
  std::vector<Rank> sides() const { return shape.empty() ? std::vector<Rank>{ranks} : shape; }

  /// The rank in whose buffer the block starts, for alltoall: block s*ranks + d starts at rank s.
  Rank origin(Block block) const { return block / ranks % ranks; }

  /// The one rank that `holders` names for a block; must not be `everyone`.
  Rank holder(Holders holders, Block block) const;

  bool holds(Holders holders, Rank rank, Block block) const {
    return holders == Holders::everyone || holder(holders, block) == rank;
  }
};

/// At some step, `src` sends `blocks` to `dst`, which combines or replaces. One transfer is one message.
struct Transfer {
  Rank src;
  Rank dst;
  BlockSet blocks;
  Op op;
  int lane;
};

/// One block's move from src to dst.
struct BlockTransfer {
  Rank src;
  Rank dst;
};

/// All moves of one block, in the order of the schedule, cut into segments of one operation.
/// A buffer to be filled again and again: it keeps its memory.
class Trace {
 public:
  /// Moves of one step; or one move in each of several steps that have no other, as a ring's.
  struct Segment {
    std::int32_t step;  // the first
    std::int32_t steps;
    std::uint32_t end;  // one past its last move; it starts where the segment before ends
    Op op;
  };

  void clear();

  /// Room for `count` more moves, to be written from its start; `commit` tells how many were.
  BlockTransfer* room(std::size_t count);
  void commit(std::size_t count) { used_ += count; }

  /// The moves from position `begin` on.
  std::span<BlockTransfer> from(std::size_t begin) { return std::span(moves_).subspan(begin, used_ - begin); }

  /// The moves committed since the last segment ended become a segment. Nothing happens if there are none.
  void end_segment(int step, Op op);

  /// The last `count` moves committed become a segment of as many steps, from `first_step` on. They must be the only
  /// moves of these.
  void end_segment_of_steps(int first_step, Op op, std::size_t count);

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
};

inline void Trace::clear() {
  used_ = 0;
  segments_.clear();
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

/// A schedule as something to be streamed. It offers two views of the same transfers:
/// - by step: what each rank sends, as that rank would run it (`transfers`);
/// - by block: who passes a block on to whom (`traces`), which is how it is executed window by window, in
///   O(ranks) memory.
/// In both views what a rank receives of a block in a step comes in the same order, that in which it is added up; in
/// the view by block others of a step may change places. Immutable, so safe to read from several threads.
class Schedule {
 public:
  explicit Schedule(Header header) : header_(std::move(header)) {}
  virtual ~Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  const Header& header() const { return header_; }

  /// Number of steps, 0 or more.
  virtual int steps() const = 0;

  /// Number of (transfer, block) pairs in all steps: the work of executing it. O(transfers) or less.
  virtual std::uint64_t block_transfers() const = 0;

  using TransferVisitor = std::function<void(std::span<const Transfer>)>;

  /// Visits the transfers of `step`, in order, some thousand at a time. They are valid during the visit, their block
  /// sets as long as the schedule.
  virtual void visit_transfers(int step, const TransferVisitor& visit) const = 0;

  /// Replaces `out` by the transfers of `step`, in order.
  void transfers(int step, std::vector<Transfer>& out) const;

  /// For each step the first step whose messages are the same but for the blocks in them: as many, between the same
  /// ranks, of the same sizes, operations and lanes, in the same order. O(steps) where the schedule knows, as here
  /// where it doesn't: then each step is its own.
  virtual std::vector<int> alike() const;

  using TraceVisitor = std::function<void(Block, const Trace&)>;

  /// Visits the trace of each block of `window`, upward. The trace is valid during the visit.
  /// This general version sorts the transfers of all steps by block, a part of the window at a time: O(transfers) time
  /// for each part, and memory for the moves of a part, a million or those of one block. A schedule that knows who
  /// sends a block does better.
  virtual void traces(BlockRange window, const TraceVisitor& visit) const;

 private:
  Header header_;
};

using SchedulePtr = std::shared_ptr<const Schedule>;

}  // namespace onceover::schedules
