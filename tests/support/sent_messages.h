// What is sent in a step, without the names of blocks: what ranks that send alike are compared by.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "namespaces.h"
#include "schedules/schedule.h"

namespace onceover::support {

/// Sender, receiver, operation, lane, and how many blocks.
using SentMessage = std::tuple<Rank, Rank, Op, int, Block>;

/// Those of a step, sorted.
inline std::vector<SentMessage> sent_in(const Schedule& schedule, int step) {
  std::vector<SentMessage> all;
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  for (const Transfer& t : transfers) all.emplace_back(t.src, t.dst, t.op, t.lane, t.blocks.size());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace onceover::support
