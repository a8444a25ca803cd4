// NetworkLayout: where the nodes and links of a network are on a picture.
//
// | network | layout, in layouts/ |
// |---|---|
// | a ring; all ranks joined | a circle |
// | a torus, mesh or HyperX, a HammingMesh | a grid; of three or four sides, a grid for each plane |
// | ranks and levels of switches, each joined to the next level | levels, the ranks below |
// | a dragonfly | a circle of routers in groups, their ranks outside |
// | any other | nodes as far apart as they are in the network |
//
// Each link is a line of its own, on its right-hand side. Links that would cross the whole picture, such as those
// around a torus, are two stubs.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "viz/key.h"
#include "viz/view.h"

namespace onceover::viz {

/// The places of nodes, and the lines of links. Places are in points, within the layout's width and height.
class NetworkLayout {
 public:
  explicit NetworkLayout(const Network& network) : network_(network) {}
  virtual ~NetworkLayout() = default;

  virtual double width() const = 0;
  virtual double height() const = 0;
  /// Of a rank's circle.
  virtual double radius() const = 0;
  virtual Point at(Node node) const = 0;
  /// The lines of a link: one, or two stubs.
  virtual std::vector<Curve> lines(Link link) const = 0;

  /// How thick a line may be, in points, so that its neighbours don't touch it.
  virtual double widest_line() const { return std::clamp(0.75 * radius(), 0.5, 2.9); }

  /// Are there so many lines that those of links without load should not be drawn?
  virtual bool hides_unused() const { return false; }

  /// What stands in a node: its number or name, or nothing if it can't be read there.
  virtual std::string label(Node node) const;

  /// Draws what lies behind nodes and links, such as boards, and names it.
  virtual void draw_behind(Picture&, Point /*origin*/) const {}

  /// Adds what the reader must know: what a stub means, or a box.
  virtual void explain(PictureKey& key) const;

  const Network& network() const { return network_; }

  /// Half the height, and half the width of a node: of a rank's circle, or a switch's box.
  virtual double half_height(Node) const { return radius(); }
  double half_width(Node node) const;

 protected:
  /// A line between the edges of two nodes, on the right-hand side.
  Curve between(Node from, Node to, double aside) const;

  /// The same for places where there may be no nodes, as seen from ranks.
  Curve between(Point from, Point to, double aside) const;

  /// A line between the edges of two nodes, bent by `bow` points to the right-hand side.
  Curve bent(Node from, Node to, double bow) const;

  /// The part of a line outside of the nodes at its ends.
  Curve outside(const Curve& curve, Node from, Node to) const;

  bool is_rank(Node node) const { return node < network_.ranks(); }

 private:
  const Network& network_;
};

/// The layout for a network, or why it can't be read in that width, which is in points.
Drawn<std::unique_ptr<NetworkLayout>> layout_of(const Network& network, double width);

/// The layouts of the files in layouts/. A layout is null if the network is none of its kind.
Drawn<std::unique_ptr<NetworkLayout>> circle_layout(const Network& network, double width);
Drawn<std::unique_ptr<NetworkLayout>> grid_layout(const Network& network, double width);
Drawn<std::unique_ptr<NetworkLayout>> levels_layout(const Network& network, double width);
Drawn<std::unique_ptr<NetworkLayout>> groups_layout(const Network& network, double width);
Drawn<std::unique_ptr<NetworkLayout>> distances_layout(const Network& network, double width);

/// How many links each node is away from the nearest rank; -1: no rank reaches it. O(nodes + links)
std::vector<int> distances_from_ranks(const Network& network);

/// The radius of circles whose centres are so far apart. They grow until their numbers can be read.
double circle_radius(const Network& network, double apart);

/// Can the number of every rank be read in such a circle?
bool fits_numbers(const Network& network, double radius);

/// The number of a rank, or the name of a switch.
std::string node_label(const Network& network, Node node);

/// "0 to switch 3".
std::string link_label(const Network& network, Link link);

/// The network of the options; without one, the torus of the schedule's shape.
Drawn<std::shared_ptr<const Network>> network_of(const Header& header, const DrawOptions& options);

/// How links and nodes look.
struct NetworkLook {
  std::function<Stroke(Link)> stroke;
  std::function<std::string_view(Node)> fill = nullptr;  // null: ranks are white, switches pale
  std::function<double(Node)> border = nullptr;          // in points; null: thin
  std::function<std::string(Link)> load = nullptr;       // "8 blocks", for the link's title; null: it has none
  std::function<std::string(Link)> number = nullptr;     // on its right; empty or null: it has none
};

/// Draws it, thick lines over thin ones, and none of no width. A line has a head if it is long enough for one. Returns
/// how many numbers have no room; those of thick lines get theirs first. O(links log links)
std::size_t draw_network(Picture& picture, const NetworkLayout& layout, Point origin, const NetworkLook& look);

}  // namespace onceover::viz
