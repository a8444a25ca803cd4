#include "viz/room.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace onceover::viz {

namespace {

constexpr double margin_inside = 0.03;  // from the frame and from lines
constexpr double density = 0.01;        // between points that stand for a line

}  // namespace

void Room::take_line(const std::vector<Point>& points) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    points_.push_back(points[k]);
    if (k == 0) continue;
    const Point along = points[k] - points[k - 1];
    const int parts = std::max(1, static_cast<int>(std::ceil(std::hypot(along.x, along.y) / density)));
    for (int part = 1; part < parts; ++part)
      points_.push_back(points[k - 1] + static_cast<double>(part) / parts * along);
  }
}

bool Room::is_free(const Area& area) const {
  const auto is_inside = [&](Point p) {
    return p.x > area.left - margin_inside && p.x < area.left + area.width + margin_inside &&
           p.y > area.bottom - margin_inside && p.y < area.bottom + area.height + margin_inside;
  };
  return std::none_of(points_.begin(), points_.end(), is_inside) &&
         std::none_of(taken_.begin(), taken_.end(), [&](const Area& other) { return area.meets(other); });
}

std::optional<Area> Room::find(double width, double height) {
  const double right = 1 - margin_inside - width, top = 1 - margin_inside - height;
  if (right < margin_inside || top < margin_inside) return std::nullopt;
  // Left and right before the middle, high and low before it.
  constexpr std::array parts{0.0, 1.0, 0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5};
  for (const double across : parts)
    for (const double down : parts) {
      const Area area{margin_inside + across * (right - margin_inside), top - down * (top - margin_inside), width,
                      height};
      if (!is_free(area)) continue;
      take(area);
      return area;
    }
  return std::nullopt;
}

}  // namespace onceover::viz
