#include "viz/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace onceover::viz {

namespace {

Point between(Point a, Point b, double t) {
  return (1 - t) * a + t * b;
}

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
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

bool Curve::is_straight() const {
  return length(*this) < 1.00001 * distance(from, to) + 1e-9;
}

double length(const Curve& curve) {
  const double around = distance(curve.from, curve.leaving) + distance(curve.leaving, curve.arriving) +
                        distance(curve.arriving, curve.to);
  return (around + distance(curve.from, curve.to)) / 2;
}

Curve without_head(const Curve& curve, double length) {
  double near = 0, far = 1;
  for (int k = 0; k < 30; ++k) {
    const double t = (near + far) / 2;
    (distance(curve.at(t), curve.to) > length ? near : far) = t;
  }
  return curve.before(std::max(near, 0.05));
}

Stroke stroke_of_lane(int lane) {
  static constexpr std::array<Stroke, 6> lanes{{
      {palette::blue, "solid", 0.9},
      {palette::vermilion, "dashed", 0.9},
      {palette::green, "double", 0.5},
      {palette::purple, "solid", 1.6},
      {palette::orange, "dashed", 1.6},
      {palette::sky, "dotted", 1.8},
  }};
  return lanes[static_cast<std::size_t>(lane) % lanes.size()];
}

Stroke stroke_of(int lane, Op op) {
  Stroke stroke = stroke_of_lane(lane);
  stroke.head = op == Op::reduce ? "normal" : "empty";
  return stroke;
}

Stroke stroke_of_path(std::size_t path) {
  static constexpr std::array<std::string_view, 3> dashes{"solid", "dashed", "dotted"};
  return {palette::vermilion, dashes[path % dashes.size()], 1.6};
}

std::string_view shade(double part) {
  static constexpr std::array<std::string_view, 7> blues{"#FFFFFF", "#EAF3FA", "#D3E6F3", "#B5D5EA",
                                                         "#93C1DF", "#70ABD3", "#4F95C7"};
  const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(blues.size() - 1);
  return blues[static_cast<std::size_t>(at + 0.5)];
}

namespace {

/// How many bytes the UTF-8 character at `at` has; 0 if none begins there.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (at + size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((static_cast<unsigned char>(text[at + k]) & 0xC0) != 0x80) return 0;
  return size;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

/// The width of a letter of Times in ems; 0 for further bytes of a UTF-8 character.
double ems_of(char c) {
  if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) return 0;
  constexpr std::string_view narrow = " .,:;'iljtf()[]", slim = "rs-", round = "acez", wide = "mw";
  if (narrow.find(c) != std::string_view::npos) return 0.27;
  if (slim.find(c) != std::string_view::npos) return 0.36;
  if (round.find(c) != std::string_view::npos) return 0.44;
  if (wide.find(c) != std::string_view::npos) return 0.75;
  return c >= 'A' && c <= 'Z' ? 0.67 : 0.5;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t size = character_size(text, k);
    if (size == 1)
      out += is_control(text[k]) && text[k] != '\n' ? ' ' : text[k];
    else
      out += size == 0 ? "?" : text.substr(k, size);
    k += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : shown(text)) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double ems = 0;
  for (const char c : text) ems += ems_of(c);
  return ems * font_size;
}

double size_in_circle(std::string_view label, double radius, double font_size) {
  return std::min(font_size, radius / radius_for(label, 1));
}

double radius_for(std::string_view label, double font_size) {
  constexpr double half_high = 0.33, around = 0.03;  // of a digit, in ems
  return font_size * std::max(1 / 1.25, std::hypot(text_width(label, 1) / 2, half_high) + around);
}

std::vector<std::string> lines_within(std::string_view text, double width, double font_size) {
  std::vector<std::string> lines{""};
  for (const std::string_view part : split(text, ' ')) {
    const std::string word(part);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || text_width(longer, font_size) <= width)
      lines.back() = longer;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace onceover::viz
