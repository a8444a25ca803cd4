// time: when each message leaves and arrives, with ranks across and steps down.

#include "base/try.h"
#include "viz/time_chart.h"

namespace onceover::viz {

namespace {

Drawn<std::string> draw_time(const Schedule& schedule, const DrawOptions& options) {
  const auto selection = TRY(select(schedule, options));
  return draw_time_chart(schedule.header(), selection, options);
}

}  // namespace

const View time_view{
    .name = "time",
    .summary = "ranks across, steps down; a message is an arrow with its blocks at its foot",
    .heeds = "--ranks --steps",
    .draw = draw_time,
};

}  // namespace onceover::viz
