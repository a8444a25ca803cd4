#include "network/cost.h"

#include <algorithm>
#include <cmath>

namespace onceover {

double Cost::time(double bytes) const {
  double sum = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k) sum += kinds_[k].times * step_time(steps_[k], bytes);
  return sum;
}

std::vector<double> Cost::step_times(double bytes) const {
  std::vector<double> times;
  for (const Step& step : steps_) times.push_back(step_time(step, bytes));
  return times;
}

double Cost::step_time(const Step& step, double bytes) const {
  const double block = bytes / blocks_;
  double last = 0;
  for (const Front& front : step.fronts) last = std::max(last, front.latency + front.load * block * 8);
  return step.overhead + last + step.reduction * block;
}

Cost::Step Cost::step_of(const StepFlows& flows, const Network& network, const RankSpeeds& speeds) {
  std::vector<double> busy(static_cast<std::size_t>(network.link_count()), -1);  // blocks over Gb/s, once asked for
  auto busy_time = [&](Link link) {
    double& time = busy[static_cast<std::size_t>(link)];
    if (time < 0) time = static_cast<double>(flows.loads.load(link)) / network.link(link).bandwidth;
    return time;
  };
  Step step;
  std::vector<int> sends(static_cast<std::size_t>(network.ranks()));
  std::vector<double> reduced(sends.size());
  for (const Transfer& t : flows.transfers) {
    const RouteView view = flows.router.route(t.src, t.dst);
    double slowest = 0;
    for (const Share& share : view.route->shares) slowest = std::max(slowest, busy_time(view.link(share)));
    auto front = std::find_if(step.fronts.begin(), step.fronts.end(),
                              [&](const Front& f) { return f.latency == view.route->latency; });
    if (front == step.fronts.end()) front = step.fronts.insert(front, {view.route->latency, 0});
    front->load = std::max(front->load, slowest);
    const int turns = 1 + sends[static_cast<std::size_t>(t.src)]++ / network.ports();
    step.overhead = std::max(step.overhead, speeds.overhead * turns);
    if (t.op != Op::reduce) continue;
    double& here = reduced[static_cast<std::size_t>(t.dst)];
    here += static_cast<double>(t.blocks.size());
    step.reduction = std::max(step.reduction, speeds.reduction * here);
  }
  return step;
}

tl::expected<Cost, Unroutable> cost(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                    const RankSpeeds& speeds) {
  Cost result;
  result.blocks_ = schedule.header().blocks;
  result.kinds_ = step_kinds(schedule);
  result.steps_.resize(result.kinds_.size());
  const auto done = follow(schedule, network, options, [&](std::size_t k, const StepFlows& flows) {
    result.steps_[k] = Cost::step_of(flows, network, speeds);
  });
  if (!done) return tl::unexpected(done.error());
  return result;
}

}  // namespace onceover
