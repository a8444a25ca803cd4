#include "viz/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

double Dot::lines(double top, const std::vector<std::string>& texts, double font_size, double pitch) {
  for (const std::string& line : texts) {
    text({style_.width_in_points() / 2, top + pitch / 2}, line, font_size);
    top += pitch;
  }
  return top;
}

namespace {

double length(const Curve& c) {
  return std::hypot((c.leaving - c.from).x, (c.leaving - c.from).y) +
         std::hypot((c.arriving - c.leaving).x, (c.arriving - c.leaving).y) +
         std::hypot((c.to - c.arriving).x, (c.to - c.arriving).y);
}

/// The parts of a line that are seen: all of it, or dashes if it is too short for those of Graphviz.
std::vector<std::pair<double, double>> parts_seen(const Curve& line, std::string_view dash) {
  constexpr double enough_for_dashes = 15, enough_for_dots = 14;  // of Graphviz, in points
  if (dash == "dashed" && length(line) < enough_for_dashes) return {{0, 0.38}, {0.62, 1}};
  if (dash == "dotted" && length(line) < enough_for_dots) return {{0, 0.14}, {0.29, 0.43}, {0.57, 0.71}, {0.86, 1}};
  return {{0, 1}};
}

}  // namespace

void Dot::curve(const Curve& curve, const Stroke& stroke, Heads heads, double head_scale, std::string_view css_class,
                std::string_view title) {
  // A thick line would fill a head that must stay open.
  if (stroke.head == "empty" && stroke.width > 1.5) head_scale *= 1.4;
  const double head_length = 10 * head_scale;
  Curve shaft = curve;
  if (heads == Heads::at_both) shaft = without_head(shaft.reversed(), head_length).reversed();
  if (heads != Heads::none) shaft = without_head(shaft, head_length);
  const auto parts = parts_seen(shaft, stroke.dash);
  Stroke look = stroke;
  if (parts.size() > 1) look.dash = "solid";
  const std::string attributes =
      class_attribute(css_class) + (title.empty() ? "" : fmt::format(" tooltip=\"{}\"", escaped(title)));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto [from, to] = parts[k];
    const bool has_start = heads == Heads::at_both && k == 0;
    const bool has_end = heads != Heads::none && k + 1 == parts.size();
    line(shaft.before(to).after(from / to), look, has_start ? &curve.from : nullptr, has_end ? &curve.to : nullptr,
         head_scale, attributes);
  }
}

/// The line up to its heads, and the points of these, if it has them.
void Dot::line(const Curve& curve, const Stroke& stroke, const Point* start, const Point* end, double head_scale,
               const std::string& attributes) {
  const std::string ends =
      (start != nullptr ? "s," + place(*start) + " " : "") + (end != nullptr ? "e," + place(*end) + " " : "");
  const std::string_view direction = start != nullptr ? (end != nullptr ? "both" : "back")
                                     : end != nullptr ? "forward"
                                                      : "none";
  // A curve with a position ignores the nodes at its ends.
  text_ += fmt::format("n0 -> n1 [pos=\"{}{} {} {} {}\" dir={} arrowsize={} arrowhead={} arrowtail={} {}{}];\n", ends,
                       place(curve.from), place(curve.leaving), place(curve.arriving), place(curve.to), direction,
                       number(head_scale), stroke.head, stroke.head, line_attributes(stroke), attributes);
}

void Dot::node(std::string_view id, std::string_view label, Attributes attributes) {
  text_ += fmt::format("\"{}\" [label=\"{}\"{}];\n", escaped(id), escaped(label), listed(attributes));
}

void Dot::edge(std::string_view from, std::string_view to, std::string_view label, const Stroke& stroke,
               Attributes attributes) {
  text_ += fmt::format("\"{}\" -> \"{}\" [label=\"{}\" {} arrowhead={}{}];\n", escaped(from), escaped(to),
                       escaped(label), line_attributes(stroke), stroke.head, listed(attributes));
}

void Dot::caption(std::string_view words) {
  std::string lines;
  for (const std::string& line : lines_within(words, 0.9 * style_.width_in_points() - 8, style_.font_size))
    lines += (lines.empty() ? "" : "\n") + line;
  text_ += fmt::format("label=\"{}\";\n", escaped(lines));
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
