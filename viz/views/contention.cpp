// contention: a network whose links are as thick and dark as their loads.
//
// A ring is drawn as a circle, a torus or mesh of up to two dimensions as a grid. There each rank has its place, each
// link is a line on its right-hand side, and each step that is asked for has a panel of its own. A link around a grid
// is two stubs. Graphviz places other networks, with one line between two nodes for the direction with more load.
//
// Example: 3 blocks on a link of 100 Gb/s beside links of 200 Gb/s are drawn as 6 blocks, because they take as long as
// 6 would on a fast link.
//
// Ranks are 4 points or more apart on a circle and 11 in a grid, and Graphviz places up to 300 nodes. O(links *
// panels), and the cost of the loads (network/contention.h).

#include "network/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/try.h"
#include "network/topology.h"
#include "viz/load_scale.h"
#include "viz/messages.h"

namespace onceover::viz {

namespace {

constexpr double panel_title_height = 14;
constexpr double narrowest_panel_cell = 11;
constexpr double narrowest_arc = 4;
constexpr double widest_panel_cell = 42;
constexpr double head = 3;             // length of an arrowhead, in points
constexpr std::size_t most_named = 8;  // hottest links whose names are shown
constexpr Node most_laid_out = 300;    // nodes that Graphviz places

/// Loads, and a title that says what they are.
struct Panel {
  std::string title;
  LinkLoads loads;
};

/// The places of a panel's nodes, and the lines of its links.
class Layout {
 public:
  virtual ~Layout() = default;
  virtual double width() const = 0;
  virtual double height() const = 0;
  virtual double radius() const = 0;
  virtual Point at(Node node) const = 0;

  /// How thick a line may be, in points, so that the two directions don't touch.
  double widest_line() const { return std::max(0.5, 0.75 * radius()); }

  /// The lines of a link: one, or two stubs for a link around the network.
  virtual std::vector<Curve> lines(Link link) const = 0;

