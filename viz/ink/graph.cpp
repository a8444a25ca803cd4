// Graphviz reads the graph as DOT and prints places, in inches, with y growing upward:
//   node b0v1 0.80 1.69 0.21 0.21 ..
//   edge b0v1 b0v2 4 0.77 1.42 0.75 1.21 0.72 0.92 0.70 0.72 " 4" 0.86 1.07 solid black
// An edge is a number of points, of curves each of which begins where the one before it ends; then its label and where
// that is, if it has one. Edges that join the same nodes come in their order. Frames are around their nodes.

#include "viz/ink/graph.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "viz/ink/writers.h"
#include "viz/renderer.h"

namespace onceover::viz {

namespace {

constexpr double around_words = 3;    // in a box, in points
constexpr double around_cluster = 6;  // around its nodes
constexpr double around_graph = 2;
constexpr double caption_gap = 3;

}  // namespace

Graph::Graph(Style style, std::string_view title, double between_nodes, double between_layers)
    : style_(std::move(style)), title_(shown(title)), between_nodes_(between_nodes), between_layers_(between_layers) {}

void Graph::add(Node node) {
  node.label = shown(node.label);
  nodes_.push_back(std::move(node));
}

void Graph::add(Edge edge) {
  edge.label = shown(edge.label);
  edges_.push_back(std::move(edge));
}

void Graph::begin_cluster(std::string_view label) {
  clusters_.push_back({shown(label), nodes_.size(), nodes_.size()});
}

void Graph::end_cluster() {
  clusters_.back().end = nodes_.size();
  if (clusters_.back().first == nodes_.size()) clusters_.pop_back();
}

Picture Graph::picture() && {
  const Style style = style_;
  const std::string title = title_;
  return {style, title, std::make_shared<const Graph>(std::move(*this))};
}

double Graph::letters_of(const Node& node) const {
  if (node.size > 0) return node.size;
  return node.outline == Node::Outline::circle ? size_in_circle(node.label, node.radius, style_.font_size)
                                               : style_.font_size;
}

Point Graph::size_of(const Node& node) const {
  if (node.outline == Node::Outline::circle) return {2 * node.radius, 2 * node.radius};
  const Text text{{}, Text::Anchor::middle, node.label, letters_of(node), palette::black};
  const auto lines = text.lines();
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, text.size));
  const double around = node.outline == Node::Outline::box ? 2 * around_words : 1;
  return {width + around, text.pitch() * static_cast<double>(lines.size()) + around / 2};
}

std::vector<std::string> Graph::caption_lines() const {
  if (caption_.empty()) return {};
  return lines_within(caption_, 0.95 * style_.width_in_points() - 2 * margin, style_.font_size);
}

std::string Graph::dot_node(const Node& node) const {
  constexpr std::array<std::string_view, 3> shapes{"circle", "box", "plaintext"};
  const Point size = size_of(node);
  return fmt::format("{} [label=\"{}\" shape={} width={} height={} fontsize={} style=filled fillcolor=\"{}\" {}];\n",
                     node.id, escaped(node.label), shapes[static_cast<std::size_t>(node.outline)], dot_inches(size.x),
                     dot_inches(size.y), dot_number(letters_of(node)), node.fill,
                     fmt::format("color=\"{}\" penwidth={}", node.border.colour, dot_number(node.border.width)));
}

std::string Graph::dot() const {
  std::string caption;
  for (const std::string& line : caption_lines()) caption += (caption.empty() ? "" : "\n") + line;
  std::string text = fmt::format(
      "// Render with: dot -Tsvg\ndigraph \"{}\" {{\n"
      "graph [layout=dot pad=0.03 margin=0 bgcolor=white size=\"{:.3f},100\" fontname=\"{}\" fontsize={} nodesep={} "
      "ranksep={} ordering=out{} label=\"{}\"];\n"
      "node [fontname=\"{}\" fixedsize=true];\nedge [fontname=\"{}\" fontsize={} arrowsize=0.4];\n",
      escaped(title_), style_.width - 0.06, escaped(style_.font), dot_number(style_.font_size),
      dot_inches(between_nodes_), dot_inches(between_layers_), is_turned_ ? " rankdir=LR" : "", escaped(caption),
      escaped(style_.font), escaped(style_.font), dot_number(letters_of_edges()));
  std::size_t cluster = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (cluster < clusters_.size() && clusters_[cluster].first == k)
      text += fmt::format("subgraph cluster_{} {{\nlabel=\"{}\"; color=\"{}\"; penwidth=0.5; margin={};\n", cluster,
                          escaped(clusters_[cluster].label), palette::grey, around_cluster);
    text += dot_node(nodes_[k]);
    if (cluster < clusters_.size() && clusters_[cluster].end == k + 1) {
      text += "}\n";
      ++cluster;
    }
  }
  for (const Edge& edge : edges_) {
    const std::string label = edge.label.empty() ? "" : fmt::format("label=\"{}\" ", escaped(edge.label));
    text += fmt::format("{} -> {} [{}{} arrowhead={}{}{}];\n", edge.from, edge.to, label, dot_look(edge.stroke),
                        edge.stroke.head, edge.has_head ? "" : " dir=none", edge.orders ? "" : " constraint=false");
  }
  return text + "}\n";
}

