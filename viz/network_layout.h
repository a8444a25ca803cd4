// NetworkLayout: where the nodes and links of a network are on a picture.
//
// A ring is drawn as a circle, a torus or mesh of up to two dimensions as a grid. There each link is a line on its
// right-hand side; a link around a grid is two stubs. Graphviz places other networks. Ranks are 4 points or more apart
// on a circle and 11 in a grid, and Graphviz places up to 300 nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "viz/view.h"

namespace onceover::viz {

/// The places of nodes, and the lines of links.
class NetworkLayout {
 public:
  virtual ~NetworkLayout() = default;
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
  Curve between(Point from, Point to, double aside) const;
};

/// Is the network a ring, or a torus or mesh of up to two dimensions? Others have no NetworkLayout.
bool is_flat_grid(const Network& network);

Drawn<std::unique_ptr<NetworkLayout>> layout_of(const Network& network, double width);

/// Draws the links of a network that has a layout, each as `stroke(link)` says.
template <class StrokeOf>
void draw_links(Dot& dot, const Network& network, const NetworkLayout& layout, Point origin, StrokeOf&& stroke) {
  constexpr double head = 3;  // length of an arrowhead, in points
  for (Link l = 0; l < network.link_count(); ++l) {
    const auto lines = layout.lines(l);
    for (std::size_t n = 0; n < lines.size(); ++n) {
      const Curve& c = lines[n];
      const bool has_head = n + 1 == lines.size() && std::hypot((c.to - c.from).x, (c.to - c.from).y) > 3 * head;
      dot.curve({c.from + origin, c.leaving + origin, c.arriving + origin, c.to + origin}, stroke(l),
                has_head ? Heads::at_end : Heads::none, head / 10);
    }
  }
}

/// A picture for other networks, and a node of it. Refuses networks with too many nodes first.
Drawn<void> check_laid_out(const Network& network);
Dot laid_out(const Style& style, std::string_view title, const Network& network, const std::string& caption);
void add_node(Dot& dot, const Network& network, Node node, std::string_view fill, double border = 0.6);

/// The number of a rank, or the name of a switch.
std::string node_label(const Network& network, Node node);

/// The network of the options; without one, the torus of the schedule's shape.
Drawn<std::shared_ptr<const Network>> network_of(const Header& header, const DrawOptions& options);

}  // namespace onceover::viz
