#include "viz/free_places.h"

#include <algorithm>
#include <cmath>

namespace onceover::viz {

namespace {

constexpr double square = 16;         // of the grid, in points
constexpr double beside_text = 0.9;   // between a text and other shapes
constexpr double beside_edge = 1;     // of the picture
constexpr double between_points = 2;  // on a line

}  // namespace

FreePlaces::FreePlaces(const Picture& picture) : width_(picture.width()) {
  for (const DrawnShape& shape : picture.shapes()) {
    if (const auto* disc = std::get_if<Disc>(&shape.form))
      add({disc->centre.x, disc->centre.y, disc->centre.x, disc->centre.y, disc->radius + disc->border.width / 2});
    if (const auto* box = std::get_if<Box>(&shape.form))
      add({box->corner.x, box->corner.y, box->corner.x + box->width, box->corner.y + box->height,
           box->border.width / 2});
    if (const auto* line = std::get_if<Polycurve>(&shape.form); line && shape.role == Role::link) add_line(*line);
  }
  for (const Text& text : picture.texts()) add(area_of(text.at, text.words, text.size));
}

FreePlaces::Area FreePlaces::area_of(Point middle, std::string_view text, double size) {
  const Point half = 0.5 * extent_of(text, size);
  return {middle.x - half.x, middle.y - half.y, middle.x + half.x, middle.y + half.y};
}

bool FreePlaces::take(Point middle, std::string_view number, double size) {
  const Area area = area_of(middle, number, size);
  if (area.left < beside_edge || area.right > width_ - beside_edge || !is_free(area)) return false;
  add(area);
  return true;
}

void FreePlaces::add_line(const Polycurve& line) {
  const auto add_point = [&](Point at, double thick) { add({at.x, at.y, at.x, at.y, thick / 2}); };
  for (const Curve& curve : line.shaft) {
    const int parts = std::max(1, static_cast<int>(std::ceil(length(curve) / between_points)));
    for (int k = 0; k <= parts; ++k) add_point(curve.at(static_cast<double>(k) / parts), line.stroke.width);
  }
  for (const Head& head : heads_of(line))
    for (const Point corner : head.corners) add_point(corner, 0);
}

void FreePlaces::add(const Area& area) {
  for_each_square(area, [&](std::int64_t key) { near_[key].push_back(areas_.size()); });
  areas_.push_back(area);
}

bool FreePlaces::is_free(const Area& area) const {
  bool is_free = true;
  for_each_square(area, [&](std::int64_t key) {
    const auto found = near_.find(key);
    if (found == near_.end()) return;
    for (const std::size_t k : found->second) {
      const Area& other = areas_[k];
      const double across = std::max({0.0, other.left - area.right, area.left - other.right});
      const double down = std::max({0.0, other.top - area.bottom, area.top - other.bottom});
      is_free = is_free && std::hypot(across, down) >= other.radius + beside_text;
    }
  });
  return is_free;
}

template <class Visit>
void FreePlaces::for_each_square(const Area& area, Visit&& visit) const {
  const auto number = [](double x) { return static_cast<std::int64_t>(std::floor(x / square)); };
  const double around = area.radius + beside_text;
  for (std::int64_t row = number(area.top - around); row <= number(area.bottom + around); ++row)
    for (std::int64_t column = number(area.left - around); column <= number(area.right + around); ++column)
      visit((row << 32) + column);
}

}  // namespace onceover::viz
