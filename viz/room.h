// Room: places in a plot's frame where no line is.
#pragma once

#include <optional>
#include <vector>

#include "viz/geometry.h"

namespace onceover::viz {

/// A part of a frame, whose width and height are 1; y grows upward.
struct Area {
  double left, bottom, width, height;

  bool meets(const Area& other) const {
    return left < other.left + other.width && other.left < left + width && bottom < other.bottom + other.height &&
           other.bottom < bottom + height;
  }
};

/// Finds places for small plots and keys in a frame.
class Room {
 public:
  /// Takes the line through these points, of a frame.
  void take_line(const std::vector<Point>& points);
  void take(const Area& area) { taken_.push_back(area); }

  /// A place of this size that nothing has taken, which is then taken: corners first. Nothing if there is none.
  /// O(points).
  std::optional<Area> find(double width, double height);

 private:
  bool is_free(const Area& area) const;

  std::vector<Point> points_;  // on lines, close to each other
  std::vector<Area> taken_;
};

}  // namespace onceover::viz
