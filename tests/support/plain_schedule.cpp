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
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        set.for_each_run([&](Run run) {
          for (Block b = run.first; b <= run.last; ++b) p.blocks.push_back(b);
          for (Block b = run.first; b <= run.last && t.landings != nullptr; ++b) p.into.push_back(b + shift);
        });
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
      if (!t.into.empty()) {
        std::vector<ListedSchedule::Builder::LandedRun> landed;
        for (std::size_t k = 0; k < t.blocks.size(); ++k) landed.push_back({{t.blocks[k], t.blocks[k]}, t.into[k]});
        builder.add(t.src, t.dst, landed, t.op);
        continue;
      }
      std::vector<Run> runs;
      for (const Block b : t.blocks) runs.push_back({b, b});
      normalise(runs);
      builder.add(t.src, t.dst, runs, t.op);
    }
  }
  return std::make_shared<ListedSchedule>(schedule.header, std::move(builder));
}

}  // namespace onceover::support
