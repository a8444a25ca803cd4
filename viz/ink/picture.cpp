#include "viz/ink/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/rows.h"
#include "base/text.h"

namespace onceover::viz {

std::string_view name(Role role) {
  switch (role) {
    case Role::rank: return "rank";
    case Role::node: return "node";
    case Role::message: return "message";
    case Role::link: return "link";
    case Role::axis: return "axis";
    case Role::line: return "line";
    case Role::cell: return "cell";
    case Role::label: return "label";
    case Role::key: return "key";
    case Role::note: return "note";
    case Role::title: return "title";
    case Role::panel_title: return "panel title";
  }
  return "";
}

std::vector<std::string> Text::lines() const {
  std::vector<std::string> all;
  for (const std::string_view line : split(words, '\n')) all.emplace_back(line);
  return all;
}

double Polycurve::length() const {
  double sum = 0;
  for (const Curve& curve : shaft) sum += viz::length(curve);
  return sum;
}

std::vector<double> Polycurve::dashes() const {
  constexpr double enough_for_dashes = 15, enough_for_dots = 14;  // in points
  const double long_ = length();
  if (stroke.dash == "dashed" && long_ < enough_for_dashes) return {0.38 * long_, 0.24 * long_};
  if (stroke.dash == "dotted" && long_ < enough_for_dots) return {long_ / 7, long_ / 7};
  if (stroke.dash == "dashed") return {5, 2};
  if (stroke.dash == "dotted") return {1, 5};
  if (stroke.dash == "dash-dotted") return {5, 2, 1, 2};
  if (stroke.dash == "fine") return {1, 2};
  return {};
}

namespace {

/// The triangle from the end of a shaft to the tip. A line around it shrinks it to the middle of its inscribed circle,
/// so that its outer edge is where that of a filled one is.
Head head(Point base, Point tip, const Stroke& stroke) {
  constexpr double overlap = 0.3;  // of shaft and head: no light is seen between them
  const Point along = tip - base;
  const double straight = std::hypot(along.x, along.y);
  if (straight == 0) return {{tip}, 0};
  const Point unit = (1 / straight) * along;
  const double length = straight + overlap, half = std::max(0.42 * length, 0.9 * stroke.width);
  const Point back = tip - length * unit, side = half * Point{-unit.y, unit.x};
  Head made{{tip, back + side, back - side}, 0};
  if (stroke.head == "vee") made.corners = {tip, back + side, tip - 0.65 * length * unit, back - side};
  if (stroke.head != "empty") return made;
  const double inscribed = half * length / (half + std::hypot(half, length));
  made.border = std::min(stroke.width, 0.9 * inscribed);
  const Point middle = back + inscribed * unit;
  for (Point& corner : made.corners) corner = middle + (1 - made.border / 2 / inscribed) * (corner - middle);
  return made;
}

}  // namespace

std::vector<Head> heads_of(const Polycurve& line) {
  std::vector<Head> heads;
  if (line.stroke.head == "none") return heads;
  if (line.start) heads.push_back(head(line.shaft.front().from, *line.start, line.stroke));
  if (line.end) heads.push_back(head(line.shaft.back().to, *line.end, line.stroke));
  return heads;
}

Picture::Picture(Style style, std::string_view title, double height)
    : style_(std::move(style)), title_(shown(title)), width_(style_.width_in_points()), height_(height) {}

Picture::Picture(Style style, std::string_view title, std::shared_ptr<const Graph> graph)
    : style_(std::move(style)),
      title_(shown(title)),
      width_(style_.width_in_points()),
      height_(0),
      graph_(std::move(graph)) {}

namespace {

/// The text of a shape, if it has one.
std::optional<Text> text_in(const DrawnShape& shape) {
  using Anchor = Text::Anchor;
  if (const auto* text = std::get_if<Text>(&shape.form)) return *text;
  if (const auto* disc = std::get_if<Disc>(&shape.form); disc && !disc->label.empty())
    return Text{disc->centre, Anchor::middle, disc->label, disc->size, palette::black};
  if (const auto* box = std::get_if<Box>(&shape.form); box && !box->label.empty())
    return Text{box->corner + Point{box->width / 2, box->height / 2}, Anchor::middle, box->label, box->size,
                palette::black};
  return std::nullopt;
}

}  // namespace

std::vector<Text> Picture::texts() const {
  std::vector<Text> all;
  for (const DrawnShape& shape : shapes_)
    if (auto text = text_in(shape)) all.push_back(*std::move(text));
  return all;
}

double Picture::smallest_letters() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Text& text : texts()) least = std::min(least, text.size);
  return least;
}

