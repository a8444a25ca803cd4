// A line for each shape, in the order in which they are drawn: lines first.
//
// Example: a disc of class "rank rank-3" becomes <g class="rank rank-3"><ellipse ../><text ..>3</text></g>.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "viz/html.h"
#include "viz/ink/writers.h"

namespace onceover::viz {

namespace {

constexpr double around_svg = 0.5;  // points beyond the edges, for lines on them

/// At most two decimals, and no "-0".
std::string svg_number(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string place_in_svg(Point at) {
  return svg_number(at.x) + "," + svg_number(at.y);
}

std::string border_look(const Stroke& border) {
  if (border.width <= 0) return "";
  return fmt::format(" stroke=\"{}\" stroke-width=\"{}\"{}", border.colour, svg_number(border.width),
                     border.dash == "dashed"   ? " stroke-dasharray=\"5,2\""
                     : border.dash == "dotted" ? " stroke-dasharray=\"1,5\""
                                               : "");
}

std::string text_svg(const Text& text) {
  constexpr std::array<std::string_view, 3> anchors{" text-anchor=\"start\"", "", " text-anchor=\"end\""};
  const auto lines = text.lines();
  std::string all;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const double down = text.below(k, lines.size()) + text.to_baseline();
    const Point at = text.is_upright ? Point{text.at.x + down, text.at.y} : Point{text.at.x, text.at.y + down};
    const std::string place = text.is_upright ? fmt::format("transform=\"translate({}) rotate(-90)\"", place_in_svg(at))
                                              : fmt::format("x=\"{}\" y=\"{}\"", svg_number(at.x), svg_number(at.y));
    all += fmt::format("<text {} font-size=\"{}\"{}{}>{}</text>\n", place, svg_number(text.size),
                       anchors[static_cast<std::size_t>(text.anchor)],
                       text.colour == palette::black ? "" : fmt::format(" fill=\"{}\"", text.colour),
                       html_escaped(lines[k]));
  }
  return all;
}

std::string label_svg(Point centre, const std::string& label, double size) {
  if (label.empty()) return "";
  return text_svg({centre, Text::Anchor::middle, label, size, palette::black});
}

std::string svg(const Text& text) {
  return text_svg(text);
}

std::string svg(const Disc& disc) {
  return fmt::format("<ellipse cx=\"{}\" cy=\"{}\" rx=\"{}\" ry=\"{}\" fill=\"{}\"{}/>\n", svg_number(disc.centre.x),
                     svg_number(disc.centre.y), svg_number(disc.radius), svg_number(disc.radius), disc.fill,
                     border_look(disc.border)) +
         label_svg(disc.centre, disc.label, disc.size);
}

std::string svg(const Box& box) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}/>\n", svg_number(box.corner.x),
                     svg_number(box.corner.y), svg_number(box.width), svg_number(box.height), box.fill,
                     border_look(box.border)) +
         label_svg(box.corner + Point{box.width / 2, box.height / 2}, box.label, box.size);
}

std::string path_data(const std::vector<Curve>& shaft) {
  std::string data = "M" + place_in_svg(shaft.front().from);
  for (const Curve& c : shaft)
    data += c.is_straight()
                ? "L" + place_in_svg(c.to)
                : fmt::format("C{} {} {}", place_in_svg(c.leaving), place_in_svg(c.arriving), place_in_svg(c.to));
  return data;
}

std::string head_svg(const Head& head, std::string_view colour) {
  const std::string outline =
      head.border > 0 ? fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", colour, svg_number(head.border)) : "";
  std::string points;
  for (const Point corner : head.corners) points += (points.empty() ? "" : " ") + place_in_svg(corner);
  return fmt::format("<polygon fill=\"{}\"{} points=\"{}\"/>\n", head.border > 0 ? palette::white : colour, outline,
                     points);
}

/// A double line is a wide one with white in it.
std::string svg(const Polycurve& line) {
  std::string dashes;
  for (const double each : line.dashes()) dashes += (dashes.empty() ? "" : ",") + svg_number(each);
  if (!dashes.empty()) dashes = fmt::format(" stroke-dasharray=\"{}\"", dashes);
  const auto path = [&](std::string_view colour, double width) {
    return fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} d=\"{}\"/>\n", colour,
                       svg_number(width), dashes, path_data(line.shaft));
  };
  std::string all = path(line.stroke.colour, line.is_double() ? 3 * line.stroke.width : line.stroke.width);
  if (line.is_double()) all += path(palette::white, line.stroke.width);
  for (const Head& head : heads_of(line)) all += head_svg(head, line.stroke.colour);
  return all;
}

