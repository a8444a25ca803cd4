// A schedule as a plain list that tests can write down, change at will, and turn into the real thing.
#pragma once

#include <vector>

#include "namespaces.h"
#include "schedules/listed_schedule.h"

namespace onceover::support {

struct PlainTransfer {
  Rank src;
  Rank dst;
  std::vector<Block> blocks;  // ascending, unless there is `into`
  Op op;
  std::vector<Block> into = {};  // where each lands; empty: where it is

  Block landing(std::size_t k) const { return into.empty() ? blocks[k] : into[k]; }
  friend bool operator==(const PlainTransfer&, const PlainTransfer&) = default;
};

struct PlainSchedule {
  Header header;
  std::vector<std::vector<PlainTransfer>> steps;
};

PlainSchedule plain(const Schedule& schedule);
SchedulePtr listed(const PlainSchedule& schedule);

}  // namespace onceover::support
