// Networks on a picture: nodes apart and inside, each link with lines of its own.

#include "viz/network_layout.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>
#include <set>

#include "network/network_file.h"
#include "networks.h"

namespace network_layout_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

bool is_inside(const NetworkLayout& layout, Point p) {
  return p.x > -1 && p.x < layout.width() + 1 && p.y > -1 && p.y < layout.height() + 1;
}

double away_from(const NetworkLayout& layout, Node node, Point p) {
  return std::hypot((p - layout.at(node)).x, (p - layout.at(node)).y);
}

/// Does the line begin, or end, at the edge of the node?
bool is_beside(const NetworkLayout& layout, Node node, Point p) {
  const double size = std::max(layout.half_width(node), layout.half_height(node));
  return away_from(layout, node, p) < 1.5 * size + 1.5;
}

void check_nodes(const NetworkLayout& layout) {
  const Node nodes = layout.network().nodes();
  for (Node a = 0; a < nodes; ++a) {
    CHECK(is_inside(layout, layout.at(a)));
    for (Node b = 0; b < a; ++b) {
      const Point away = layout.at(a) - layout.at(b);
      const bool is_apart = std::abs(away.x) > layout.half_width(a) + layout.half_width(b) - 0.5 ||
                            std::abs(away.y) > layout.half_height(a) + layout.half_height(b) - 0.5 ||
                            std::hypot(away.x, away.y) > 2 * layout.radius();
      CHECK(is_apart);
    }
  }
}

void check_links(const NetworkLayout& layout) {
  std::set<std::tuple<double, double, double, double>> seen;
  for (Link l = 0; l < layout.network().link_count(); ++l) {
    const auto lines = layout.lines(l);
    REQUIRE_FALSE(lines.empty());
    const LinkData& link = layout.network().link(l);
    CHECK((is_beside(layout, link.from, lines.front().from) || is_beside(layout, link.to, lines.back().to)));
    if (lines.size() == 2) CHECK(is_beside(layout, link.to, lines.back().to));
    for (const Curve& c : lines) {
      CHECK((is_inside(layout, c.from) && is_inside(layout, c.to)));
      const auto rounded = [](double x) { return std::round(20 * x); };
      CHECK(seen.emplace(rounded(c.at(0.5).x), rounded(c.at(0.5).y), rounded(c.from.x), rounded(c.from.y)).second);
    }
  }
}

/// A mesh of switches with a rank at each.
std::optional<Network> mesh_of_switches(int rows, int columns) {
  std::string text = "graph {";
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      text += fmt::format("{} -- s{}_{};", row * columns + column, row, column);
      if (column > 0) text += fmt::format("s{}_{} -- s{}_{};", row, column - 1, row, column);
      if (row > 0) text += fmt::format("s{}_{} -- s{}_{};", row - 1, column, row, column);
    }
  auto network = read_network(text + "}", "mesh.dot", {});
  return network ? std::optional(*std::move(network)) : std::nullopt;
}

void check_layout(const Network& network, double inches) {
  INFO(network.name());
  const auto layout = layout_of(network, inches * 72 - 2 * margin);
  if (!layout) FAIL(layout.error().message);
  check_nodes(**layout);
  check_links(**layout);
}

}  // namespace

TEST_CASE("every network has a layout in which nodes don't cover each other and links have their own lines") {
  for (const auto& [topology, shape] : every_topology({4, 4})) check_layout(network_of(topology, shape), 3.3);
  for (const std::string topology :
       {"hxmesh:rows=1,columns=4", "fat-tree:radix=4", "fat-tree:radix=8,taper=2", "dragonfly:hosts=1,routers=4"})
    check_layout(network_of(topology, {4, 4}), 3.3);
  check_layout(network_of("torus", {4, 4, 4}), 3.3);
  check_layout(network_of("torus", {2, 2, 2, 3}), 7);
  check_layout(network_of("mesh", {2, 3, 4}), 3.3);
  check_layout(network_of("torus", {2}), 3.3);
  check_layout(network_of("torus", {2, 2}), 3.3);
  check_layout(network_of("hyperx", {8, 8}), 7);
  check_layout(network_of("hyperx", {4, 4, 4}), 3.3);
  check_layout(network_of("hyperx", {4, 5, 2}), 3.3);
  check_layout(network_of("hyperx", {4, 4, 2, 2}), 7);
  check_layout(network_of("dragonfly", {64}), 7);
  check_layout(network_of("fat-tree", {64}), 3.3);
}

TEST_CASE("networks of files are drawn, too") {
  const auto ring_of_leaves = read_network(R"(graph {
    0 -- a; 1 -- a; 2 -- b; 3 -- b; 4 -- c; 5 -- c;
    a -- b; b -- c; c -- a
  })",
                                           "ring.dot", {});
  REQUIRE(ring_of_leaves);
  check_layout(*mesh_of_switches(3, 4), 3.3);
  check_layout(*ring_of_leaves, 3.3);
}

TEST_CASE("what can't be read has no layout") {
  const auto refused = [](const std::string& topology, const std::vector<Rank>& shape) {
    const Network network = network_of(topology, shape);
    const auto layout = layout_of(network, 229);
    REQUIRE_FALSE(layout);
    CHECK(layout.error().kind == DrawError::Kind::too_large);
    return layout.error().message;
  };
  CHECK(refused("full", {64}) == "4032 links are too many for a circle of 3.18 in");
  CHECK(refused("torus", {128}) == "the numbers of 128 ranks don't fit on a circle of 3.18 in");
  CHECK(refused("hyperx", {20, 2, 2}) == "the links between the planes of hyperx 20x2x2 need more width than 3.18 in");
  CHECK(refused("fat-tree", {128}) == "128 ranks in a row need more width than 3.18 in");
}

}  // namespace network_layout_test
