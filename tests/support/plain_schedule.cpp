#include "plain_schedule.h"

namespace onceover::support {

PlainSchedule plain(const Schedule& schedule) {
  PlainSchedule result{schedule.header(), {}};
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    auto& plain_step = result.steps.emplace_back();
    for (const Transfer& t : transfers) {
      PlainTransfer& p = plain_step.emplace_back(PlainTransfer{t.src, t.dst, {}, t.op});
      t.blocks.for_each_run([&](Run run) {
        for (Block b = run.first; b <= run.last; ++b) p.blocks.push_back(b);
      });
    }
  }
  return result;
}

SchedulePtr listed(const PlainSchedule& schedule) {
  ListedSchedule::Builder builder;
  for (const auto& step : schedule.steps) {
    builder.begin_step();
    for (const PlainTransfer& t : step) {
      std::vector<Run> runs;
      for (const Block b : t.blocks) runs.push_back({b, b});
      normalise(runs);
      builder.add(t.src, t.dst, runs, t.op);
    }
  }
  return std::make_shared<ListedSchedule>(schedule.header, std::move(builder));
}

}  // namespace onceover::support
