#include "network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/strong_components.hpp>
#include <cassert>

#include "network/graph.h"

namespace onceover {

namespace {

struct LaidGrid {
  Grid grid;
  Node nodes;
  std::vector<LinkData> links;
};

Rank product(const std::vector<Line>& lines) {
  Rank ranks = 1;
  for (const Line& line : lines) ranks *= line.side;
  return ranks;
}

/// All lines of all dimensions, their switches numbered after the seats.
LaidGrid lay_out(std::vector<Line> lines) {
  const Rank ranks = product(lines);
  LaidGrid laid{.grid = {}, .nodes = ranks, .links = {}};
  Rank stride = ranks;
  for (const Line& line : lines) {
    stride /= line.side;
    laid.grid.first_link.push_back(static_cast<Link>(laid.links.size()));
    for (Rank x = 0; x < ranks / line.side; ++x) {
      const Rank first = x / stride * stride * line.side + x % stride;
      auto node = [&](Node local) {
        return local < line.side ? first + local * stride : laid.nodes + local - line.side;
      };
      for (const LinkData& l : line.links) laid.links.push_back({node(l.from), node(l.to), l.bandwidth, l.latency});
      laid.nodes += line.nodes - line.side;
    }
  }
  laid.grid.lines = std::move(lines);
  return laid;
}

}  // namespace

std::vector<Rank> Grid::sides() const {
  std::vector<Rank> sides;
  for (const Line& line : lines) sides.push_back(line.side);
  return sides;
}

bool Grid::has_boards() const {
  return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.board_links > 0; });
}

bool Grid::is_board_link(Link link) const {
  const auto dimension =
      static_cast<std::size_t>(std::upper_bound(first_link.begin(), first_link.end(), link) - first_link.begin() - 1);
  const Line& line = lines[dimension];
  return static_cast<std::size_t>(link - first_link[dimension]) % line.links.size() < line.board_links;
}

std::shared_ptr<const LinkGraph> graph_of(Node nodes, const std::vector<LinkData>& links,
                                          const std::function<bool(Link)>& is_in) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Link> numbers;
  ends.reserve(links.size());
  numbers.reserve(links.size());
  for (Link l = 0; l < static_cast<Link>(links.size()); ++l) {
    if (is_in && !is_in(l)) continue;
    const LinkData& link = links[static_cast<std::size_t>(l)];
    numbers.push_back(l);
    ends.emplace_back(static_cast<std::uint32_t>(link.from), static_cast<std::uint32_t>(link.to));
  }
  return std::make_shared<const LinkGraph>(
      LinkGraph{LinkGraph::Graph(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), numbers.begin(),
                                 static_cast<std::uint32_t>(nodes))});
}

Network::Network(std::string name, Rank ranks, Node nodes, int ports, std::vector<LinkData> links)
    : name_(std::move(name)),
      ranks_(ranks),
      nodes_(nodes),
      ports_(ports),
      links_(std::move(links)),
      graph_(graph_of(nodes_, links_)) {}

Network::Network(std::string name, std::vector<Line> lines, int ports)
    : name_(std::move(name)), ranks_(product(lines)), ports_(ports) {
  LaidGrid laid = lay_out(std::move(lines));
  nodes_ = laid.nodes;
  links_ = std::move(laid.links);
  graph_ = graph_of(nodes_, links_);
  grid_ = std::move(laid.grid);
}

double Network::port_bandwidth() const {
  std::vector<double> fastest(static_cast<std::size_t>(ranks_));
  for (const LinkData& l : links_)
    if (l.from < ranks_) {
      double& speed = fastest[static_cast<std::size_t>(l.from)];
      speed = std::max(speed, l.bandwidth);
    }
  return *std::min_element(fastest.begin(), fastest.end());
}

std::string Network::node_text(Node node) const {
  if (node >= ranks_)
    return names_.empty() ? fmt::format("switch {}", node - ranks_) : names_[static_cast<std::size_t>(node)];
  const auto sitting = std::find(seats_.begin(), seats_.end(), node);
  return fmt::format("rank {}", seats_.empty() ? node : static_cast<Rank>(sitting - seats_.begin()));
}

std::string Network::link_text(Link l) const {
  return fmt::format("{} -> {}", node_text(link(l).from), node_text(link(l).to));
}

std::optional<std::pair<Rank, Rank>> Network::unreachable() const {
  std::vector<std::uint32_t> component(static_cast<std::size_t>(nodes_));
  boost::strong_components(
      graph_->graph, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph_->graph)));
  for (Rank r = 1; r < ranks_; ++r)
    if (component[static_cast<std::size_t>(seat(r))] != component[static_cast<std::size_t>(seat(0))])
      return std::pair{0, r};
  return std::nullopt;
}

}  // namespace onceover
