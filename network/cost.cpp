#include "network/cost.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace onceover::network {

namespace {

/// What each rank sends, receives and reduces in a step, in blocks and messages.
class Traffic {
 public:
  explicit Traffic(const StepFlows& flows)
      : ranks_(flows.ranks),
        sent_(static_cast<std::size_t>(ranks_.orbits())),
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

  double sent(Rank rank) const { return sent_[at(rank)]; }
  double received(Rank rank) const { return received_[at(rank)]; }
  double most_reduced() const { return *std::max_element(reduced_.begin(), reduced_.end()); }
  double most_sends() const { return *std::max_element(sends_.begin(), sends_.end()); }

 private:
  std::size_t at(Rank rank) const { return static_cast<std::size_t>(ranks_.orbit_of(rank)); }

  const Translations& ranks_;
  std::vector<double> sent_;  // by orbit, as the others
  std::vector<double> received_;
  std::vector<double> reduced_;
  std::vector<double> sends_;
};

}  // namespace

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
  const LinkOrbits& orbits = flows.loads.orbits();
  std::vector<double> busy(static_cast<std::size_t>(orbits.count()), -1);  // blocks over Gb/s, on first use
  auto busy_time = [&](Link link) {
    double& time = busy[static_cast<std::size_t>(orbits.of(link))];
    if (time < 0) time = flows.loads.nearest_load(link) / network.link(link).bandwidth;
    return time;
  };
  const Traffic traffic(flows);
  const double all_ports = network.ports() * network.port_bandwidth();
  std::unordered_map<double, double> slowest_of;  // by latency
  auto front = slowest_of.end();
  for (const Transfer& t : flows.messages) {
    const RouteView view = flows.router.route(t.src, t.dst);
    if (front == slowest_of.end() || front->first != view.route->latency)
      front = slowest_of.try_emplace(view.route->latency).first;
    double& slowest = front->second;
    slowest = std::max({slowest, traffic.sent(t.src) / all_ports, traffic.received(t.dst) / all_ports});
    for (const RouteShare& share : view.route->shares) slowest = std::max(slowest, busy_time(view.link(share)));
  }
  Step step{.fronts = {},
            .overhead = speeds.overhead * std::ceil(traffic.most_sends() / network.ports()),
            .reduction = speeds.reduction * traffic.most_reduced()};
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
