#include "network/timeline.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "network/cost.h"

namespace onceover::network {

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
    const RouteView route = flows.router.route(t.src, t.dst);
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
