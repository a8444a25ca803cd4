#include "network/cost.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace onceover::network {

MessageLoads::MessageLoads(const StepFlows& flows, const Network& network)
    : flows_(flows),
      network_(network),
      ports_(network.ports() * network.port_bandwidth()),
      busy_(static_cast<std::size_t>(flows.loads.orbits().count()), -1),
      sent_(static_cast<std::size_t>(flows.ranks.orbits())),
      received_(sent_.size()),
      reduced_(sent_.size()),
      sends_(sent_.size()) {
  for (const Transfer& t : flows.messages) {
    const auto size = static_cast<double>(t.blocks.size());
    sent_[at(t.src)] += size;
    received_[at(t.dst)] += size;
    ++sends_[at(t.src)];
  }
  for (const auto* transfers : {&flows.messages, &flows.local})
    for (const Transfer& t : *transfers)
      if (t.op == Op::reduce) reduced_[at(t.dst)] += static_cast<double>(t.landed());
}

double MessageLoads::busy_time(Link link) {
  double& time = busy_[static_cast<std::size_t>(flows_.loads.orbits().of(link))];
  if (time < 0) time = flows_.loads.nearest_load(link) / network_.link(link).bandwidth;
  return time;
}

double MessageLoads::load(const Transfer& message, const RouteView& route) {
  double slowest = std::max(sent_[at(message.src)] / ports_, received_[at(message.dst)] / ports_);
  for (const RouteShare& share : route.route->shares) slowest = std::max(slowest, busy_time(route.link(share)));
  return slowest;
}

double Cost::time(double bytes) const {
  double sum = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k) sum += kinds_[k].times * step_time(steps_[k], bytes);
  return sum;
}

double Cost::step_time(const Step& step, double bytes) const {
  const double block = bytes / blocks_;
  double last = 0;
  for (const Front& front : step.fronts) last = std::max(last, front.latency + front.load * block * 8);
  return step.overhead + last + step.reduction * block;
}

Cost::Step Cost::step_of(const StepFlows& flows, const Network& network, const RankSpeeds& speeds) {
  MessageLoads loads(flows, network);
  std::unordered_map<double, double> slowest_of;  // by latency
  auto front = slowest_of.end();
  for (const Transfer& t : flows.messages) {
    const RouteView view = flows.router.route(t.src, t.dst);
    if (front == slowest_of.end() || front->first != view.route->latency)
      front = slowest_of.try_emplace(view.route->latency).first;
    front->second = std::max(front->second, loads.load(t, view));
  }
  Step step{.fronts = {},
            .overhead = speeds.overhead * std::ceil(loads.most_sends() / network.ports()),
            .reduction = speeds.reduction * loads.most_reduced()};
  for (const auto& [latency, load] : slowest_of) step.fronts.push_back({latency, load});
  drop_overtaken(step.fronts);
  return step;
}

/// Keeps the fronts that no other exceeds both in latency and in load.
void Cost::drop_overtaken(std::vector<Front>& fronts) {
  std::sort(fronts.begin(), fronts.end(), [](const Front& a, const Front& b) {
    return a.latency != b.latency ? a.latency > b.latency : a.load > b.load;
  });
  double most = -1;
  std::erase_if(fronts, [&](const Front& front) {
    const bool is_overtaken = front.load <= most;
    most = std::max(most, front.load);
    return is_overtaken;
  });
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

}  // namespace onceover::network
