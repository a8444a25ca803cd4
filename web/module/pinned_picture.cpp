// viz/dot.h writes each part of a pinned picture as one line: `n3 [pos="67.30,-30.34" width="0.18" label="0" ..];` is a
// node, `n0 -> n1 [pos="e,22.00,-61.18 4.00,-61.18 .." dir=forward ..];` a curve with its arrowheads. Here each line
// becomes a group of an SVG. In DOT y grows upward, in SVG downward.
//
// Example: a disc of class "rank rank-3" becomes <g class="node rank rank-3"><ellipse ../><text ..>3</text></g>.

#include "web/module/pinned_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace onceover::web {

namespace {

using base::split;

constexpr double head_length = 10, head_half_width = 3.5, shift_of_letters = 0.264;  // as Graphviz has them

struct Point {
  double x, y;
};

double number(std::string_view text, double otherwise = 0) {
  double value = otherwise;
  base::read_decimal(text.data(), text.data() + text.size(), value);
  return value;
}

/// "12.00,-3.50".
Point point(std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size() - 1);
  return {number(text.substr(0, comma)), -number(text.substr(comma + 1))};
}

class Attributes {
 public:
  /// What is in the brackets of a line: key="value" key=value ..
  explicit Attributes(std::string_view text) {
    while (!text.empty()) {
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos) return;
      std::string& value = values_[std::string(text.substr(0, equals))];
      text.remove_prefix(equals + 1);
      text.remove_prefix(text.starts_with('"') ? take_quoted(text, value) : take_bare(text, value));
      while (text.starts_with(' ')) text.remove_prefix(1);
    }
  }

  std::string_view operator[](std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string_view() : found->second;
  }

 private:
  /// Leaves escapes as they are; the length of what was read.
  static std::size_t take_quoted(std::string_view text, std::string& value) {
    std::size_t at = 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) value += text[at++];
      value += text[at];
    }
    return std::min(at + 1, text.size());
  }

  static std::size_t take_bare(std::string_view text, std::string& value) {
    const std::size_t end = std::min(text.find(' '), text.size());
    value = text.substr(0, end);
    return end;
  }

  std::map<std::string, std::string, std::less<>> values_;
};

/// The lines of a label, ready for SVG: entities are in it already.
struct Label {
  std::vector<std::string> lines{""};
  bool is_left = false;
};

Label label_of(std::string_view text) {
  Label label;
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string& line = label.lines.back();
    if (text[k] == '\\' && k + 1 < text.size()) {
      const char next = text[++k];
      label.is_left |= next == 'l';
      if (next == 'n') label.lines.emplace_back();
      if (next != 'n' && next != 'l') line += next;
    } else {
      line += text[k] == '<' ? "&lt;" : text[k] == '>' ? "&gt;" : std::string(1, text[k]);
    }
  }
  return label;
}

/// "solid" and "filled" need no dashes.
std::string dashes(std::string_view style) {
  if (style.find("dashed") != std::string_view::npos) return " stroke-dasharray=\"5,2\"";
  if (style.find("dotted") != std::string_view::npos) return " stroke-dasharray=\"1,5\"";
  return "";
}

std::string width_of(const Attributes& attributes) {
  const double width = number(attributes["penwidth"], 1);
  return width == 1 ? "" : fmt::format(" stroke-width=\"{:.2f}\"", width);
}

class Picture {
 public:
  void add_node(const Attributes& node) {
    const Point at = point(node["pos"]);
    if (node["style"] == "invis") {
      right_ = std::max(right_, at.x);
      bottom_ = std::max(bottom_, at.y);
      return;
    }
    open("node", node);
    const double w = 36 * number(node["width"]), h = 36 * number(node["height"]);  // half of it, in points
    const std::string_view shape = node["shape"];
    const std::string look = fmt::format("fill=\"{}\" stroke=\"{}\"{}{}", or_black(node["fillcolor"], "none"),
                                         or_black(node["color"]), width_of(node), dashes(node["style"]));
    if (shape == "box")
      svg_ += fmt::format("<polygon {0} points=\"{1:.2f},{3:.2f} {2:.2f},{3:.2f} {2:.2f},{4:.2f} {1:.2f},{4:.2f}\"/>\n",
                          look, at.x - w, at.x + w, at.y - h, at.y + h);
    else if (shape.empty())
      svg_ += fmt::format("<ellipse {} cx=\"{:.2f}\" cy=\"{:.2f}\" rx=\"{:.2f}\" ry=\"{:.2f}\"/>\n", look, at.x, at.y,
                          w, h);
    add_text(node, at, w);
    svg_ += "</g>\n";
  }

  void add_curve(const Attributes& curve) {
    open("edge", curve);
    std::vector<Point> points;
    std::optional<Point> start, end;
    for (const std::string_view word : split(curve["pos"], ' ')) {
      if (word.starts_with("s,"))
        start = point(word.substr(2));
      else if (word.starts_with("e,"))
        end = point(word.substr(2));
      else if (!word.empty())
        points.push_back(point(word));
    }
    if (points.size() == 4) add_path(curve, points);
    if (points.size() == 4 && start) add_head(curve, points.front(), *start);
    if (points.size() == 4 && end) add_head(curve, points.back(), *end);
    svg_ += "</g>\n";
  }

