// MessageTimes: when the messages of a picture are under way.
#pragma once

#include <map>
#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// Times in ns from the beginning of the schedule.
struct MessageTimes {
  struct Span {
    double sent, arrived;
  };
  std::vector<Span> spans;          // of each message of a selection
  std::map<int, double> step_ends;  // of all steps, if ranks wait after each
  double begin = 0;                 // of the steps shown
  double end = 0;
  double all = 0;  // of the whole schedule
};

/// The times that `cost` adds up (network/cost.h, network/simulation.h), by `options.clock` on `options.network`, which
/// must be there. The selection is of the schedule and these options.
Drawn<MessageTimes> times_of(const Schedule& schedule, const DrawOptions& options, const Selection& selection);

}  // namespace onceover::viz
