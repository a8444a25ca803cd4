// Any network: nodes are as far apart on the picture as they are in the network, as nearly as can be.
//
// The stress is the sum of ((distance on the picture - d) / d)^2 over all pairs, where d is their links apart. Each
// node in turn goes to the mean of where the others want it, which never adds stress (Gansner, Koren and North, "Graph
// drawing by stress majorization", 2004). Of several beginnings the one with the least stress at the end is shown.
//
// Example: three nodes in a row, all begun in a triangle, end in a line, because the outer two are two links apart.
//
// O(nodes^2) for each of at most 8 * 200 rounds.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "viz/network_layout.h"

namespace onceover::viz {

namespace {

constexpr Node most_nodes_by_distance = 150;
constexpr double lines_per_point = 1.2;  // at most, of the picture's width
constexpr double around_nodes = 12;

using Matrix = std::vector<std::vector<double>>;

/// The links between any two nodes; between those that aren't joined, as many as there are nodes.
Matrix links_apart(const Network& network) {
  const auto nodes = static_cast<std::size_t>(network.nodes());
  std::vector<std::vector<std::size_t>> beside(nodes);
  for (const LinkData& l : network.links()) {
    beside[static_cast<std::size_t>(l.from)].push_back(static_cast<std::size_t>(l.to));
    beside[static_cast<std::size_t>(l.to)].push_back(static_cast<std::size_t>(l.from));
  }
  const auto far = static_cast<double>(nodes);
  Matrix apart(nodes, std::vector<double>(nodes, far));
  for (std::size_t from = 0; from < nodes; ++from) {
    std::vector<std::size_t> reached{from};
    apart[from][from] = 0;
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (const std::size_t next : beside[reached[k]])
        if (apart[from][next] == far) {
          apart[from][next] = apart[from][reached[k]] + 1;
          reached.push_back(next);
        }
  }
  return apart;
}

double length(Point p) {
  return std::hypot(p.x, p.y);
}

/// Where the other nodes want this one: each at its distance, in the direction in which it is.
Point wanted_place(const std::vector<Point>& places, const Matrix& apart, std::size_t node) {
  Point sum{0, 0};
  double weights = 0;
  for (std::size_t other = 0; other < places.size(); ++other) {
    if (other == node) continue;
    const double distance = apart[node][other], weight = 1 / (distance * distance);
    const Point away = places[node] - places[other];
    sum = sum + weight * (places[other] + (distance / std::max(length(away), 1e-9)) * away);
    weights += weight;
  }
  return (1 / weights) * sum;
}

double stress(const std::vector<Point>& places, const Matrix& apart) {
  double sum = 0;
  for (std::size_t a = 0; a < places.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double part = length(places[a] - places[b]) / apart[a][b] - 1;
      sum += part * part;
    }
  return sum;
}

/// Where the nodes have little stress; one link is about 1 long.
std::vector<Point> settled(const Network& network) {
  constexpr int beginnings = 8, rounds = 200;
  const Matrix apart = links_apart(network);
  std::minstd_rand random;  // always from the same seed
  const auto coordinate = [&] { return static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max()); };
  std::vector<Point> best;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < beginnings; ++k) {
    std::vector<Point> places(apart.size());
    for (Point& p : places) {
      p.x = coordinate();
      p.y = coordinate();
    }
    for (int round = 0; round < rounds; ++round)
      for (std::size_t node = 0; node < places.size() && places.size() > 1; ++node)
        places[node] = wanted_place(places, apart, node);
    const double found = stress(places, apart);
    if (found < least) {
      least = found;
      best = std::move(places);
    }
  }
  return best;
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
  if (network.nodes() > most_nodes_by_distance)
    return too_large(
        fmt::format("{} has {} nodes; up to {} can be drawn", network.name(), network.nodes(), most_nodes_by_distance));
  if (network.link_count() > lines_per_point * width)
    return too_large(fmt::format("{} links are too many for {:.3g} in", network.link_count(), width / 72));
  auto layout = std::make_unique<DistancesLayout>(network, width);
  if (layout->is_covered() || !fits_numbers(network, layout->radius()))
    return too_large(fmt::format("the nodes of {} don't fit into {:.3g} in", network.name(), width / 72));
  return layout;
}

}  // namespace onceover::viz
