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
struct Hop {
  Rank src;
  Rank dst;
};

/// All moves of one block, in the order of the schedule, cut into legs of one operation.
/// A buffer to be filled again and again: it keeps its memory.
class Trace {
 public:
  /// Hops of one step; or one hop in each of several steps that have no other, as a ring's.
  struct Leg {
    std::int32_t step;  // the first
    std::int32_t steps;
    std::uint32_t end;  // one past its last hop; it starts where the leg before ends
    Op op;
  };

  void clear();

  /// Room for `count` more hops, to be written from its start; `commit` tells how many were.
  Hop* room(std::size_t count);
  void commit(std::size_t count) { used_ += count; }

  /// The hops from position `begin` on.
  std::span<Hop> from(std::size_t begin) { return std::span(hops_).subspan(begin, used_ - begin); }

  /// The hops committed since the last leg ended become a leg. Nothing happens if there are none.
  void end_leg(int step, Op op);

  /// The last `count` hops committed become a leg of as many steps, from `first_step` on. They must be the only hops of
  /// these.
  void end_leg_of_steps(int first_step, Op op, std::size_t count);

  const Hop* hops() const { return hops_.data(); }
  std::size_t hop_count() const { return used_; }
  const std::vector<Leg>& legs() const { return legs_; }

  /// Calls visit(step, op, hop) for each hop, in order.
  template <class Visit>
  void for_each_hop(Visit&& visit) const;

 private:
  std::vector<Hop> hops_;
  std::size_t used_ = 0;
  std::vector<Leg> legs_;
};

inline void Trace::clear() {
  used_ = 0;
  legs_.clear();
}

inline Hop* Trace::room(std::size_t count) {
  if (hops_.size() < used_ + count) hops_.resize((used_ + count) * 2);
  return hops_.data() + used_;
}

inline void Trace::end_leg(int step, Op op) {
  const auto end = static_cast<std::uint32_t>(used_);
  if (end == (legs_.empty() ? 0 : legs_.back().end)) return;
  if (!legs_.empty() && legs_.back().step == step && legs_.back().op == op)
    legs_.back().end = end;
  else
    legs_.push_back({step, 1, end, op});
}

inline void Trace::end_leg_of_steps(int first_step, Op op, std::size_t count) {
  assert((legs_.empty() ? 0 : legs_.back().end) + count == used_);
  assert(legs_.empty() || legs_.back().step + legs_.back().steps <= first_step);
  legs_.push_back({first_step, static_cast<std::int32_t>(count), static_cast<std::uint32_t>(used_), op});
}

template <class Visit>
void Trace::for_each_hop(Visit&& visit) const {
  std::size_t hop = 0;
  for (const Leg& leg : legs_) {
    const int on = leg.steps > 1 ? 1 : 0;
    for (int step = leg.step; hop != leg.end; ++hop, step += on) visit(step, leg.op, hops_[hop]);
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
  /// for each part, and memory for the hops of a part, a million or those of one block. A schedule that knows who sends
  /// a block does better.
  virtual void traces(BlockRange window, const TraceVisitor& visit) const;

 private:
  Header header_;
};

using SchedulePtr = std::shared_ptr<const Schedule>;

}  // namespace onceover::schedules
