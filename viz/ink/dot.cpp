// A node for each disc, box and text, an edge for each line, all with their places: `nop2` leaves them there. In
// Graphviz, y grows upward.
//
// Example: n3 [pos="67.30,-30.34" width="0.1806" height="0.1806" label="0" ..];

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "viz/ink/graph.h"
#include "viz/ink/writers.h"

namespace onceover::viz {

std::string dot_number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{:.2f}", rounded == 0 ? 0.0 : rounded);
}

std::string dot_inches(double points) {
  return fmt::format("{:.4f}", points / 72);
}

/// Graphviz draws a line with two colours as two lines.
std::string dot_look(const Stroke& stroke) {
  const bool is_double = stroke.dash == "double";
  const std::string colour =
      is_double ? fmt::format("{}:{}", stroke.colour, stroke.colour) : std::string(stroke.colour);
  return fmt::format("color=\"{}\" style=\"{}\" penwidth={}", colour, is_double ? "solid" : stroke.dash,
                     dot_number(stroke.width));
}

std::string dot_list(DotAttributes attributes) {
  std::string text;
  for (const auto& [key, value] : attributes) text += fmt::format(" {}=\"{}\"", key, escaped(value));
  return text;
}

namespace {

class DotWriter {
 public:
  explicit DotWriter(const Picture& picture) : picture_(picture) {
    const Style& style = picture.style();
    text_ = fmt::format("// Render with: dot -Tsvg\ndigraph \"{}\" {{\n", escaped(picture.title()));
    add("graph", {{"layout", "nop2"}, {"pad", "0"}, {"margin", "0"}, {"bgcolor", "white"}});
    add("node", {{"fontname", style.font},
                 {"fontsize", dot_number(style.font_size)},
                 {"shape", "circle"},
                 {"fixedsize", "true"},
                 {"margin", "0"},
                 {"label", ""}});
    for (const Point corner : {Point{0, 0}, Point{picture.width() - 1, picture.height()}})
      pin(corner, {{"style", "invis"}, {"width", "0.001"}, {"height", "0.001"}}, "");
    for (const DrawnShape& shape : picture.shapes()) std::visit([&](const auto& it) { add(it, shape); }, shape.form);
  }

  std::string finish() { return std::move(text_) + "}\n"; }

 private:
  void add(std::string_view what, DotAttributes attributes) {
    text_ += fmt::format("{} [{}];\n", what, dot_list(attributes).substr(1));
  }

  static std::string place(Point at) { return dot_number(at.x) + "," + dot_number(-at.y); }

  static std::string class_in(const DrawnShape& shape) {
    return shape.css_class.empty() ? "" : fmt::format(" class=\"{}\"", escaped(shape.css_class));
  }

  void pin(Point at, DotAttributes attributes, const std::string& css_class) {
    text_ += fmt::format("n{} [pos=\"{}\"{}{}];\n", nodes_++, place(at), dot_list(attributes), css_class);
  }

  void add(const Disc& disc, const DrawnShape& shape) {
    const std::string size = dot_inches(2 * disc.radius);
    pin(disc.centre,
        {{"width", size},
         {"height", size},
         {"label", disc.label},
         {"fontsize", dot_number(disc.size)},
         {"style", fmt::format("filled,{}", disc.border.dash)},
         {"color", std::string(disc.border.colour)},
         {"fillcolor", std::string(disc.fill)},
         {"penwidth", dot_number(disc.border.width)}},
        class_in(shape));
  }

  void add(const Box& box, const DrawnShape&) {
    pin(box.corner + Point{box.width / 2, box.height / 2},
        {{"shape", "box"},
         {"width", dot_inches(box.width)},
         {"height", dot_inches(box.height)},
         {"label", box.label},
         {"fontsize", dot_number(box.size)},
         {"style", "filled"},
         {"color", std::string(box.border.colour)},
         {"fillcolor", std::string(box.fill)},
         {"penwidth", dot_number(box.border.width)}},
        "");
  }

  void add(const Text& text, const DrawnShape&) {
    if (text.anchor == Text::Anchor::middle)
      return pin(text.at,
                 {{"shape", "plain"},
                  {"fixedsize", "false"},
                  {"label", text.words},
                  {"fontsize", dot_number(text.size)},
                  {"fontcolor", std::string(text.colour)}},
                 "");
    // A line that ends with \l is aligned at the left of its node, whatever the widths of its letters; \r at the right.
    const bool begins = text.anchor == Text::Anchor::start;
    const double width = std::max(1.0, begins ? picture_.width() - 1 - text.at.x : text.at.x);
    text_ +=
        fmt::format("n{} [pos=\"{}\" shape=\"plaintext\" width=\"{}\" height=\"{}\" fontsize=\"{}\" label=\"{}{}\"];\n",
                    nodes_++, place(text.at + Point{begins ? width / 2 : -width / 2, 0}), dot_inches(width),
                    dot_inches(text.size), dot_number(text.size), escaped(text.words), begins ? "\\l" : "\\r");
  }

  /// The parts of a line that are seen: all of it, or dashes if it is too short for those of Graphviz.
  static std::vector<std::pair<double, double>> parts_seen(const Polycurve& line) {
    const auto dashes = line.dashes();
    const double whole = line.length();
    std::vector<std::pair<double, double>> parts;
    if (dashes.empty() || dashes.front() == 5 || dashes.front() == 1) return {{0, 1}};
    for (double at = 0; at < whole - 1e-6; at += dashes[0] + dashes[1])
      parts.emplace_back(at / whole, std::min(1.0, (at + dashes[0]) / whole));
    return parts;
  }

  void add(const Polycurve& line, const DrawnShape& shape) {
    const std::string attributes =
        class_in(shape) + (shape.title.empty() ? "" : fmt::format(" tooltip=\"{}\"", escaped(shape.title)));
    const auto parts = line.shaft.size() > 1 ? std::vector{std::pair(0.0, 1.0)} : parts_seen(line);
    Stroke look = line.stroke;
    if (parts.size() > 1) look.dash = "solid";
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto [from, to] = parts[k];
      std::vector<Curve> shaft = line.shaft;
      if (parts.size() > 1) shaft = {shaft.front().before(to).after(from / to)};
      add_part(shaft, look, k == 0 ? line.start : std::nullopt, k + 1 == parts.size() ? line.end : std::nullopt,
               line.head_scale, attributes);
    }
  }

  void add_part(const std::vector<Curve>& shaft, const Stroke& stroke, const std::optional<Point>& start,
                const std::optional<Point>& end, double head_scale, const std::string& attributes) {
    const std::string ends = (start ? "s," + place(*start) + " " : "") + (end ? "e," + place(*end) + " " : "");
    const std::string_view direction = start ? (end ? "both" : "back") : end ? "forward" : "none";
    std::string places = place(shaft.front().from);
    for (const Curve& c : shaft) places += fmt::format(" {} {} {}", place(c.leaving), place(c.arriving), place(c.to));
    // A curve with a position ignores the nodes at its ends.
    text_ += fmt::format("n0 -> n1 [pos=\"{}{}\" dir={} arrowsize={} arrowhead={} arrowtail={} {}{}];\n", ends, places,
                         direction, dot_number(head_scale), stroke.head, stroke.head, dot_look(stroke), attributes);
  }

  const Picture& picture_;
  std::string text_;
  int nodes_ = 0;
};

}  // namespace

std::string dot_of(const Picture& picture) {
  return picture.graph() ? picture.graph()->dot() : DotWriter(picture).finish();
}

}  // namespace onceover::viz