 protected:
  /// A line from the edge of one circle to that of the other, on the right-hand side.
  Curve between(Point from, Point to, double aside) const {
    const Point along = to - from;
    const double length = std::hypot(along.x, along.y);
    const Point unit = (1 / length) * along;
    const Point right = aside * Point{-unit.y, unit.x};
    const double reach = std::sqrt(std::max(0.0, radius() * radius() - aside * aside)) + 0.8;
    return Curve::straight(from + right + reach * unit, to + right - reach * unit);
  }
};

/// The radius of circles whose centres are so far apart. They grow until their numbers can be read.
double circle_radius(const Network& network, double apart) {
  const double needed = radius_for(fmt::format("{}", network.ranks() - 1), smallest_letters);
  return std::min(7.0, std::clamp(needed, 0.26 * apart, 0.4 * apart));
}

/// A ring as a circle.
class Circle final : public Layout {
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
class GridLayout final : public Layout {
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

bool is_flat_grid(const Network& network) {
  return network.grid() && network.grid()->lines.size() <= 2 &&
         std::all_of(network.grid()->lines.begin(), network.grid()->lines.end(), is_ring_or_path);
}

Drawn<std::unique_ptr<Layout>> layout_of(const Network& network, double width) {
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

std::string rank_label(const Network& network, Node node) {
  const std::string text = network.node_text(node);
  return node < network.ranks() ? text.substr(text.find(' ') + 1) : text;
}

double fastest(const Network& network) {
  double most = 0;
  for (const LinkData& l : network.links()) most = std::max(most, l.bandwidth);
  return most;
}

bool is_uniform(const Network& network) {
  return std::all_of(network.links().begin(), network.links().end(),
                     [&](const LinkData& l) { return l.bandwidth == network.links()[0].bandwidth; });
}

/// Blocks on the link; if links differ in bandwidth, how many would take the fastest link as long.
double weight(const Network& network, const LinkLoads& loads, Link link) {
  return loads.nearest_load(link) * (fastest(network) / network.link(link).bandwidth);
}

std::string unit(const Network& network) {
  return is_uniform(network) ? "blocks" : fmt::format("blocks at {} Gb/s", fastest(network));
}

double most_of(const Network& network, const std::vector<Panel>& panels) {
  double most = 0;
  for (const Panel& panel : panels)
    for (Link l = 0; l < panel.loads.links(); ++l) most = std::max(most, weight(network, panel.loads, l));
  return most;
}

/// "most: 4 blocks on 0 to 1, 3 to 2" or "on each of 16 links".
std::string hottest_text(const Network& network, const LinkLoads& loads) {
  const Link hottest = loads.hottest(network);
  if (hottest < 0) return "nothing is sent";
  std::vector<std::string> names;
  for (Link l = 0; l < loads.links(); ++l)
    if (!loads.is_cooler(network, l, hottest))
      names.push_back(
          fmt::format("{} to {}", rank_label(network, network.link(l).from), rank_label(network, network.link(l).to)));
  const std::string where = names.size() <= most_named ? fmt::format("{}", fmt::join(names, ", "))
                                                       : fmt::format("each of {} links", names.size());
  return fmt::format("most: {} {} on {}", load_text(weight(network, loads, hottest)), unit(network), where);
}

std::string draw_placed(const std::string& title, const Network& network, const std::vector<Panel>& panels,
                        const Layout& layout, const DrawOptions& options) {
  const double size = options.style.font_size;
  const double width = options.style.width_in_points() - 2 * margin;
  std::vector<std::vector<std::string>> captions;
  double height = 0;
  for (const Panel& panel : panels) {
    captions.push_back(lines_within(hottest_text(network, panel.loads), width, size - 1));
    height += panel_title_height + layout.height() + (size + 1) * static_cast<double>(captions.back().size()) + 4;
  }
  Dot dot = Dot::pinned(options.style, title, height + LoadScale::height);
  const LoadScale scale(most_of(network, panels), unit(network), layout.widest_line());
  double top = 0;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    dot.text({margin + width / 2, top + panel_title_height / 2}, panels[k].title, size);
    const Point origin{margin, top + panel_title_height};
    for (Link l = 0; l < network.link_count(); ++l) {
      const auto lines = layout.lines(l);
      for (std::size_t n = 0; n < lines.size(); ++n) {
        const Curve& c = lines[n];
        const bool has_head = n + 1 == lines.size() && std::hypot((c.to - c.from).x, (c.to - c.from).y) > 3 * head;
        dot.curve({c.from + origin, c.leaving + origin, c.arriving + origin, c.to + origin},
                  scale.stroke(weight(network, panels[k].loads, l)), has_head ? Heads::at_end : Heads::none, head / 10);
      }
    }
    for (Node node = 0; node < network.ranks(); ++node)
      dot.disc(layout.at(node) + origin, layout.radius(), layout.radius() < 3 ? "" : rank_label(network, node));
    top += panel_title_height + layout.height();
    for (const std::string& line : captions[k]) {
      dot.text({margin + width / 2, top + size / 2 + 1}, line, size - 1);
      top += size + 1;
    }
    top += 4;
  }
  scale.draw(dot, top);
  return dot.finish();
}

/// Draws any other network, placed by Graphviz: a line between two nodes shows the direction with more load.
std::string draw_laid_out(const std::string& title, const Network& network, const Panel& panel,
                          const DrawOptions& options) {
  const bool has_switches = network.nodes() > network.ranks();
  Dot dot = Dot::layered(options.style, title,
                         {{"layout", has_switches && !network.grid() ? "dot" : "neato"},
                          {"overlap", "false"},
                          {"splines", "line"},
                          {"outputorder", "edgesfirst"},
                          {"rankdir", "BT"},
                          {"ranksep", "0.7"},
                          {"nodesep", "0.04"},
                          {"label", fmt::format("{}: {}; the fuller direction of each link, darker is more",
                                                panel.title, hottest_text(network, panel.loads))}});
  for (Node node = 0; node < network.nodes(); ++node) {
    if (node < network.ranks())
      dot.node(fmt::format("{}", node), rank_label(network, node),
               {{"style", "filled"}, {"fillcolor", std::string(palette::white)}});
    else
      dot.node(fmt::format("{}", node), rank_label(network, node),
               {{"shape", "box"},
                {"fixedsize", "false"},
                {"margin", "0.03"},
                {"style", "filled"},
                {"fillcolor", std::string(palette::pale)}});
  }
  std::map<std::pair<Node, Node>, double> fuller;
  for (Link l = 0; l < network.link_count(); ++l) {
    double& load = fuller[std::minmax(network.link(l).from, network.link(l).to)];
    load = std::max(load, weight(network, panel.loads, l));
  }
  const LoadScale scale(most_of(network, {panel}), unit(network), 3);
  for (const auto& [ends, load] : fuller)
    dot.edge(fmt::format("{}", ends.first), fmt::format("{}", ends.second), "", scale.stroke(load), {{"dir", "none"}});
  return dot.finish();
}

Drawn<std::vector<Panel>> panels_of(const Schedule& schedule, const Network& network, const DrawOptions& options) {
  std::vector<std::pair<std::string, std::pair<int, int>>> wanted;
  if (!options.steps) wanted.push_back({"all steps", {0, schedule.steps()}});
  if (options.steps)
    for (int s = options.steps->first; s <= options.steps->second; ++s)
      wanted.push_back({fmt::format("step {}", s), {s, s + 1}});
  std::vector<Panel> panels;
  for (const auto& [title, range] : wanted) {
    auto loads = loads_of(schedule, network, options.routing, range.first, range.second);
    if (!loads) return unsuitable("the loads outgrow 126 bits");
    panels.push_back({title, std::move(*loads)});
  }
  return panels;
}

/// The network of the options; without one, the torus of the schedule's shape.
Drawn<std::shared_ptr<const Network>> network_of(const Header& header, const DrawOptions& options) {
  if (options.network) return options.network;
  auto torus = make_topology({.name = "torus", .shape = header.sides()});
  if (!torus) return unsuitable(torus.error());
  return std::make_shared<const Network>(std::move(*torus));
}

Drawn<std::string> draw_contention(const Schedule& schedule, const DrawOptions& options) {
  const auto shown = TRY(network_of(schedule.header(), options));
  const Network& network = *shown;
  auto panels = TRY(panels_of(schedule, network, options));
  const std::string title = fmt::format("{} on {}", title_of(schedule.header()), network.name());
  if (is_flat_grid(network)) {
    const auto layout = TRY(layout_of(network, options.style.width_in_points() - 2 * margin));
    return draw_placed(title, network, panels, *layout, options);
  }
  if (network.nodes() > most_laid_out)
    return too_large(
        fmt::format("{} has {} nodes; up to {} can be drawn", network.name(), network.nodes(), most_laid_out));
  if (panels.size() > 1)
    return unsuitable("only tori and meshes of up to two dimensions show several steps; say --steps S");
  return draw_laid_out(title, network, panels.front(), options);
}

}  // namespace

const View contention_view{
    .name = "contention",
    .summary = "the network, links as thick and dark as their load, over all steps or in each",
    .heeds = "--steps --topology and the other options of the network",
    .draw = draw_contention,
};

}  // namespace onceover::viz
