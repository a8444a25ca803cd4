// Bounds by cuts, found by Newton's method on their ratio, and by lengths.
//
// Allgather: the ranks inside a set S send their blocks out of it, so the time is at least ranks(S) / capacity(S). For
// a ratio x = a/b of capacity to ranks, give each rank a of supply and each arc b times its capacity. A flow of less
// than a p to rank t leaves a cut S without t, for which b capacity(S) + a (p - ranks(S)) < a p, that is a smaller
// ratio. We go on with that one, and with the next t if there is none; the ratio only falls, so earlier ranks stay
// settled.
//
// Example: 3 ranks on a path. All but an end have ratio 1/2; a flow of 3 reaches each rank at twice the capacities, so
// no cut is worse: an allgather takes 2/3 of a vector.
//
// It ends because each improvement has a smaller ratio, and there are finitely many cuts. Measured: a 32x32 torus takes
// 0.4 s.

#include "network/bounds.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/stop.h"
#include "network/lengths.h"
#include "network/max_flow.h"

namespace onceover::network {

namespace {

/// Thrown inside this file only.
struct BudgetRanOut {};

/// Flows looked at so far, in arcs.
class Account {
 public:
  explicit Account(std::uint64_t budget) : left_(budget) {}

  void charge(std::size_t arcs) {
    stop_point();
    if (arcs > left_) throw BudgetRanOut();
    left_ -= arcs;
  }

 private:
  std::uint64_t left_;
};

/// The cut whose capacity is least for the ranks inside.
Cut scarcest_cut(const PortGraph& graph, Account& account) {
  auto arcs = graph.arcs;
  const std::int32_t source = graph.vertices;
  for (Rank r = 0; r < graph.ranks; ++r) arcs.push_back({source, r, 1});
  MaxFlow flow(graph.vertices + 1, arcs);
  const auto try_ratio = [&](const Cut& cut) {
    for (std::size_t k = 0; k < arcs.size(); ++k)
      flow.set_capacity(k, k < graph.arcs.size() ? graph.arcs[k].capacity * cut.ranks_inside : cut.leaving);
  };
  std::vector<bool> all_but_0(static_cast<std::size_t>(graph.vertices), true);
  all_but_0[0] = false;
  Cut cut = cut_of(graph, std::move(all_but_0));
  try_ratio(cut);
  for (Rank sink = 0; sink < graph.ranks; ++sink)
    while (true) {
      account.charge(arcs.size());
      if (flow.run(source, sink) >= cut.leaving * graph.ranks) break;
      auto inside = flow.reached(source);
      inside.pop_back();
      cut = cut_of(graph, std::move(inside));
      try_ratio(cut);
    }
  return cut;
}

/// The cut of least capacity with the root inside and another rank outside.
Cut least_cut(const PortGraph& graph, Rank root, Account& account) {
  MaxFlow flow(graph.vertices, graph.arcs);
  std::optional<Cut> least;
  for (Rank sink = 0; sink < graph.ranks; ++sink) {
    if (sink == root) continue;
    account.charge(graph.arcs.size());
    const Whole most = flow.run(root, sink);
    if (!least || most < least->leaving) least = cut_of(graph, flow.reached(root));
  }
  return *least;
}

TimeBound by_cut(const PortGraph& graph, Cut cut, bool enters, Rational weight) {
  const Rational vectors = weight * graph.port / cut.leaving;
  return {vectors, CutProof{std::move(cut), enters, std::move(weight)}};
}

TimeBound by_scarcest_cut(const PortGraph& graph, bool enters, Account& account) {
  Cut cut = scarcest_cut(enters ? graph.reversed() : graph, account);
  const Rational weight(cut.ranks_inside, graph.ranks);
  return by_cut(graph, std::move(cut), enters, weight);
}

TimeBound by_least_cut(const PortGraph& graph, bool enters, Rank root, Account& account) {
  return by_cut(graph, least_cut(enters ? graph.reversed() : graph, root, account), enters, 1);
}

/// What leaves a rank is limited by its ports, and by the links of its seat if only this rank is behind it.
TimeBound by_ranks(const PortGraph& graph, bool enters) {
  const PortGraph turned = enters ? graph.reversed() : graph;
  std::vector<Whole> out(static_cast<std::size_t>(graph.vertices));  // by vertex
  std::vector<std::int32_t> seat(static_cast<std::size_t>(graph.ranks));
  for (const PortGraph::Arc& arc : turned.arcs) {
    if (arc.to >= graph.ranks) out[static_cast<std::size_t>(arc.from)] += arc.capacity;
    if (arc.from < graph.ranks) seat[static_cast<std::size_t>(arc.from)] = arc.to;
  }
  std::vector<Whole> of_rank;
  for (std::size_t r = 0; r < seat.size(); ++r)
    of_rank.push_back(std::min(out[r], out[static_cast<std::size_t>(seat[r])]));
  const Whole capacity = std::accumulate(of_rank.begin(), of_rank.end(), Whole{0});
  return {Rational(2 * (graph.ranks - 1)) * graph.port / capacity, RanksProof{std::move(of_rank), capacity, enters}};
}

TimeBound by_lengths(const PortGraph& graph, LengthsProof::Links links, std::vector<bool> has_length) {
  Whole capacity = 0;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k)
    if (has_length[k]) capacity += graph.arcs[k].capacity;
  const Whole tree = spanning_tree(graph, has_length);
  return {Rational(2 * tree) * graph.port / capacity, LengthsProof{links, std::move(has_length), tree, capacity}};
}

/// The arcs between the inside and the outside, both ways.
std::vector<bool> across(const PortGraph& graph, const Cut& cut) {
  std::vector<bool> is_across;
  for (const PortGraph::Arc& arc : graph.arcs)
    is_across.push_back(cut.inside[static_cast<std::size_t>(arc.from)] != cut.inside[static_cast<std::size_t>(arc.to)]);
  return is_across;
}

/// By the links up to each of the lowest speeds, and by all links.
std::vector<TimeBound> by_slow_links(const PortGraph& graph) {
  constexpr std::size_t most_speeds = 4;
  std::set<Whole> speeds;
  for (Link l = 0; l < graph.links; ++l) speeds.insert(graph.arcs[static_cast<std::size_t>(l)].capacity);
  const Whole fastest = *speeds.rbegin();
  while (speeds.size() > most_speeds) speeds.erase(std::prev(speeds.end()));
  speeds.insert(fastest);
  std::vector<TimeBound> bounds;
  for (const Whole speed : speeds) {
    std::vector<bool> has_length(graph.arcs.size(), false);
    for (std::size_t l = 0; l < static_cast<std::size_t>(graph.links); ++l)
      has_length[l] = graph.arcs[l].capacity <= speed;
    bounds.push_back(by_lengths(graph, speed == fastest ? LengthsProof::Links::all : LengthsProof::Links::slow,
                                std::move(has_length)));
  }
  return bounds;
}

/// The best for an allreduce. Every block leaves and enters each set that has ranks inside and outside, so that least
/// cuts bound it in both directions.
TimeBound allreduce_bound(const PortGraph& graph, Account& account) {
  std::vector<TimeBound> all{by_ranks(graph, false), by_ranks(graph, true), by_least_cut(graph, false, 0, account),
                             by_least_cut(graph, true, 0, account)};
  for (TimeBound& bound : by_slow_links(graph)) all.push_back(std::move(bound));
  const Cut scarcest = scarcest_cut(graph, account);
  all.push_back(by_lengths(graph, LengthsProof::Links::across_cut, across(graph, scarcest)));
  return *std::max_element(all.begin(), all.end(),
                           [](const TimeBound& a, const TimeBound& b) { return a.vectors < b.vectors; });
}

/// The links, without their speeds.
std::vector<PortGraph::Arc> arcs_of(const Network& network) {
  std::vector<PortGraph::Arc> arcs;
  for (const LinkData& link : network.links()) arcs.push_back({link.from, link.to, 1});
  return arcs;
}

}  // namespace

