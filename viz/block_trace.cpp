#include "viz/block_trace.h"

namespace onceover {

Trace trace_of(const Schedule& schedule, Block block, int end) {
  Trace trace;
  std::vector<Transfer> transfers;
  for (int step = 0; step < end; ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) {
      if (!t.blocks.contains(block)) continue;
      Hop* hop = trace.room(1);
      *hop = {t.src, t.dst};
      trace.commit_to(hop + 1);
      trace.end_leg(step, t.op);
    }
  }
  return trace;
}

}  // namespace onceover
