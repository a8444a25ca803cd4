// time: when each message leaves and arrives, with ranks across. Steps go down one by one or, if it is known how long
// messages take, time does.

#include "base/try.h"
#include "viz/space_time.h"
#include "viz/time_chart.h"

namespace onceover::viz {

namespace {

Drawn<std::string> draw_time(const Schedule& schedule, const DrawOptions& options) {
  TRY(check_row(schedule, options));
  if (options.clock) return draw_space_time(schedule, options);
  const auto selection = TRY(select(schedule, options));
  return draw_time_chart(schedule.header(), selection, options);
}

}  // namespace

const View time_view{
    .name = "time",
    .summary = "ranks across, steps down (with --bytes: time, to scale); messages are arrows with blocks",
    .heeds = "--ranks --steps --bytes; with --bytes: --beside --mode --topology and others of the network",
    .draw = draw_time,
};

}  // namespace onceover::viz