bool is_bounded(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::broadcast:
    case Collective::reduce: return true;
    default: return false;
  }
}

tl::expected<TimeBound, std::string> time_bound(const PortGraph& graph, Collective collective, Rank root,
                                                std::uint64_t budget) {
  Account account(budget);
  try {
    if (collective == Collective::allreduce) return allreduce_bound(graph, account);
    if (is_rooted(collective)) return by_least_cut(graph, collective == Collective::reduce, root, account);
    return by_scarcest_cut(graph, collective == Collective::reduce_scatter, account);
  } catch (const BudgetRanOut&) {
    return tl::unexpected("more than " + std::to_string(budget) +
                          " links to look at in maximum flows; raise --budget to go on");
  }
}

bool is_reached(const PortGraph& graph, const Network& network, Collective collective) {
  if (collective == Collective::allreduce || !graph.is_balanced()) return false;
  for (Node node = 0; node < network.nodes(); ++node)
    if (!network.forwards(node)) return false;
  return true;
}

std::vector<bool> neighbours(const Network& network) {
  const std::vector<PortGraph::Arc> arcs = arcs_of(network);
  const Outgoing outgoing(network.nodes(), arcs);
  std::vector<bool> linked;
  for (Rank from = 0; from < network.ranks(); ++from) {
    stop_point();
    const auto messages =
        outgoing.distances(network.seat(from), [&](std::size_t arc) { return arcs[arc].to < network.ranks(); });
    for (Rank to = 0; to < network.ranks(); ++to)
      linked.push_back(messages[static_cast<std::size_t>(network.seat(to))] == 1);
  }
  return linked;
}

Distance farthest(const Network& network, Collective collective, Rank root) {
  std::vector<PortGraph::Arc> arcs = arcs_of(network);
  const bool is_backward = collective == Collective::reduce;
  if (is_backward)
    for (PortGraph::Arc& arc : arcs) std::swap(arc.from, arc.to);
  const Outgoing outgoing(network.nodes(), arcs);
  const auto ends_at_rank = [&](std::size_t arc) { return arcs[arc].to < network.ranks(); };
  Distance most{root, root, 0};
  for (Rank from = is_rooted(collective) ? root : 0; from < network.ranks(); ++from) {
    stop_point();
    const auto distance = outgoing.distances(network.seat(from), ends_at_rank);
    for (Rank to = 0; to < network.ranks(); ++to)
      if (const auto messages = distance[static_cast<std::size_t>(network.seat(to))]; messages > most.messages)
        most = is_backward ? Distance{to, from, messages} : Distance{from, to, messages};
    if (is_rooted(collective)) break;
  }
  return most;
}

int least_steps(Rank ranks, int ports) {
  int steps = 0;
  for (std::int64_t known = 1; known < ranks; known *= ports + std::int64_t{1}) ++steps;
  return steps;
}

}  // namespace onceover::network
