#include "network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <tuple>

#include "base/rows.h"
#include "network/graph.h"

namespace onceover::network {

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

/// The lines of all dimensions; their switches are numbered after the seats.
LaidGrid lay_out(std::vector<Line> lines) {
  const Rank ranks = product(lines);
  LaidGrid laid{.grid = {}, .nodes = ranks, .links = {}};
  std::size_t links = 0;
  for (const Line& line : lines) links += static_cast<std::size_t>(ranks / line.side) * line.links.size();
  laid.links.reserve(links);
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

/// Finds the nodes that messages reach, along the links or against them, as the graph has them.
class Reach {
 public:
  Reach(const Network& network, const LinkGraph& graph) : network_(network), graph_(graph.graph) {}

  template <class Visit>
  void for_each_beside(Node node, Visit&& visit) const {
    const auto [begin, end] = adjacent_vertices(static_cast<std::uint32_t>(node), graph_);
    std::for_each(begin, end, [&](std::uint32_t next) { visit(static_cast<Node>(next)); });
  }

  /// The nodes reached from `start`. Paths end at nodes that don't forward.
  std::vector<bool> from(Node start) const {
    std::vector<bool> reached(static_cast<std::size_t>(network_.nodes()));
    std::vector<Node> to_do{start};
    reached[static_cast<std::size_t>(start)] = true;
    while (!to_do.empty()) {
      const Node here = to_do.back();
      to_do.pop_back();
      if (here != start && !network_.forwards(here)) continue;
      for_each_beside(here, [&](Node next) {
        if (reached[static_cast<std::size_t>(next)]) return;
        reached[static_cast<std::size_t>(next)] = true;
        to_do.push_back(next);
      });
    }
    return reached;
  }

 private:
  const Network& network_;
  const LinkGraph::Graph& graph_;
};

/// The smallest, over all ranks, of the bandwidth of a rank's fastest link.
double slowest_port(Rank ranks, const std::vector<LinkData>& links) {
  std::vector<double> fastest(static_cast<std::size_t>(ranks));
  for (const LinkData& l : links)
    if (l.from < ranks) {
      double& speed = fastest[static_cast<std::size_t>(l.from)];
      speed = std::max(speed, l.bandwidth);
    }
  return fastest.empty() ? 0 : *std::min_element(fastest.begin(), fastest.end());
}

}  // namespace

bool Line::is_turned_onto_itself(Rank stride) const {
  const auto count = static_cast<Link>(links.size());
  if (nodes != side || board_links > 0 || count % side != 0) return false;
  for (Link j = 0; j < count; ++j) {
    const LinkData& here = links[static_cast<std::size_t>(j)];
    const LinkData& there = links[static_cast<std::size_t>((j + stride * links_of_seat()) % count)];
    if (here.from != j / links_of_seat() || there.to != (here.to + stride) % side) return false;
    if (here.bandwidth != there.bandwidth || here.latency != there.latency) return false;
  }
  return true;
}

std::vector<Rank> Grid::sides() const {
  return mapped(lines, &Line::side);
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
                                          const std::function<bool(Link)>& is_in, bool is_backward) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Link> numbers;
  ends.reserve(links.size());
  numbers.reserve(links.size());
  for (Link l = 0; l < static_cast<Link>(links.size()); ++l) {
    if (is_in && !is_in(l)) continue;
    const LinkData& link = links[static_cast<std::size_t>(l)];
    numbers.push_back(l);
    ends.emplace_back(static_cast<std::uint32_t>(link.from), static_cast<std::uint32_t>(link.to));
    if (is_backward) std::swap(ends.back().first, ends.back().second);
  }
  return std::make_shared<const LinkGraph>(
      LinkGraph{LinkGraph::Graph(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), numbers.begin(),
                                 static_cast<std::uint32_t>(nodes))});
}

struct Network::LazyGraph {
  std::once_flag asked;
  std::shared_ptr<const LinkGraph> made;
};

Network::Network(std::string name, Rank ranks, Node nodes, int ports, std::vector<LinkData> links)
    : name_(std::move(name)),
      ranks_(ranks),
      nodes_(nodes),
      ports_(ports),
      links_(std::move(links)),
      port_bandwidth_(slowest_port(ranks_, links_)),
      graph_(std::make_shared<LazyGraph>()) {}