  std::string finish() {
    const double width = right_ + 1, height = bottom_ + 1;
    return fmt::format(
        "<svg width=\"{0:.0f}pt\" height=\"{1:.0f}pt\" viewBox=\"-0.50 -0.50 {0:.2f} {1:.2f}\" "
        "xmlns=\"http://www.w3.org/2000/svg\" font-family=\"Times,serif\">\n<g class=\"graph\">\n"
        "<polygon fill=\"white\" stroke=\"none\" points=\"0,0 {0:.2f},0 {0:.2f},{1:.2f} "
        "0,{1:.2f}\"/>\n{2}</g>\n</svg>\n",
        width, height, svg_);
  }

 private:
  static std::string_view or_black(std::string_view colour, std::string_view otherwise = "#000000") {
    return colour.empty() ? otherwise : colour.substr(0, colour.find(':'));
  }

  void open(std::string_view kind, const Attributes& part) {
    const std::string_view classes = part["class"], title = part["tooltip"];
    svg_ += fmt::format("<g class=\"{}{}{}\">\n", kind, classes.empty() ? "" : " ", classes);
    if (!title.empty()) svg_ += fmt::format("<title>{}</title>\n", label_of(title).lines.front());
  }

  void add_text(const Attributes& node, Point at, double half_width) {
    if (node["label"].empty()) return;
    const Label label = label_of(node["label"]);
    const double size = number(node["fontsize"], 8);
    for (std::size_t k = 0; k < label.lines.size(); ++k) {
      const double down = (static_cast<double>(k) - static_cast<double>(label.lines.size() - 1) / 2) * 1.2 * size;
      svg_ +=
          fmt::format("<text text-anchor=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" fill=\"{}\">{}</text>\n",
                      label.is_left ? "start" : "middle", label.is_left ? at.x - half_width : at.x,
                      at.y + down + shift_of_letters * size, size, or_black(node["fontcolor"]), label.lines[k]);
    }
  }

  /// A line of two colours is drawn as a wide one with white in it.
  void add_path(const Attributes& curve, const std::vector<Point>& p) {
    const bool is_double = curve["color"].find(':') != std::string_view::npos;
    const double width = number(curve["penwidth"], 1);
    const auto draw = [&](std::string_view colour, double wide) {
      svg_ += fmt::format(
          "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\"{} "
          "d=\"M{:.2f},{:.2f}C{:.2f},{:.2f} {:.2f},{:.2f} {:.2f},{:.2f}\"/>\n",
          colour, wide, dashes(curve["style"]), p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
    };
    draw(or_black(curve["color"]), is_double ? 3 * width : width);
    if (is_double) draw("white", width);
  }

  /// A triangle that begins at the end of the line and points to its goal.
  void add_head(const Attributes& curve, Point from, Point goal) {
    const double length = std::hypot(goal.x - from.x, goal.y - from.y), scale = number(curve["arrowsize"], 1);
    if (length == 0) return;
    const Point along{(goal.x - from.x) / length * scale, (goal.y - from.y) / length * scale};
    const Point side{-along.y * head_half_width, along.x * head_half_width};
    const std::string_view colour = or_black(curve["color"]);
    svg_ += fmt::format("<polygon fill=\"{}\" stroke=\"{}\"{} points=\"{:.2f},{:.2f} {:.2f},{:.2f} {:.2f},{:.2f}\"/>\n",
                        curve["arrowhead"] == "empty" ? "white" : colour, colour, width_of(curve), from.x - side.x,
                        from.y - side.y, from.x + along.x * head_length, from.y + along.y * head_length,
                        from.x + side.x, from.y + side.y);
  }

  double right_ = 0, bottom_ = 0;
  std::string svg_;
};

}  // namespace

std::optional<std::string> pinned_svg(std::string_view dot) {
  std::string all;
  std::optional<Picture> picture;
  bool is_pinned = false;
  for (const std::string_view line : split(dot, '\n')) {
    const std::size_t open = line.find(" [");
    if (line.starts_with("digraph ")) {
      picture.emplace();
      is_pinned = false;
    } else if (line.starts_with("graph [")) {
      is_pinned = line.find("layout=\"nop2\"") != std::string_view::npos;
    } else if (line == "}") {
      if (!picture || !is_pinned) return std::nullopt;
      all += picture->finish();
      picture.reset();
    } else if (picture && open != std::string_view::npos && line.ends_with("];") && line.starts_with('n') &&
               !line.starts_with("node ")) {
      const Attributes attributes(line.substr(open + 2, line.size() - open - 4));
      if (line.find(" -> ") < open)
        picture->add_curve(attributes);
      else
        picture->add_node(attributes);
    }
  }
  return all.empty() || picture ? std::nullopt : std::optional(all);
}

}  // namespace onceover::web
