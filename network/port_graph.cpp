#include "network/port_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "network/orbits.h"

namespace onceover::network {

namespace {

/// The fraction with the smallest denominator between two numbers from 0 on, by their continued fractions.
Rational simplest_between(const Rational& low, const Rational& high) {
  const Rational whole = low.floor();
  if (whole + 1 < high) return whole + 1;
  const Rational least = 1 / (high - whole);
  return whole + 1 / (low == whole ? least.floor() + 1 : simplest_between(least, 1 / (low - whole)));
}

/// Whole numbers in the ratio of the bandwidths, with no common divisor; nothing if one is too large.
std::optional<std::map<double, Whole>> scaled(const Network& network) {
  std::map<double, Rational> values;
  Rational scale = 1;  // the least common multiple of the denominators
  for (const LinkData& link : network.links()) {
    const auto [at, is_new] = values.try_emplace(link.bandwidth);
    if (!is_new) continue;
    at->second = meant_by(link.bandwidth);
    scale *= (scale / at->second.denominator()).denominator();
  }
  std::map<double, Whole> numbers;
  Whole divisor = 0;
  for (const auto& [bandwidth, value] : values) {
    const auto whole = (value * scale).whole();
    if (!whole) return std::nullopt;
    numbers[bandwidth] = *whole;
    divisor = std::gcd(divisor, *whole);
  }
  const Whole unit = network.is_half_duplex() ? 2 : 1;  // so that half of each is whole
  for (auto& [bandwidth, number] : numbers)
    if (__builtin_mul_overflow(number / divisor, unit, &number)) return std::nullopt;
  return numbers;
}

/// Does the sum of the capacities of all arcs fit, times the ranks?
bool are_small_enough(const Network& network, const Capacities& capacities) {
  constexpr Whole most = Whole{1} << 62;
  Whole sum = 0;
  if (__builtin_mul_overflow(capacities.ports, 2 * Whole{network.ranks()}, &sum)) return false;
  for (const LinkData& link : network.links()) {
    const Whole capacity = capacities.of.at(link.bandwidth);
    if (sum > most || capacity > most - sum) return false;
    sum += capacity;
  }
  return sum <= most / network.ranks();
}

}  // namespace

Rational meant_by(double number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Rational middle(number);
  const Rational below = (middle + Rational(std::nextafter(number, 0))) / 2;
  const Rational above = (middle + Rational(std::nextafter(number, infinity))) / 2;
  return simplest_between(below, above);
}

PortGraph PortGraph::reversed() const {
  PortGraph other = *this;
  for (Arc& arc : other.arcs) std::swap(arc.from, arc.to);
  return other;
}

PortGraph PortGraph::split() const {
  PortGraph other = *this;
  for (Arc& arc : other.arcs) arc = {arc.from, arc.to, arc.own()};
  return other;
}

PortGraph PortGraph::joined() const {
  PortGraph other = split();
  for (const Arc& arc : split().arcs) other.arcs.push_back({arc.to, arc.from, arc.capacity});
  return other;
}

bool PortGraph::is_balanced() const {
  std::vector<Whole> surplus(static_cast<std::size_t>(vertices));
  for (const Arc& arc : arcs) {
    surplus[static_cast<std::size_t>(arc.from)] -= arc.capacity;
    surplus[static_cast<std::size_t>(arc.to)] += arc.capacity;
  }
  return std::all_of(surplus.begin() + ranks, surplus.end(), [](Whole s) { return s == 0; });
}

Cut cut_of(const PortGraph& graph, std::vector<bool> inside) {
  Cut cut{.inside = std::move(inside), .ranks_inside = 0, .leaving = 0};
  cut.ranks_inside = static_cast<Rank>(std::count(cut.inside.begin(), cut.inside.begin() + graph.ranks, true));
  for (const std::size_t arc : leaving(graph, cut)) cut.leaving += graph.arcs[arc].capacity;
  return cut;
}

std::vector<std::size_t> leaving(const PortGraph& graph, const Cut& cut) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k)
    if (cut.inside[static_cast<std::size_t>(graph.arcs[k].from)] &&
        !cut.inside[static_cast<std::size_t>(graph.arcs[k].to)])
      found.push_back(k);
  return found;
}

