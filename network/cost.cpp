#include "network/cost.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
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
    const RouteView view = flows.router.route(t.src, t.dst, t.lane);
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

namespace {

constexpr std::size_t most_timed = 10'000'000;

/// The messages of a kind of steps, in ns from the beginning of the step.
std::vector<TimedMessage> timed_kind(const std::vector<Transfer>& messages, const StepFlows& flows,
                                     const Network& network, const RankSpeeds& speeds, double block) {
  MessageLoads loads(flows, network);
  const double sent = speeds.overhead * std::ceil(loads.most_sends() / network.ports());
  std::map<std::pair<Rank, int>, std::uint32_t> sends;  // so far, by rank and lane
  std::vector<TimedMessage> timed;
  for (const Transfer& t : messages) {
    const RouteView route = flows.router.route(t.src, t.dst, t.lane);
    const double arrived = sent + route.route->latency + loads.load(t, route) * block * 8;
    timed.push_back({0, t.src, t.lane, sends[{t.src, t.lane}]++, sent, arrived});
  }
  return timed;
}

}  // namespace

tl::expected<double, Unroutable> follow_in_time(const Schedule& schedule, const Network& network,
                                                const FlowOptions& options, const RankSpeeds& speeds, double bytes,
                                                const MessageVisitor& visit, const std::function<void(double)>& ended) {
  const auto model = cost(schedule, network, options, speeds);
  if (!model) return tl::unexpected(model.error());
  const double block = bytes / schedule.header().blocks;
  const std::vector<StepKind> kinds = step_kinds(schedule);
  std::vector<std::vector<Transfer>> messages(kinds.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    schedule.messages(kinds[k].step, messages[k]);
    count += messages[k].size();
    if (count > most_timed)
      return tl::unexpected(Unroutable{Unroutable::Kind::exhausted,
                                       fmt::format("more than {} messages have times of their own", most_timed)});
  }
  std::vector<std::vector<TimedMessage>> timed(kinds.size());
  const auto done = follow(schedule, network, options, [&](std::size_t k, const StepFlows& flows) {
    timed[k] = timed_kind(messages[k], flows, network, speeds, block);
  });
  if (!done) return tl::unexpected(done.error());
  std::map<int, std::size_t> kind_of;  // by its first step
  for (std::size_t k = 0; k < kinds.size(); ++k) kind_of[kinds[k].step] = k;
  double begin = 0;
  int step = 0;
  for (const int like : schedule.alike()) {
    const std::size_t k = kind_of.at(like);
    for (TimedMessage message : timed[k]) {
      message.step = step;
      message.sent += begin;
      message.arrived += begin;
      visit(message);
    }
    begin += model->time_of_kind(k, bytes);
    ended(begin);
    ++step;
  }
  return model->time(bytes);
}

}  // namespace onceover::network