Network::Network(std::string name, std::vector<Line> lines, int ports)
    : name_(std::move(name)), ranks_(product(lines)), ports_(ports), graph_(std::make_shared<LazyGraph>()) {
  LaidGrid laid = lay_out(std::move(lines));
  nodes_ = laid.nodes;
  links_ = std::move(laid.links);
  port_bandwidth_ = slowest_port(ranks_, links_);
  grid_ = std::move(laid.grid);
}

const LinkGraph& Network::graph() const {
  std::call_once(graph_->asked, [&] { graph_->made = graph_of(nodes_, links_); });
  return *graph_->made;
}

std::optional<Link> Network::make_half_duplex(const std::vector<bool>& is_half) {
  using Kind = std::tuple<Node, Node, double>;
  std::map<Kind, std::vector<Link>> unpaired;
  std::vector<Link> reverse(links_.size(), -1);
  for (Link l = 0; l < link_count(); ++l) {
    if (!is_half[static_cast<std::size_t>(l)]) continue;
    auto& back = unpaired[{link(l).to, link(l).from, link(l).bandwidth}];
    if (back.empty()) {
      unpaired[{link(l).from, link(l).to, link(l).bandwidth}].push_back(l);
      continue;
    }
    reverse[static_cast<std::size_t>(l)] = back.back();
    reverse[static_cast<std::size_t>(back.back())] = l;
    back.pop_back();
  }
  for (const auto& [kind, links] : unpaired)
    if (!links.empty()) return links.front();
  reverse_ = std::move(reverse);
  return std::nullopt;
}

std::string Network::node_text(Node node) const {
  if (node >= ranks_)
    return names_.empty() ? fmt::format("switch {}", node - ranks_) : names_[static_cast<std::size_t>(node)];
  const auto sitting = std::find(seats_.begin(), seats_.end(), node);
  return fmt::format("rank {}", seats_.empty() ? node : static_cast<Rank>(sitting - seats_.begin()));
}

const std::string& Network::name_in_file(Node node) const {
  static const std::string none;
  return names_.empty() ? none : names_[static_cast<std::size_t>(node)];
}

std::string Network::link_text(Link l) const {
  return fmt::format("{} -> {}", node_text(link(l).from), node_text(link(l).to));
}

/// Is this a grid of several lines, on each of which all seats reach each other? Then all do, line by line.
bool Network::has_joined_lines() const {
  return grid_ && grid_->lines.size() > 1 && forwards_.empty() &&
         std::all_of(grid_->lines.begin(), grid_->lines.end(),
                     [](const Line& line) { return !Network("", line.side, line.nodes, 1, line.links).unreachable(); });
}

std::optional<std::pair<Rank, Rank>> Network::unreachable() const {
  if (has_joined_lines()) return std::nullopt;
  const auto back = graph_of(nodes_, links_, nullptr, true);
  const Reach onward(*this, graph()), backward(*this, *back);
  auto all_ranks = [&](const std::vector<bool>& reached) {
    return std::count(reached.begin(), reached.begin() + ranks_, true) == ranks_;
  };
  // One node that forwards, that all ranks reach and that reaches all, is enough. In nearly every network, rank 0 or a
  // node beside it is one.
  constexpr std::size_t most_tried = 4;
  std::vector<Node> hubs{0};
  onward.for_each_beside(0, [&](Node node) { hubs.push_back(node); });
  std::erase_if(hubs, [&](Node node) { return !forwards(node); });
  hubs.resize(std::min(hubs.size(), most_tried));
  for (const Node hub : hubs)
    if (all_ranks(onward.from(hub)) && all_ranks(backward.from(hub))) return std::nullopt;
  for (Rank r = 0; r < ranks_; ++r) {
    const auto reached = onward.from(r);
    const auto missed = std::find(reached.begin(), reached.begin() + ranks_, false);
    if (missed != reached.begin() + ranks_) return std::pair{r, static_cast<Rank>(missed - reached.begin())};
  }
  return std::nullopt;
}

}  // namespace onceover::network