namespace places {

struct PlacedEdge {
  std::vector<Curve> curves;
  Point label;
};

/// What Graphviz prints, in points, with y growing downward.
struct PlacedParts {
  std::map<std::string, Point, std::less<>> nodes;
  std::map<std::pair<std::string, std::string>, std::vector<PlacedEdge>> edges;
};

double number_in(std::string_view word) {
  double value = 0;
  read_decimal(word.data(), word.data() + word.size(), value);
  return value;
}

/// Graphviz counts upward, and puts what comes first on top; if the graph is turned, at the bottom.
struct PlaceReader {
  bool is_turned;

  Point operator()(const std::vector<std::string_view>& words, std::size_t at) const {
    if (at + 1 >= words.size()) return {};
    return {72 * number_in(words[at]), (is_turned ? 72 : -72) * number_in(words[at + 1])};
  }
};

PlacedEdge edge_in(const std::vector<std::string_view>& words, PlaceReader place_in) {
  constexpr std::size_t before_points = 4, behind_label = 2;  // "edge b0v1 b0v2 4"; "solid black"
  PlacedEdge edge;
  const double said = number_in(words[3]);
  const std::size_t count = said > 0 && said < static_cast<double>(words.size()) ? static_cast<std::size_t>(said) : 0;
  // Between neighbours in a layer, Graphviz draws some edges twice or three times. A line has one point more than a
  // multiple of three.
  const std::size_t of_one = count % 3 == 1 ? count : count % 3 == 2 ? count / 2 : count / 3;
  const auto point = [&](std::size_t k) { return place_in(words, before_points + 2 * k); };
  for (std::size_t k = 0; k + 3 < of_one && before_points + 2 * count <= words.size(); k += 3)
    edge.curves.push_back({point(k), point(k + 1), point(k + 2), point(k + 3)});
  edge.label = place_in(words, words.size() - behind_label - 2);
  return edge;
}

PlacedParts read_places(std::string_view plain, PlaceReader place_in) {
  PlacedParts places;
  for (const std::string_view line : split(plain, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() > 3 && words[0] == "node") places.nodes.emplace(words[1], place_in(words, 2));
    if (words.size() > 4 && words[0] == "edge")
      places.edges[{std::string(words[1]), std::string(words[2])}].push_back(edge_in(words, place_in));
  }
  return places;
}

/// A rectangle that grows.
struct Hull {
  Point least{1e9, 1e9}, most{-1e9, -1e9};

  void add(Point at, Point half = {0, 0}) {
    least = {std::min(least.x, at.x - half.x), std::min(least.y, at.y - half.y)};
    most = {std::max(most.x, at.x + half.x), std::max(most.y, at.y + half.y)};
  }
  Point size() const { return most - least; }
};

}  // namespace places

using namespace places;

/// The parts of a graph at their places, before they are shrunk and drawn.
class PlacedGraph {
 public:
  PlacedGraph(const Graph& graph, PlacedParts places) : graph_(graph), places_(std::move(places)) {
    for (const Graph::Node& node : graph.nodes_) hull_.add(at(node), 0.5 * graph.size_of(node));
    for (const Graph::Cluster& cluster : graph.clusters_) {
      frames_.push_back(frame_of(cluster));
      hull_.add(frames_.back().least);
      hull_.add(frames_.back().most);
    }
    std::map<std::pair<std::string, std::string>, std::size_t> next;
    for (const Graph::Edge& edge : graph.edges_) {
      const std::pair key{edge.from, edge.to};
      const auto& all = places_.edges[key];
      const std::size_t number = next[key]++;
      if (number < all.size() && !all[number].curves.empty()) add(edge, all[number]);
    }
  }

  bool is_whole() const {
    return edges_.size() == graph_.edges_.size() &&
           std::all_of(graph_.nodes_.begin(), graph_.nodes_.end(),
                       [&](const Graph::Node& node) { return places_.nodes.contains(node.id); });
  }

  Picture draw() const {
    const Style& style = graph_.style_;
    const Point size = hull_.size();
    const auto caption = graph_.caption_lines();
    double widest = 0;
    for (const std::string& line : caption) widest = std::max(widest, 1.05 * text_width(line, style.font_size));
    const double room = style.width_in_points() - 2 * around_graph, pitch = 1.2 * style.font_size;
    const double shrunk = std::min(1.0, room / size.x);
    const double width = std::max(shrunk * size.x, std::min(widest, room)) + 2 * around_graph;
    const double below = 2 * around_graph + shrunk * size.y;
    Picture picture(style, graph_.title_,
                    below + (caption.empty() ? 0 : caption_gap + pitch * static_cast<double>(caption.size())));
    picture.resize(width, picture.height());
    const Frame frame{{(width - shrunk * size.x) / 2, around_graph}, hull_.least, shrunk};
    for (std::size_t k = 0; k < frames_.size(); ++k) draw_frame(picture, frame, k);
    for (const auto& [edge, placed] : edges_) draw_edge(picture, frame, *edge, *placed);
    for (const Graph::Node& node : graph_.nodes_) draw_node(picture, frame, node);
    const auto note = picture.as(Role::note);
    for (std::size_t k = 0; k < caption.size(); ++k)
      picture.text({width / 2, below + caption_gap + pitch * (static_cast<double>(k) + 0.5)}, caption[k],
                   style.font_size);
    return picture;
  }

