#include "viz/network_layout.h"

#include <fmt/format.h>

#include <cmath>

#include "network/topology.h"

namespace onceover::viz {

namespace {

constexpr double narrowest_panel_cell = 11;
constexpr double narrowest_arc = 4;
constexpr double widest_panel_cell = 42;
constexpr Node most_laid_out = 300;  // nodes that Graphviz places

/// The radius of circles whose centres are so far apart. They grow until their numbers can be read.
double circle_radius(const Network& network, double apart) {
  const double needed = radius_for(fmt::format("{}", network.ranks() - 1), smallest_letters);
  return std::min(7.0, std::clamp(needed, 0.26 * apart, 0.4 * apart));
}

/// A ring as a circle.
class Circle final : public NetworkLayout {
 public:
  Circle(const Network& network, double width) : network_(network), width_(width) {
    const double apart = 3.14159265358979 * (width - 24) / network.ranks();
    radius_ = circle_radius(network, apart);
  }

  double width() const override { return width_; }
  double height() const override { return width_; }
  double radius() const override { return radius_; }

  Point at(Node node) const override {
    const double turn = 2 * 3.14159265358979 * node / network_.ranks();
    const double reach = width_ / 2 - radius_ - 4;
    return {width_ / 2 + reach * std::sin(turn), width_ / 2 - reach * std::cos(turn)};
  }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network_.link(link);
    // Two ranks have two links each way.
    const bool is_second = network_.ranks() == 2 && link % 2 == 1;
    return {between(at(l.from), at(l.to), (is_second ? 0.75 : 0.35) * radius_)};
  }

 private:
  const Network& network_;
  double width_;
  double radius_;
};

/// A torus or mesh of one or two dimensions as a grid; links around it are stubs.
class GridLayout final : public NetworkLayout {
 public:
  GridLayout(const Network& network, double width) : network_(network) {
    const auto sides = network.grid()->sides();
    columns_ = sides.back();
    rows_ = sides.size() == 1 ? 1 : sides[0];
    cell_ = std::min(widest_panel_cell, width / (columns_ + 1.0));
    left_ = (width - columns_ * cell_) / 2;
    width_ = width;
  }

  double cell() const { return cell_; }
  double width() const override { return width_; }
  double height() const override { return (rows_ + 0.6) * cell_; }
  double radius() const override { return circle_radius(network_, cell_); }

  Point at(Node node) const override { return place(node / columns_, node % columns_); }

  std::vector<Curve> lines(Link link) const override {
    const LinkData& l = network_.link(link);
    const Point from = at(l.from);
    const Point to = at(l.to);
    const double aside = 0.42 * radius();
    if (!goes_around(link)) return {between(from, to, aside)};
    const Point step = (1 / std::hypot((to - from).x, (to - from).y)) * (to - from);
    const Curve out = between(from, from - cell_ * step, aside);
    const Curve in = between(to + cell_ * step, to, aside);
    return {out.before(0.75), in.after(0.25)};
  }

 private:
  Point place(Rank row, Rank column) const { return {left_ + (column + 0.5) * cell_, (row + 0.8) * cell_}; }

  /// Does the link lead around the grid? It does if it doesn't lead to the next seat, or if it is the second such link
  /// on a side of two.
  bool goes_around(Link link) const {
    const LinkData& l = network_.link(link);
    const Node distance = std::abs(l.from - l.to);
    if (distance != 1 && distance != columns_) return true;
    for (Link other = std::max(0, link - 3); other < link; ++other)
      if (network_.link(other).from == l.from && network_.link(other).to == l.to) return true;
    return false;
  }

  const Network& network_;
  Rank rows_;
  Rank columns_;
  double cell_;
  double left_;
  double width_;
};

bool is_ring_or_path(const Line& line) {
  return line.nodes == line.side && std::all_of(line.links.begin(), line.links.end(), [&](const LinkData& l) {
           const Node distance = std::abs(l.from - l.to);
           return distance == 1 || distance == line.side - 1;
         });
}

}  // namespace

Curve NetworkLayout::between(Point from, Point to, double aside) const {
  const Point along = to - from;
  const double length = std::hypot(along.x, along.y);
  const Point unit = (1 / length) * along;
  const Point right = aside * Point{-unit.y, unit.x};
  const double reach = std::sqrt(std::max(0.0, radius() * radius() - aside * aside)) + 0.8;
  return Curve::straight(from + right + reach * unit, to + right - reach * unit);
}

bool is_flat_grid(const Network& network) {
  return network.grid() && network.grid()->lines.size() <= 2 &&
         std::all_of(network.grid()->lines.begin(), network.grid()->lines.end(), is_ring_or_path);
}

Drawn<std::unique_ptr<NetworkLayout>> layout_of(const Network& network, double width) {
  const auto sides = network.grid()->sides();
  const auto& last = network.grid()->lines.back();
  const bool is_ring = sides.size() == 1 && static_cast<Rank>(last.links.size()) == 2 * last.side && last.side > 1;
  if (is_ring) {
    if (3.14159265358979 * width < narrowest_arc * network.ranks())
      return too_large(fmt::format("{} ranks are too many for a circle of {:.3g} in", network.ranks(), width / 72));
    return std::make_unique<Circle>(network, width);
  }
  auto grid = std::make_unique<GridLayout>(network, width);
  if (grid->cell() < narrowest_panel_cell)
    return too_large(fmt::format("a row of {} ranks needs more width than {:.3g} in", sides.back(), width / 72));
  return grid;
}

Drawn<void> check_laid_out(const Network& network) {
  if (network.nodes() <= most_laid_out) return {};
  return too_large(
      fmt::format("{} has {} nodes; up to {} can be drawn", network.name(), network.nodes(), most_laid_out));
}

Dot laid_out(const Style& style, std::string_view title, const Network& network, const std::string& caption) {
  const bool has_switches = network.nodes() > network.ranks();
  return Dot::layered(style, title,
                      {{"layout", has_switches && !network.grid() ? "dot" : "neato"},
                       {"overlap", "false"},
                       {"splines", "line"},
                       {"outputorder", "edgesfirst"},
                       {"rankdir", "BT"},
                       {"ranksep", "0.7"},
                       {"nodesep", "0.04"},
                       {"label", caption}});
}

void add_node(Dot& dot, const Network& network, Node node, std::string_view fill, double border) {
  const std::string id = fmt::format("{}", node), label = node_label(network, node), width = fmt::format("{}", border),
                    colour(fill);
  if (node < network.ranks())
    dot.node(id, label, {{"style", "filled"}, {"fillcolor", colour}, {"penwidth", width}});
  else
    dot.node(id, label,
             {{"shape", "box"},
              {"fixedsize", "false"},
              {"margin", "0.03"},
              {"style", "filled"},
              {"fillcolor", colour},
              {"penwidth", width}});
}

std::string node_label(const Network& network, Node node) {
  const std::string text = network.node_text(node);
  return node < network.ranks() ? text.substr(text.find(' ') + 1) : text;
}

Drawn<std::shared_ptr<const Network>> network_of(const Header& header, const DrawOptions& options) {
  if (options.network) return options.network;
  auto torus = make_topology({.name = "torus", .shape = header.sides()});
  if (!torus) return unsuitable(torus.error());
  return std::make_shared<const Network>(std::move(*torus));
}

}  // namespace onceover::viz
