#include "viz/block_trace.h"

#include <algorithm>

namespace onceover::viz {

BlockTrace::BlockTrace(const Schedule& schedule, Block block) : schedule_(schedule), slots_{block} {
  if (schedule.groups() == nullptr) return;
  for (const Block other : schedule.groups()->of(block))
    if (other != block) slots_.push_back(other);
  trace_.set_slots(slots_);
}

const Trace& BlockTrace::before(int end) {
  for (; step_ < end; ++step_) {
    schedule_.transfers(step_, transfers_);
    for (const Transfer& t : transfers_)
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        for (const Block block : slots_)
          if (set.contains(block)) add({cell(block, t.src), cell(block + shift, t.dst)}, t.op);
      });
  }
  return trace_;
}

void BlockTrace::add(BlockTransfer move, Op op) {
  *trace_.room(1) = move;
  trace_.commit(1);
  trace_.end_segment(step_, op);
}

Rank BlockTrace::cell(Block block, Rank rank) const {
  const auto slot = std::find(slots_.begin(), slots_.end(), block) - slots_.begin();
  return static_cast<Rank>(slot) * schedule_.header().ranks + rank;
}

}  // namespace onceover::viz
