#include "network/contention.h"

#include <cmath>
#include <mutex>

#include "base/stop.h"
#include "network/port_graph.h"

namespace onceover::network {

namespace {

/// In blocks: the largest message of a step, and the most that a rank sends or receives.
struct Most {
  std::int64_t in_message = 0;
  std::int64_t at_rank = 0;
};

Most most_of(const StepFlows& flows) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(flows.ranks.orbits()));  // by orbit
  std::vector<std::int64_t> received(sent.size());
  Most most;
  for (const Transfer& t : flows.messages) {
    const std::int64_t size = t.blocks.size();
    most.in_message = std::max(most.in_message, size);
    most.at_rank = std::max({most.at_rank, sent[static_cast<std::size_t>(flows.ranks.orbit_of(t.src))] += size,
                             received[static_cast<std::size_t>(flows.ranks.orbit_of(t.dst))] += size});
  }
  return most;
}

/// The time of a step on its hottest link, in blocks at the speed of a port.
Rational time_of_link(const StepContention& step, const Network& network) {
  if (step.hottest < 0) return 0;
  return step.load * meant_by(network.port_bandwidth()) / meant_by(network.link(step.hottest).bandwidth);
}

StepContention look_at(const StepKind& kind, const Network& network, const StepFlows& flows) {
  const auto each = static_cast<std::uint64_t>(flows.ranks.orbit_size());  // messages that a listed one stands for
  StepContention step{.kind = kind, .messages = flows.messages.size() * each};
  for (const Transfer& t : flows.messages) {
    const std::int32_t hops = flows.router.route(t.src, t.dst, t.lane).route->hops;
    step.block_transfers += static_cast<std::uint64_t>(t.blocks.size()) * each;
    step.hops_max = std::max(step.hops_max, hops);
    step.hops_sum += static_cast<std::uint64_t>(hops) * each;
  }
  step.hottest = flows.loads.hottest(network);
  if (step.hottest >= 0) step.load = flows.loads.load(step.hottest);
  step.most_messages = flows.loads.most_messages();
  step.links_used = flows.loads.used();
  const Most most = most_of(flows);
  step.ports = Rational(most.at_rank, network.ports());
  step.free = std::max(Rational(most.in_message), step.ports);
  return step;
}

double to_double(const Rational& x) {
  return static_cast<double>(x);
}

std::optional<ExactDeficiencies> deficiencies(const Schedule& schedule, const Network& network,
                                              const std::vector<StepContention>& steps) {
  const Header& header = schedule.header();
  const auto least = least_vectors_exactly(header.collective, header.ranks);
  if (!least || header.ranks == 1) return std::nullopt;
  Rational free = 0;
  Rational congested = 0;
  for (const StepContention& step : steps) {
    if (step.hottest < 0) continue;
    free += step.free * step.kind.times;
    congested += time_of_link(step, network) * step.kind.times;
  }
  if (free == 0) return std::nullopt;
  return ExactDeficiencies{free * network.ports() / (*least * header.blocks), congested / free};
}

}  // namespace

std::optional<Rational> least_vectors_exactly(Collective collective, Rank ranks) {
  const Rational one_way(ranks - 1, ranks);
  switch (collective) {
    case Collective::allreduce: return 2 * one_way;
    case Collective::reduce_scatter:
    case Collective::allgather: return one_way;
    default: return std::nullopt;
  }
}

std::optional<double> least_vectors(Collective collective, Rank ranks) {
  const auto least = least_vectors_exactly(collective, ranks);
  return least ? std::optional(to_double(*least)) : std::nullopt;
}

tl::expected<Contention, Unroutable> contention(const Schedule& schedule, const Network& network,
                                                const FlowOptions& options) {
  const std::vector<StepKind> kinds = step_kinds(schedule);
  Contention result{.steps = std::vector<StepContention>(kinds.size()), .total = LinkLoads(0), .deficiencies = {}};
  std::optional<LinkLoads> total;
  std::mutex adding;
  bool fits = true;
  int local_steps = 0;  // without messages, which don't count
  const auto done = follow(schedule, network, options, [&](std::size_t k, const StepFlows& flows) {
    result.steps[k] = look_at(kinds[k], network, flows);
    const std::lock_guard lock(adding);
    if (flows.messages.empty() && !flows.local.empty()) local_steps += kinds[k].times;
    if (!total) total.emplace(flows.loads.orbits());
    fits = fits && total->add(flows.loads, static_cast<std::uint64_t>(kinds[k].times));
  });
  if (!done) return tl::unexpected(done.error());
  if (!fits)
    return tl::unexpected(Unroutable{Unroutable::Kind::exhausted, "the loads of all steps together outgrow 126 bits"});
  result.total = total ? std::move(*total) : LinkLoads(network.link_count());
  result.message_steps = schedule.steps() - local_steps;
  for (const StepContention& step : result.steps)
    result.time += std::max(step.ports, time_of_link(step, network)) * step.kind.times;
  result.exact = deficiencies(schedule, network, result.steps);
  if (result.exact)
    result.deficiencies = Deficiencies{.latency = result.message_steps / std::log2(schedule.header().ranks),
                                       .bandwidth = to_double(result.exact->bandwidth),
                                       .congestion = to_double(result.exact->congestion)};
  return result;
}

std::vector<Crossing> crossings(const Schedule& schedule, const Network& network, Routing routing, int step,
                                Link link) {
  Router router(network, routing);
  std::vector<Crossing> found;
  schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
    stop_point();
    for (const Transfer& t : some) {
      if (t.is_local()) continue;
      const RouteView view = router.route(t.src, t.dst, t.lane);
      for (const RouteShare& share : view.route->shares)
        if (view.link(share) == link || network.reverse_link(view.link(share)) == link)
          found.push_back({t.src, t.dst, t.blocks.size(), Rational(share.weight, view.route->parts)});
    }
  });
  return found;
}

std::optional<LinkLoads> loads_of(const Schedule& schedule, const Network& network, Routing routing, int first,
                                  int end) {
  Router router(network, routing);
  LinkLoads loads(network.link_count());
  std::vector<Transfer> messages;
  for (int step = first; step < end; ++step) {
    schedule.messages(step, messages);
    for (const Transfer& t : messages) {
      stop_point();
      if (!loads.add(network, router.route(t.src, t.dst, t.lane), static_cast<std::uint64_t>(t.blocks.size())))
        return std::nullopt;
    }
  }
  return loads;
}

std::optional<Rational> busiest(const Schedule& schedule, const Network& network, Routing routing, int first, int end) {
  const auto loads = loads_of(schedule, network, routing, first, end);
  if (!loads) return std::nullopt;
  const Link hottest = loads->hottest(network);
  return hottest < 0 ? Rational(0) : loads->load(hottest);
}

}  // namespace onceover::network
