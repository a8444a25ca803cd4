// Graph: nodes, edges and clusters that Graphviz places in layers, read once into a picture.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/drawn.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

/// Ids are ours: letters and digits that begin with a letter. Labels may be any text.
class Graph {
 public:
  struct Node {
    enum class Outline : std::uint8_t { circle, box, none };

    std::string id;
    std::string label = {};
    Outline outline = Outline::circle;
    double radius = 7.5;  // of a circle, in points; others are as large as their labels
    double size = 0;      // of the letters; 0: as large as fits, at most the style's
    Stroke border = {.width = 0.6};
    std::string_view fill = palette::white;
    Role role = Role::node;
  };
  struct Edge {
    std::string from, to;
    std::string label = {};
    Stroke stroke = {};
    bool has_head = true;
    bool orders = true;  // what it points to is further down, or to the right if turned
    Role role = Role::line;
  };

  /// `between_nodes` and `between_layers` are in points.
  Graph(Style style, std::string_view title, double between_nodes = 5.8, double between_layers = 15.8);

  void add(Node node);
  void add(Edge edge);
  /// Words below the picture, in lines of its width.
  void caption(std::string_view words) { caption_ = words; }
  /// Nodes from here on are in a frame with a name.
  void begin_cluster(std::string_view label);
  void end_cluster();
  /// Layers are side by side, not below each other.
  void turn() { is_turned_ = true; }

  /// The picture, to be placed.
  Picture picture() &&;

  /// The graph as DOT.
  std::string dot() const;

  /// The picture with all parts at their places. If it is wider than the style asks for, it is shrunk, with its
  /// letters; if it is narrower, so is the picture. Runs Graphviz for at most `seconds`.
  Drawn<Picture> placed(int seconds) const;

 private:
  struct Cluster {
    std::string label;
    std::size_t first, end;  // of its nodes
  };

  double letters_of(const Node& node) const;
  Point size_of(const Node& node) const;
  double letters_of_edges() const { return style_.font_size - 1; }
  std::vector<std::string> caption_lines() const;
  std::string dot_node(const Node& node) const;

  Style style_;
  std::string title_;
  double between_nodes_;
  double between_layers_;
  bool is_turned_ = false;
  std::string caption_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Cluster> clusters_;

  friend class PlacedGraph;
};

/// The picture itself, or once Graphviz has placed it.
Drawn<Picture> placed(Picture picture, int seconds = 60);

/// Pieces of DOT.
using DotAttributes = std::initializer_list<std::pair<std::string_view, std::string>>;
std::string dot_number(double x);
std::string dot_inches(double points);
std::string dot_look(const Stroke& stroke);
std::string dot_list(DotAttributes attributes);

}  // namespace onceover::viz