 private:
  /// From Graphviz' places to those of the picture.
  struct Frame {
    Point corner, least;
    double scale;

    Point operator()(Point at) const { return corner + scale * (at - least); }
    Curve operator()(const Curve& c) const {
      return {(*this)(c.from), (*this)(c.leaving), (*this)(c.arriving), (*this)(c.to)};
    }
  };

  Point at(const Graph::Node& node) const {
    const auto found = places_.nodes.find(node.id);
    return found == places_.nodes.end() ? Point{} : found->second;
  }

  /// Around its nodes, with its name above them.
  Hull frame_of(const Graph::Cluster& cluster) const {
    Hull hull;
    const Point around{around_cluster, around_cluster};
    for (std::size_t k = cluster.first; k < cluster.end; ++k)
      hull.add(at(graph_.nodes_[k]), 0.5 * graph_.size_of(graph_.nodes_[k]) + around);
    hull.least.y -= 1.2 * graph_.style_.font_size;
    const double middle = (hull.least.x + hull.most.x) / 2;
    hull.add({middle, hull.least.y}, {text_width(cluster.label, graph_.style_.font_size) / 2 + around_words, 0});
    return hull;
  }

  void add(const Graph::Edge& edge, const PlacedEdge& placed) {
    for (const Curve& c : placed.curves)
      for (const Point point : {c.from, c.at(0.25), c.at(0.5), c.at(0.75), c.to}) hull_.add(point);
    const double size = graph_.letters_of_edges();
    if (!edge.label.empty()) hull_.add(placed.label, {text_width(edge.label, size) / 2, size / 2});
    edges_.emplace_back(&edge, &placed);
  }

  void draw_frame(Picture& picture, const Frame& frame, std::size_t k) const {
    const Graph::Cluster& cluster = graph_.clusters_[k];
    const double size = graph_.style_.font_size;
    const auto title = picture.as(Role::panel_title);
    picture.box(frame(frames_[k].least), frame.scale * frames_[k].size().x, frame.scale * frames_[k].size().y, "", size,
                "none", {palette::grey, "solid", 0.5});
    picture.text(frame(Point{(frames_[k].least.x + frames_[k].most.x) / 2, frames_[k].least.y + 0.7 * size}),
                 cluster.label, frame.scale * size);
  }

  void draw_edge(Picture& picture, const Frame& frame, const Graph::Edge& edge, const PlacedEdge& placed) const {
    std::vector<Curve> curves;
    for (const Curve& c : placed.curves) curves.push_back(frame(c));
    picture.as(edge.role)->curves(std::move(curves), edge.stroke.scaled(frame.scale),
                                  edge.has_head && edge.stroke.head != "none" ? Heads::at_end : Heads::none,
                                  0.4 * frame.scale);
    if (!edge.label.empty()) picture.text(frame(placed.label), edge.label, frame.scale * graph_.letters_of_edges());
  }

  void draw_node(Picture& picture, const Frame& frame, const Graph::Node& node) const {
    const auto role = picture.as(node.role);
    const Point centre = frame(at(node)), size = frame.scale * graph_.size_of(node);
    const double letters = frame.scale * graph_.letters_of(node);
    switch (node.outline) {
      case Graph::Node::Outline::circle:
        return picture.disc(centre, size.x / 2, node.label, node.border.scaled(frame.scale), node.fill);
      case Graph::Node::Outline::box:
        return picture.box(centre - 0.5 * size, size.x, size.y, node.label, letters, node.fill,
                           node.border.scaled(frame.scale));
      case Graph::Node::Outline::none: return picture.text(centre, node.label, letters);
    }
  }

  const Graph& graph_;
  PlacedParts places_;
  Hull hull_;
  std::vector<Hull> frames_;
  std::vector<std::pair<const Graph::Edge*, const PlacedEdge*>> edges_;
};

Drawn<Picture> Graph::placed(int seconds) const {
  const auto plain = TRY(run(graphviz, {"-Tplain", "-Edir=none"}, dot(), seconds));
  const PlacedGraph placed(*this, read_places(plain, {is_turned_}));
  if (!placed.is_whole())
    return tl::unexpected(DrawError{DrawError::Kind::failed,
                                    "Graphviz didn't place all parts of the picture; is its program older than "
                                    "version 2.40?"});
  return placed.draw();
}

Drawn<Picture> placed(Picture picture, int seconds) {
  if (!picture.graph()) return picture;
  return picture.graph()->placed(seconds);
}

}  // namespace onceover::viz
