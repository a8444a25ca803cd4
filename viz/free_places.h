// FreePlaces: where a picture has room for a text.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "viz/ink/picture.h"

namespace onceover::viz {

/// The width of a text, and the height of its digits and capital letters.
inline Point extent_of(std::string_view text, double size) {
  return {text_width(text, size), 0.7 * size};
}

/// The shapes of a picture, as what a text must not touch: discs, boxes, texts, links with their heads. Other lines lie
/// behind them.
///
/// A shape is one or several cores with a radius: a line is the points on it, half as thick as it is. A grid finds
/// those near a place. Memory: O(shapes, and points on lines); O(1) to ask, if few shapes are near.
class FreePlaces {
 public:
  /// The shapes that the picture has by now.
  explicit FreePlaces(const Picture& picture);

  /// Does a number of this size touch nothing there, and lie within the picture's width? Then it takes the place.
  bool take(Point middle, std::string_view number, double size);

 private:
  struct Area {
    double left, top, right, bottom;
    double radius = 0;  // around it
  };

  static Area area_of(Point middle, std::string_view text, double size);
  void add(const Area& area);
  void add_line(const Polycurve& line);
  bool is_free(const Area& area) const;

  /// Calls visit(key) for the squares of the grid that an area meets.
  template <class Visit>
  void for_each_square(const Area& area, Visit&& visit) const;

  double width_;
  std::vector<Area> areas_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> near_;  // areas by square
};

}  // namespace onceover::viz
