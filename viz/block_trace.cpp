#include "viz/block_trace.h"

namespace onceover::viz {

const Trace& BlockTrace::before(int end) {
  for (; step_ < end; ++step_) {
    schedule_.transfers(step_, transfers_);
    for (const Transfer& t : transfers_) {
      if (!t.blocks.contains(block_)) continue;
      BlockTransfer* move = trace_.room(1);
      *move = {t.src, t.dst};
      trace_.commit(1);
      trace_.end_segment(step_, t.op);
    }
  }
  return trace_;
}

}  // namespace onceover::viz
