#include "viz/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace onceover::viz {

namespace {

/// Two decimals, and no "-0".
std::string number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{:.2f}", rounded == 0 ? 0.0 : rounded);
}

std::string inches(double points) {
  return fmt::format("{:.4f}", points / 72);
}

/// Graphviz draws a line with two colours as two lines.
std::string line_attributes(const Stroke& stroke) {
  const bool is_double = stroke.dash == "double";
  const std::string colour =
      is_double ? fmt::format("{}:{}", stroke.colour, stroke.colour) : std::string(stroke.colour);
  return fmt::format("color=\"{}\" style=\"{}\" penwidth={}", colour, is_double ? "solid" : stroke.dash,
                     number(stroke.width));
}

}  // namespace

/// In Graphviz, y grows upward.
std::string Dot::place(Point at) const {
  const Point there = origin_ + at;
  return number(there.x) + "," + number(-there.y);
}

Dot::Dot(Style style, std::string_view title) : style_(std::move(style)) {
  text_ = fmt::format("// Render with: dot -Tsvg\ndigraph \"{}\" {{\n", escaped(title));
}

Dot Dot::pinned(const Style& style, std::string_view title, double height) {
  Dot dot(style, title);
  dot.text_ += fmt::format("{}{}\n", pinned_height, number(height));
  dot.add_attributes("graph", {{"layout", "nop2"}, {"pad", "0"}, {"margin", "0"}, {"bgcolor", "white"}});
  dot.add_attributes("node", {{"fontname", style.font},
                              {"fontsize", number(style.font_size)},
                              {"shape", "circle"},
                              {"fixedsize", "true"},
                              {"margin", "0"},
                              {"label", ""}});
  const double right = style.width_in_points() - 1;
  for (const Point corner : {Point{0, 0}, Point{right, height}})
    dot.pin(corner, {{"style", "invis"}, {"width", "0.001"}, {"height", "0.001"}});
  return dot;
}

Dot Dot::layered(const Style& style, std::string_view title, Attributes graph) {
  Dot dot(style, title);
  dot.add_attributes("graph", {{"layout", "dot"},
                               {"pad", "0.03"},
                               {"margin", "0"},
                               {"bgcolor", "white"},
                               {"size", fmt::format("{:.3f},100", style.width - 0.06)},
                               {"fontname", style.font},
                               {"fontsize", number(style.font_size)},
                               {"nodesep", "0.08"},
                               {"ranksep", "0.22"},
                               {"ordering", "out"}});
  if (graph.size() > 0) dot.add_attributes("graph", graph);
  const std::string size = number(style.font_size);
  dot.add_attributes("node", {{"fontname", style.font},
                              {"fontsize", size},
                              {"shape", "circle"},
                              {"fixedsize", "true"},
                              {"width", "0.21"},
                              {"height", "0.21"},
                              {"penwidth", "0.6"}});
  dot.add_attributes("edge",
                     {{"fontname", style.font}, {"fontsize", number(style.font_size - 1)}, {"arrowsize", "0.4"}});
  return dot;
}

namespace {

std::string listed(Dot::Attributes attributes) {
  std::string text;
  for (const auto& [key, value] : attributes) text += fmt::format(" {}=\"{}\"", key, escaped(value));
  return text;
}

}  // namespace

void Dot::add_attributes(std::string_view what, Attributes attributes) {
  text_ += fmt::format("{} [{}];\n", what, listed(attributes).substr(1));
}

void Dot::pin(Point at, Attributes attributes, std::string_view css_class) {
  text_ += fmt::format("n{} [pos=\"{}\"{}{}];\n", nodes_++, place(at), listed(attributes), class_attribute(css_class));
}

std::string Dot::class_attribute(std::string_view css_class) const {
  if (!style_.has_classes || css_class.empty()) return "";
  const std::string_view gap = further_class_.empty() ? "" : " ";
  return fmt::format(" class=\"{}{}{}\"", escaped(css_class), gap, escaped(further_class_));
}

