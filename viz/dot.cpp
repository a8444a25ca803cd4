#include "viz/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace onceover {

namespace {

/// Two decimals, and no minus before nothing.
std::string number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{:.2f}", rounded == 0 ? 0.0 : rounded);
}

std::string inches(double points) {
  return fmt::format("{:.4f}", points / 72);
}

/// Graphviz counts upward.
std::string place(Point at) {
  return number(at.x) + "," + number(-at.y);
}

Point between(Point a, Point b, double t) {
  return (1 - t) * a + t * b;
}

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

/// Bytes of the UTF-8 character that begins at `at`; 0 if none does.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (at + size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((static_cast<unsigned char>(text[at + k]) & 0xC0) != 0x80) return 0;
  return size;
}

std::string escaped_character(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '&':
      return "&amp;";
    case '\n':
      return "\\n";
    default:
      return static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? " " : std::string(1, c);
  }
}

/// The width of a letter of Times, in its size; nothing for what goes on a UTF-8 character.
double ems_of(char c) {
  if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) return 0;
  constexpr std::string_view narrow = " .,:;'iljtf()[]", slim = "rs-", round = "acez", wide = "mw";
  if (narrow.find(c) != std::string_view::npos) return 0.27;
  if (slim.find(c) != std::string_view::npos) return 0.36;
  if (round.find(c) != std::string_view::npos) return 0.44;
  if (wide.find(c) != std::string_view::npos) return 0.75;
  return c >= 'A' && c <= 'Z' ? 0.67 : 0.5;
}

/// Graphviz draws a line of two colours as two lines.
std::string line_attributes(const Stroke& stroke) {
  const bool is_double = stroke.dash == "double";
  const std::string colour =
      is_double ? fmt::format("{}:{}", stroke.colour, stroke.colour) : std::string(stroke.colour);
  return fmt::format("color=\"{}\" style=\"{}\" penwidth={}", colour, is_double ? "solid" : stroke.dash,
                     number(stroke.width));
}

/// The curve up to where an arrowhead of this length has to begin.
Curve without_head(const Curve& curve, double length) {
  double near = 0, far = 1;
  for (int k = 0; k < 30; ++k) {
    const double t = (near + far) / 2;
    (distance(curve.at(t), curve.to) > length ? near : far) = t;
  }
  return curve.before(std::max(near, 0.05));
}

}  // namespace

Curve Curve::straight(Point from, Point to) {
  return {from, between(from, to, 1.0 / 3), between(from, to, 2.0 / 3), to};
}

Point Curve::at(double t) const {
  return before(t).to;
}

Curve Curve::before(double t) const {
  const Point a = between(from, leaving, t), b = between(leaving, arriving, t), c = between(arriving, to, t);
  const Point ab = between(a, b, t), bc = between(b, c, t);
  return {from, a, ab, between(ab, bc, t)};
}

Curve Curve::after(double t) const {
  return reversed().before(1 - t).reversed();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t size = character_size(text, k);
    if (size == 0)
      out += "?";
    else
      out += size == 1 ? escaped_character(text[k]) : std::string(text.substr(k, size));
    k += std::max<std::size_t>(size, 1);
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double ems = 0;
  for (const char c : text) ems += ems_of(c);
  return ems * font_size;
}

double size_in_circle(std::string_view label, double radius, double font_size) {
  const double fit = 1.85 * radius / std::max(text_width(label, 1), 0.1);
  return std::min({font_size, radius * 1.25, fit});
}

std::vector<std::string> lines_within(std::string_view text, double width, double font_size) {
  std::vector<std::string> lines{""};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || text_width(longer, font_size) <= width)
      lines.back() = longer;
    else
      lines.push_back(word);
    begin = end + 1;
  }
  return lines;
}

Dot::Dot(const Style& style, std::string_view title) : style_(style) {
  text_ = fmt::format("// Render with: dot -Tsvg\ndigraph \"{}\" {{\n", escaped(title));
}

Dot Dot::pinned(const Style& style, std::string_view title, double height) {
  Dot dot(style, title);
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
  return style_.has_classes && !css_class.empty() ? fmt::format(" class=\"{}\"", escaped(css_class)) : "";
}

void Dot::disc(Point centre, double radius, std::string_view label, const Stroke& border, std::string_view fill,
               std::string_view css_class) {
  const std::string size = inches(2 * radius);
  pin(centre,
      {{"width", size},
       {"height", size},
       {"label", std::string(label)},
       {"fontsize", number(size_in_circle(label, radius, style_.font_size))},
       {"style", fmt::format("filled,{}", border.dash)},
       {"color", std::string(border.colour)},
       {"fillcolor", std::string(fill)},
       {"penwidth", number(border.width)}},
      css_class);
}

void Dot::box(Point corner, double width, double height, std::string_view label, double font_size,
              std::string_view fill, const Stroke& border) {
  pin({corner.x + width / 2, corner.y + height / 2}, {{"shape", "box"},
                                                      {"width", inches(width)},
                                                      {"height", inches(height)},
                                                      {"label", std::string(label)},
                                                      {"fontsize", number(font_size)},
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
  text({left.x + text_width(label, font_size) / 2, left.y}, label, font_size);
}

void Dot::curve(const Curve& curve, const Stroke& stroke, Heads heads, double head_scale, std::string_view css_class) {
  // A thick line would fill the head that is to be open.
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
  // The ends' nodes don't matter to a curve that is at its place.
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

}  // namespace onceover