void Picture::add(std::variant<Disc, Box, Text, Polycurve> form, Role role, std::string_view css_class,
                  std::string_view title) {
  std::string classes;
  if (style_.has_classes && !css_class.empty())
    classes = fmt::format("{}{}{}", css_class, further_class_.empty() ? "" : " ", further_class_);
  shapes_.push_back({std::move(form), role_.value_or(role), std::move(classes), shown(title)});
}

void Picture::disc(Point centre, double radius, std::string_view label, const Stroke& border, std::string_view fill,
                   std::string_view css_class) {
  const double size = label.empty() ? style_.font_size : size_in_circle(label, radius, style_.font_size);
  add(Disc{origin_ + centre, radius, border, fill, shown(label), size}, Role::rank, css_class, {});
}

void Picture::box(Point corner, double width, double height, std::string_view label, double font_size,
                  std::string_view fill, const Stroke& border) {
  add(Box{origin_ + corner, width, height, border, fill, shown(label), label.empty() ? style_.font_size : font_size},
      Role::cell, {}, {});
}

void Picture::text(Point centre, std::string_view label, double font_size, std::string_view colour) {
  add(Text{centre, Text::Anchor::middle, std::string(label), font_size, colour});
}

void Picture::text_from(Point left, std::string_view label, double font_size) {
  add(Text{left, Text::Anchor::start, std::string(label), font_size, palette::black});
}

void Picture::add(Text text) {
  text.at = origin_ + text.at;
  text.words = shown(text.words);
  if (!text.words.empty()) add(std::move(text), Role::label, {}, {});
}

double Picture::lines(double top, const std::vector<std::string>& texts, double font_size, double pitch) {
  for (const std::string& each : texts) {
    text({style_.width_in_points() / 2, top + pitch / 2}, each, font_size);
    top += pitch;
  }
  return top;
}

void Picture::curve(const Curve& curve, const Stroke& stroke, Heads heads, double head_scale,
                    std::string_view css_class, std::string_view title) {
  curves({curve}, stroke, heads, head_scale, css_class, title);
}

namespace {

constexpr double most_of_shaft = 0.4;

/// The line up to the bases of its heads, of that scale.
Polycurve cut_to_heads(Polycurve line, Heads heads, double scale) {
  line.head_scale = scale;
  if (heads == Heads::at_both) {
    line.start = line.shaft.front().from;
    line.shaft.front() = without_head(line.shaft.front().reversed(), 10 * scale).reversed();
  }
  line.end = line.shaft.back().to;
  line.shaft.back() = without_head(line.shaft.back(), 10 * scale);
  return line;
}

/// The line with heads that are at most so much of its shaft. A head takes more of a bent line than of a straight one,
/// for which the first guess is right.
Polycurve with_heads(const Polycurve& line, Heads heads) {
  const double most = most_of_shaft / (1 + most_of_shaft * (heads == Heads::at_both ? 2 : 1));
  double scale = std::min(line.head_scale, most * line.length() / 10);
  Polycurve cut = cut_to_heads(line, heads, scale);
  for (int tries = 0; tries < 8 && 10 * scale > most_of_shaft * cut.length() + 0.03; ++tries)
    cut = cut_to_heads(line, heads, scale *= 0.97);
  return cut;
}

}  // namespace

