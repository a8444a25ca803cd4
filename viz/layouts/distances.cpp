// Any network: nodes are as far apart on the picture as they are in the network, as nearly as springs between all pairs
// of them do it (Kamada and Kawai, "An algorithm for drawing general undirected graphs", 1989, as in Boost).

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/circle_layout.hpp>
#include <boost/graph/kamada_kawai_spring_layout.hpp>
#include <boost/graph/topology.hpp>
#include <limits>
#include <random>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr Node most_nodes_on_springs = 150;
constexpr double lines_per_point = 1.2;  // at most, of the picture's width
constexpr double around_nodes = 12;

using Springs = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                      boost::property<boost::edge_weight_t, double>>;
using Plane = boost::square_topology<std::minstd_rand>;

/// Ends when the layout hardly changes, or after so many moves.
class Patience {
 public:
  explicit Patience(std::size_t nodes) : moves_(100 * nodes * nodes) {}

  template <class Graph>
  bool operator()(double change, typename boost::graph_traits<Graph>::vertex_descriptor node, const Graph& graph,
                  bool is_of_all) {
    if (moves_ == 0) return true;
    --moves_;
    return settled_(change, node, graph, is_of_all);
  }

 private:
  std::size_t moves_;
  boost::layout_tolerance<double> settled_;
};

/// Where springs put the nodes, in any unit.
std::vector<Point> settled(const Network& network) {
  const auto nodes = static_cast<std::size_t>(network.nodes());
  Springs graph(nodes);
  for (const LinkData& l : network.links()) {
    const auto from = static_cast<std::size_t>(l.from), to = static_cast<std::size_t>(l.to);
    if (!boost::edge(from, to, graph).second) boost::add_edge(from, to, 1.0, graph);
  }
  std::vector<Plane::point_type> places(nodes);
  const auto place = boost::make_iterator_property_map(places.begin(), boost::get(boost::vertex_index, graph));
  boost::circle_graph_layout(graph, place, 1.0);
  boost::kamada_kawai_spring_layout(graph, place, boost::get(boost::edge_weight, graph), Plane(),
                                    boost::edge_length(1.0), Patience(nodes));
  std::vector<Point> points;
  for (const auto& each : places) points.push_back({each[0], each[1]});
  return points;
}

class DistancesLayout final : public NetworkLayout {
 public:
  DistancesLayout(const Network& network, double width)
      : NetworkLayout(network), width_(width), places_(settled(network)) {
    fit();
    double apart = 60;
    for (std::size_t a = 0; a < places_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const Point away = places_[a] - places_[b];
        apart = std::min(apart, std::hypot(away.x, away.y));
      }
    radius_ = circle_radius(network, apart);
  }

  double width() const override { return width_; }
  double height() const override { return height_; }
  double radius() const override { return radius_; }
  Point at(Node node) const override { return places_[static_cast<std::size_t>(node)]; }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network().link(link);
    return {between(l.from, l.to, 0.35 * radius_)};
  }

  /// Do two nodes cover each other?
  bool is_covered() const {
    for (Node a = 0; a < network().nodes(); ++a)
      for (Node b = 0; b < a; ++b) {
        const Point away = at(a) - at(b);
        if (std::abs(away.x) < half_width(a) + half_width(b) && std::abs(away.y) < half_height(a) + half_height(b))
          return true;
      }
    return false;
  }

 private:
  /// Turns the longer side across and uses all of the width, but no more height than that.
  void fit() {
    const auto bounds = [&](auto part) {
      const auto [least, most] =
          std::minmax_element(places_.begin(), places_.end(), [&](Point a, Point b) { return part(a) < part(b); });
      return std::pair(part(*least), part(*most));
    };
    auto across = bounds([](Point p) { return p.x; }), down = bounds([](Point p) { return p.y; });
    if (down.second - down.first > across.second - across.first) {
      for (Point& p : places_) std::swap(p.x, p.y);
      std::swap(across, down);
    }
    const double scale =
        std::min(90.0, (width_ - 2 * around_nodes - 16) / std::max(across.second - across.first, 1e-6));
    const double middle = (across.first + across.second) / 2;
    for (Point& p : places_) p = {width_ / 2 + scale * (p.x - middle), around_nodes + scale * (p.y - down.first)};
    height_ = 2 * around_nodes + scale * (down.second - down.first);
  }

  double width_;
  std::vector<Point> places_;
  double height_ = 0;
  double radius_ = 0;
};

}  // namespace

Drawn<std::unique_ptr<NetworkLayout>> distances_layout(const Network& network, double width) {
  if (network.nodes() > most_nodes_on_springs)
    return too_large(
        fmt::format("{} has {} nodes; up to {} can be drawn", network.name(), network.nodes(), most_nodes_on_springs));
  if (network.link_count() > lines_per_point * width)
    return too_large(fmt::format("{} links are too many for {:.3g} in", network.link_count(), width / 72));
  auto layout = std::make_unique<DistancesLayout>(network, width);
  if (layout->is_covered() || !fits_numbers(network, layout->radius()))
    return too_large(fmt::format("the nodes of {} don't fit into {:.3g} in", network.name(), width / 72));
  return layout;
}

}  // namespace onceover::viz
