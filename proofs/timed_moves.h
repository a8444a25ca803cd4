// Schedules as moves, a block each.
#pragma once

#include <vector>

#include "schedules/schedule.h"

namespace onceover::proofs {

/// A block that goes from rank to rank.
struct TimedMove {
  int step;
  Rank src;
  Rank dst;
  Block block;
  Op op;
};

/// Does the collective only add up, with time reversed what spreading is? Reduce and reduce-scatter.
bool is_gathering(Collective collective);

/// Does it add up and spread? Allreduce.
bool is_summing(Collective collective);

/// The moves without those whose value is part of no result, the last first.
std::vector<TimedMove> useful(const Header& header, std::vector<TimedMove> moves);

/// The moves as a schedule: all blocks from one rank to another by one operation in a step are a message. Steps in
/// which nothing is sent are left out.
SchedulePtr schedule_of(const Header& header, const std::vector<TimedMove>& moves);

}  // namespace onceover::proofs
