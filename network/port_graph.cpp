#include "network/port_graph.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>

namespace onceover::network {

namespace {

/// The decimal that a user writes for this number: 0.1 is 1/10, although the double is not.
Rational decimal(double number) {
  std::array<char, 64> text{};
  const char* const end = std::to_chars(text.begin(), text.end(), number, std::chars_format::scientific).ptr;
  const char* const mark = std::find(text.begin(), const_cast<char*>(end), 'e');
  Whole digits = 0;
  int exponent = 0;
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
  bool is_behind_point = false;
  for (const char* c = text.begin(); c != mark; ++c) {
    if (*c == '.') {
      is_behind_point = true;
      continue;
    }
    digits = digits * 10 + (*c - '0');
    exponent -= is_behind_point ? 1 : 0;
  }
  Rational value = digits;
  for (; exponent > 0; --exponent) value *= 10;
  for (; exponent < 0; ++exponent) value /= 10;
  return value;
}

/// Whole numbers in the ratio of the bandwidths, with no common divisor; nothing if one is too large.
std::optional<std::map<double, Whole>> scaled(const Network& network) {
  std::map<double, Rational> values;
  Rational scale = 1;  // the least common multiple of the denominators
  for (const LinkData& link : network.links()) {
    const auto [at, is_new] = values.try_emplace(link.bandwidth);
    if (!is_new) continue;
    at->second = decimal(link.bandwidth);
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
  for (auto& [bandwidth, number] : numbers) number /= divisor;
  return numbers;
}

bool is_small_enough(const PortGraph& graph) {
  constexpr Whole most = Whole{1} << 62;
  Whole sum = 0;
  for (const PortGraph::Arc& arc : graph.arcs) {
    if (arc.capacity > most - sum) return false;
    sum += arc.capacity;
  }
  return sum <= most / graph.ranks;
}

}  // namespace

PortGraph PortGraph::reversed() const {
  PortGraph other = *this;
  for (Arc& arc : other.arcs) std::swap(arc.from, arc.to);
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

tl::expected<PortGraph, std::string> port_graph(const Network& network) {
  const auto numbers = scaled(network);
  const std::string refusal = "the bandwidths of the links differ too much for exact sums in 62 bits";
  if (!numbers) return tl::unexpected(refusal);
  PortGraph graph{.ranks = network.ranks(),
                  .vertices = network.ranks() + network.nodes(),
                  .links = network.link_count(),
                  .port = 1,
                  .arcs = {}};
  for (const LinkData& link : network.links())
    graph.arcs.push_back({graph.ranks + link.from, graph.ranks + link.to, numbers->at(link.bandwidth)});
  if (network.port_bandwidth() > 0) graph.port = numbers->at(network.port_bandwidth());
  Whole ports = 0;
  if (__builtin_mul_overflow(graph.port, Whole{network.ports()}, &ports)) return tl::unexpected(refusal);
  for (Rank r = 0; r < graph.ranks; ++r) {
    graph.arcs.push_back({r, graph.ranks + network.seat(r), ports});
    graph.arcs.push_back({graph.ranks + network.seat(r), r, ports});
  }
  if (!is_small_enough(graph)) return tl::unexpected(refusal);
  return graph;
}

}  // namespace onceover::network