void Dot::disc(Point centre, double radius, std::string_view label, const Stroke& border, std::string_view fill,
               std::string_view css_class) {
  const std::string size = inches(2 * radius);
  pin(centre,
      {{"width", size},
       {"height", size},
       {"label", std::string(label)},
       {"fontsize", number(label.empty() ? style_.font_size : size_in_circle(label, radius, style_.font_size))},
       {"style", fmt::format("filled,{}", border.dash)},
       {"color", std::string(border.colour)},
       {"fillcolor", std::string(fill)},
       {"penwidth", number(border.width)}},
      css_class);
}

void Dot::box(Point corner, double width, double height, std::string_view label, double font_size,
              std::string_view fill, const Stroke& border) {
  pin({corner.x + width / 2, corner.y + height / 2},
      {{"shape", "box"},
       {"width", inches(width)},
       {"height", inches(height)},
       {"label", std::string(label)},
       {"fontsize", number(label.empty() ? style_.font_size : font_size)},
       {"style", "filled"},
       {"color", std::string(border.colour)},
       {"fillcolor", std::string(fill)},
       {"penwidth", number(border.width)}});
}

void Dot::text(Point centre, std::string_view label, double font_size, std::string_view colour) {
  pin(centre, {{"shape", "plain"},
               {"fixedsize", "false"},
               {"label", std::string(label)},
               {"fontsize", number(font_size)},
               {"fontcolor", std::string(colour)}});
}

void Dot::text_from(Point left, std::string_view label, double font_size) {
  // A line that ends with \l is aligned at the left of its node, whatever the widths of its letters.
  const double width = std::max(1.0, style_.width_in_points() - 1 - origin_.x - left.x);
  text_ += fmt::format(
      "n{} [pos=\"{}\" shape=\"plaintext\" width=\"{}\" height=\"{}\" fontsize=\"{}\" label=\"{}\\l\"];\n", nodes_++,
      place({left.x + width / 2, left.y}), inches(width), inches(font_size), number(font_size), escaped(label));
}

void Dot::curve(const Curve& curve, const Stroke& stroke, Heads heads, double head_scale, std::string_view css_class) {
  // A thick line would fill a head that must stay open.
  if (stroke.head == "empty" && stroke.width > 1.5) head_scale *= 1.4;
  const double head_length = 10 * head_scale;
  std::string ends;
  Curve line = curve;
  if (heads == Heads::at_both) {
    ends += "s," + place(line.from) + " ";
    line = without_head(line.reversed(), head_length).reversed();
  }
  if (heads != Heads::none) {
    ends += "e," + place(line.to) + " ";
    line = without_head(line, head_length);
  }
  const std::string direction = heads == Heads::none ? "none" : heads == Heads::at_both ? "both" : "forward";
  // A curve with a position ignores the nodes at its ends.
  text_ +=
      fmt::format("n0 -> n1 [pos=\"{}{} {} {} {}\" dir={} arrowsize={} arrowhead={} arrowtail={} {}{}];\n", ends,
                  place(line.from), place(line.leaving), place(line.arriving), place(line.to), direction,
                  number(head_scale), stroke.head, stroke.head, line_attributes(stroke), class_attribute(css_class));
}

void Dot::node(std::string_view id, std::string_view label, Attributes attributes) {
  text_ += fmt::format("\"{}\" [label=\"{}\"{}];\n", escaped(id), escaped(label), listed(attributes));
}

void Dot::edge(std::string_view from, std::string_view to, std::string_view label, const Stroke& stroke,
               Attributes attributes) {
  text_ += fmt::format("\"{}\" -> \"{}\" [label=\"{}\" {} arrowhead={}{}];\n", escaped(from), escaped(to),
                       escaped(label), line_attributes(stroke), stroke.head, listed(attributes));
}

void Dot::begin_cluster(std::string_view id, std::string_view label) {
  text_ += fmt::format("subgraph \"cluster_{}\" {{\nlabel=\"{}\"; color=\"{}\"; penwidth=0.5; margin=6;\n", escaped(id),
                       escaped(label), palette::grey);
}

void Dot::end_cluster() {
  text_ += "}\n";
}

std::string Dot::finish() {
  text_ += "}\n";
  return std::move(text_);
}

}  // namespace onceover::viz