void Picture::curves(std::vector<Curve> curves, const Stroke& stroke, Heads heads, double head_scale,
                     std::string_view css_class, std::string_view title) {
  Polycurve line{std::move(curves), stroke, {}, {}, head_scale};
  for (Curve& curve : line.shaft) curve = curve.moved(origin_);
  // A thick line would fill a head that must stay open.
  if (stroke.head == "empty" && stroke.width > 1.5) line.head_scale *= 1.4;
  if (heads != Heads::none) line = with_heads(line, heads);
  const bool is_message = heads != Heads::none || !css_class.empty();
  add(std::move(line), is_message ? Role::message : Role::line, css_class, title);
}

namespace {

/// From where to where a shape reaches down the picture.
struct Height {
  double top, bottom;
};

Height height_of(const Disc& disc) {
  const double reach = disc.radius + disc.border.width / 2;
  return {disc.centre.y - reach, disc.centre.y + reach};
}

Height height_of(const Box& box) {
  return {box.corner.y - box.border.width / 2, box.corner.y + box.height + box.border.width / 2};
}

Height height_of(const Text& text) {
  double most = 0;
  for (const std::string& line : text.lines()) most = std::max(most, text_width(line, text.size));
  const double lines = text.pitch() * static_cast<double>(text.lines().size());
  const double half = (text.is_upright ? most : lines) / 2;
  return {text.at.y - half, text.at.y + half};
}

Height height_of(const Polycurve& line) {
  Height height{line.shaft.front().from.y, line.shaft.front().from.y};
  for (const Curve& curve : line.shaft)
    for (const Point p : {curve.from, curve.leaving, curve.arriving, curve.to})
      height = {std::min(height.top, p.y), std::max(height.bottom, p.y)};
  return {height.top - line.stroke.width / 2, height.bottom + line.stroke.width / 2};
}

void move_up(Disc& disc, double by) {
  disc.centre.y -= by;
}
void move_up(Box& box, double by) {
  box.corner.y -= by;
}
void move_up(Text& text, double by) {
  text.at.y -= by;
}
void move_up(Polycurve& line, double by) {
  const Point up{0, by};
  for (Curve& c : line.shaft) c = {c.from - up, c.leaving - up, c.arriving - up, c.to - up};
  if (line.start) line.start->y -= by;
  if (line.end) line.end->y -= by;
}

/// From the top of the uppermost shape to the bottom of the lowest one.
Height height_of(const std::vector<DrawnShape>& shapes) {
  Height all{std::numeric_limits<double>::infinity(), 0};
  for (const DrawnShape& shape : shapes) {
    const Height height = std::visit([](const auto& form) { return height_of(form); }, shape.form);
    all = {std::min(all.top, height.top), std::max(all.bottom, height.bottom)};
  }
  return all;
}

}  // namespace

std::string Picture::note() const {
  std::string words = note_left_out_;
  for (const DrawnShape& shape : shapes_)
    if (const auto* text = std::get_if<Text>(&shape.form); text && shape.role == Role::note)
      words += (words.empty() ? "" : " ") + replaced(text->words, "\n", " ");
  return words;
}

void Picture::leave_out(const std::vector<Role>& roles) {
  if (roles.empty()) return;
  const Height before = height_of(shapes_);
  const auto is_out = [&](const DrawnShape& shape) { return has(roles, shape.role); };
  if (has(roles, Role::note)) note_left_out_ = note();
  std::erase_if(shapes_, is_out);
  if (shapes_.empty()) return;
  const Height left = height_of(shapes_);
  const double up = left.top - before.top;
  for (DrawnShape& shape : shapes_) std::visit([&](auto& form) { move_up(form, up); }, shape.form);
  height_ -= up + (before.bottom - left.bottom);
}

}  // namespace onceover::viz
