// How lines look: in colours that colour-blind readers can distinguish, and with dashes that work without colour.
#pragma once

#include <string_view>

#include "schedules/types.h"

namespace onceover::viz {

/// The colours of Okabe and Ito (2008), which colour-blind readers can tell apart, and greys.
namespace palette {
inline constexpr std::string_view black = "#000000";
inline constexpr std::string_view blue = "#0072B2";
inline constexpr std::string_view vermilion = "#D55E00";
inline constexpr std::string_view green = "#009E73";
inline constexpr std::string_view purple = "#CC79A7";
inline constexpr std::string_view orange = "#E69F00";
inline constexpr std::string_view sky = "#56B4E9";
inline constexpr std::string_view grey = "#999999";
inline constexpr std::string_view pale = "#D9D9D9";
inline constexpr std::string_view white = "#FFFFFF";
inline constexpr std::string_view faint = "#EEEEEE";  // behind other things
}  // namespace palette

/// A line: its colour, its width in points, and in Graphviz' words its dashes and the shape of its arrowhead. The
/// dashes "double" mean two thin lines, which can be recognised even if they are too short for dots.
struct Stroke {
  std::string_view colour = palette::black;
  std::string_view dash = "solid";
  double width = 0.8;
  std::string_view head = "normal";

  Stroke scaled(double factor) const { return {colour, dash, width * factor, head}; }
};

/// The line of a lane. Six lanes differ in colour, and in dashes or width too; then they repeat.
Stroke stroke_of_lane(int lane);

/// The same with an arrowhead for the operation: filled if the receiver reduces, open if it copies.
Stroke stroke_of(int lane, Op op);

/// The line of path `way` of a counterexample, 0 or more: all are red and differ in dashes.
Stroke stroke_of_way(std::size_t way);

/// The fill of a cell that holds `part` of everything, 0 .. 1: from white to a blue on which black text is readable.
std::string_view shade(double part);

}  // namespace onceover::viz
