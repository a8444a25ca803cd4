#include "viz/palette.h"

#include <algorithm>
#include <array>

namespace onceover::viz {

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

Stroke stroke_of_way(std::size_t way) {
  static constexpr std::array<std::string_view, 3> dashes{"solid", "dashed", "dotted"};
  return {palette::vermilion, dashes[way % dashes.size()], 1.6};
}

std::string_view shade(double part) {
  static constexpr std::array<std::string_view, 7> blues{"#FFFFFF", "#EAF3FA", "#D3E6F3", "#B5D5EA",
                                                         "#93C1DF", "#70ABD3", "#4F95C7"};
  const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(blues.size() - 1);
  return blues[static_cast<std::size_t>(at + 0.5)];
}

}  // namespace onceover::viz
