// What the harness asks about a call is answered by the code that judges it.

#include <algorithm>

#include "code/runtime/ledger.h"
#include "live/live_call.h"

namespace {

namespace live = onceover::live;

live::LiveCall call_of(const onceover_call* call) {
  const auto all = live::live_collectives();
  const auto kind = static_cast<live::CallKind>(call->kind);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const live::LiveCollective& c) { return c.kind == kind; });
  return {.collective = &*found,
          .in_place = call->in_place != 0,
          .ranks = call->ranks,
          .root = call->root,
          .count = call->count,
          .layout = static_cast<live::Layout>(call->layout)};
}

}  // namespace

size_t onceover_given(const onceover_call* call, int rank) {
  return live::given(call_of(call), rank);
}

size_t onceover_wanted(const onceover_call* call, int rank) {
  return live::wanted(call_of(call), rank);
}

size_t onceover_room(const onceover_call* call, int rank) {
  return live::held_before(call_of(call), rank).size();
}

void onceover_held_before(const onceover_call* call, int rank, int64_t* positions) {
  for (const auto& position : live::held_before(call_of(call), rank)) *positions++ = position ? *position : -1;
}

void onceover_parts(const onceover_call* call, int rank, int is_sent, int* counts, int* begins) {
  const live::LiveCall described = call_of(call);
  if (described.collective->reduces()) {
    for (int r = 0; r < call->ranks; ++r) counts[r] = live::share(described, r);
    return;
  }
  for (const live::Part& part : (is_sent != 0 ? live::sent(described, rank) : live::received(described, rank)).parts) {
    *counts++ = part.count;
    *begins++ = static_cast<int>(part.begin);
  }
}