std::string svg(const DrawnShape& shape, bool has_titles) {
  const std::string form = std::visit([](const auto& it) { return svg(it); }, shape.form);
  const bool has_title = has_titles && !shape.title.empty();
  if (!has_title && shape.css_class.empty()) return form;
  return fmt::format("<g{}>\n{}{}</g>\n",
                     shape.css_class.empty() ? "" : fmt::format(" class=\"{}\"", html_escaped(shape.css_class)),
                     has_title ? fmt::format("<title>{}</title>\n", html_escaped(shape.title)) : "", form);
}

/// The class of a group: "panel-titles".
std::string class_of_group(Role role) {
  std::string plural(name(role));
  std::replace(plural.begin(), plural.end(), ' ', '-');
  return role == Role::axis ? "axes" : role == Role::key ? plural : plural + "s";
}

std::string all_shapes(const Picture& picture, bool has_titles) {
  std::string all;
  std::optional<Role> role;
  for (const bool are_lines : {true, false})
    for (const DrawnShape& shape : picture.shapes()) {
      if (shape.is_line() != are_lines) continue;
      if (role != shape.role) {
        all += fmt::format("{}<g class=\"{}\">\n", role ? "</g>\n" : "", class_of_group(shape.role));
        role = shape.role;
      }
      all += svg(shape, has_titles);
    }
  return all + (role ? "</g>\n" : "");
}

std::string view_box(const Picture& picture) {
  return fmt::format("viewBox=\"{0} {0} {1} {2}\"", svg_number(-around_svg), svg_number(picture.width()),
                     svg_number(picture.height() + 2 * around_svg));
}

/// The family, and what words of style at the end of its name say: "Times-Bold Italic".
std::string font_look(std::string family) {
  struct Word {
    std::string_view word, look;
  };
  constexpr std::array<Word, 4> words{{{"bolditalic", " font-weight=\"bold\" font-style=\"italic\""},
                                       {"bold", " font-weight=\"bold\""},
                                       {"italic", " font-style=\"italic\""},
                                       {"oblique", " font-style=\"oblique\""}}};
  std::string looks;
  for (bool is_done = false; !is_done;) {
    const std::size_t at = family.find_last_of(" -");
    std::string last = at == std::string::npos ? "" : family.substr(at + 1);
    for (char& c : last) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto found = std::find_if(words.begin(), words.end(), [&](const Word& each) { return each.word == last; });
    is_done = found == words.end() || at == 0;
    if (is_done) break;
    looks += found->look;
    family.resize(at);
  }
  // Where these aren't installed, others have letters of the same widths.
  const std::string_view others = family == "Times"       ? "Times New Roman,Liberation Serif,serif"
                                  : family == "Helvetica" ? "Arial,Liberation Sans,sans-serif"
                                  : family == "Courier"   ? "Courier New,Liberation Mono,monospace"
                                                          : "serif";
  return fmt::format("font-family=\"{},{}\"{}", html_escaped(family), others, looks);
}

}  // namespace

std::string svg_head(const Picture& picture, std::string_view title) {
  const std::string width = svg_number(picture.width()), height = svg_number(picture.height() + 2 * around_svg);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" {2} {3} text-anchor=\"middle\" "
      "role=\"img\" aria-label=\"{4}\">\n<title>{4}</title>\n"
      "<rect class=\"background\" x=\"{5}\" y=\"{5}\" width=\"{0}\" height=\"{1}\" fill=\"{6}\"/>\n",
      width, height, view_box(picture), font_look(picture.style().font), html_escaped(title), svg_number(-around_svg),
      palette::white);
}

std::string svg_shapes(const Picture& picture) {
  return all_shapes(picture, true);
}

std::string svg_of(const Picture& picture) {
  return svg_head(picture, picture.title()) + svg_shapes(picture) + std::string(svg_end);
}

std::string svg_in_page(const Picture& picture, std::string_view label, double scale) {
  return fmt::format("<svg width=\"{:.0f}\" {} text-anchor=\"middle\" role=\"img\" aria-label=\"{}\">\n{}{}",
                     picture.width() * scale, view_box(picture), html_escaped(label), all_shapes(picture, false),
                     svg_end);
}

}  // namespace onceover::viz