tl::expected<Capacities, std::string> capacities(const Network& network) {
  const std::string refusal = "the bandwidths of the links differ too much for exact sums in 62 bits";
  auto numbers = scaled(network);
  if (!numbers) return tl::unexpected(refusal);
  Capacities found{.of = *std::move(numbers), .port = 1, .ports = 0};
  if (network.port_bandwidth() > 0) found.port = found.of.at(network.port_bandwidth());
  if (__builtin_mul_overflow(found.port, Whole{network.ports()}, &found.ports) || !are_small_enough(network, found))
    return tl::unexpected(refusal);
  return found;
}

tl::expected<PortGraph, std::string> port_graph(const Network& network) {
  const auto found = capacities(network);
  if (!found) return tl::unexpected(found.error());
  PortGraph graph{.ranks = network.ranks(),
                  .vertices = network.ranks() + network.nodes(),
                  .links = network.link_count(),
                  .port = found->port,
                  .arcs = {},
                  .orbits = rank_orbits(network)};
  graph.arcs.reserve(static_cast<std::size_t>(network.link_count()) + 2 * static_cast<std::size_t>(network.ranks()));
  for (Link l = 0; l < network.link_count(); ++l) {
    const LinkData& link = network.link(l);
    graph.arcs.push_back(
        {graph.ranks + link.from, graph.ranks + link.to, found->of.at(link.bandwidth), network.reverse_link(l) >= 0});
  }
  for (Rank r = 0; r < graph.ranks; ++r) {
    graph.arcs.push_back({r, graph.ranks + network.seat(r), found->ports});
    graph.arcs.push_back({graph.ranks + network.seat(r), r, found->ports});
  }
  return graph;
}

struct MaxFlow::Graph {
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Properties = boost::property<boost::edge_capacity_t, Whole,
                                     boost::property<boost::edge_residual_capacity_t, Whole,
                                                     boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
  using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Properties>;

  Boost boost;
  std::vector<Traits::edge_descriptor> edges;  // by arc
};

MaxFlow::MaxFlow(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs) : graph_(std::make_unique<Graph>()) {
  auto& graph = graph_->boost;
  graph = Graph::Boost(static_cast<std::size_t>(vertices));
  const auto reverse = get(boost::edge_reverse, graph);
  for (const PortGraph::Arc& arc : arcs) {
    const auto from = static_cast<std::size_t>(arc.from), to = static_cast<std::size_t>(arc.to);
    const auto there = add_edge(from, to, graph).first;
    const auto back = add_edge(to, from, graph).first;
    put(reverse, there, back);
    put(reverse, back, there);
    graph_->edges.push_back(there);
    set_capacity(graph_->edges.size() - 1, arc.capacity);
  }
}

MaxFlow::~MaxFlow() = default;

void MaxFlow::set_capacity(std::size_t arc, Whole capacity) {
  put(boost::edge_capacity, graph_->boost, graph_->edges[arc], capacity);
}

Whole MaxFlow::run(std::int32_t source, std::int32_t sink) {
  return push_relabel_max_flow(graph_->boost, static_cast<std::size_t>(source), static_cast<std::size_t>(sink));
}

std::vector<bool> MaxFlow::reached(std::int32_t source) const {
  const auto& graph = graph_->boost;
  std::vector<bool> seen(num_vertices(graph));
  std::vector<std::size_t> stack{static_cast<std::size_t>(source)};
  seen[stack.back()] = true;
  while (!stack.empty()) {
    const std::size_t from = stack.back();
    stack.pop_back();
    const auto [begin, end] = out_edges(from, graph);
    for (auto edge = begin; edge != end; ++edge) {
      const std::size_t to = target(*edge, graph);
      if (seen[to] || get(boost::edge_residual_capacity, graph, *edge) == 0) continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
  return seen;
}

}  // namespace onceover::network
