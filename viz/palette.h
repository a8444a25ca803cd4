// How lines look: colours that colour-blind readers tell apart, and dashes that tell them apart without colour.
#pragma once

#include <string_view>

#include "schedules/types.h"

namespace onceover::viz {

/// The colours of Okabe and Ito (Color Universal Design, 2008), and greys.
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
}  // namespace palette

/// A line: colour, width in points, and in Graphviz' words its dashes and the shape of its arrowhead. As dashes there
/// is "double", too: two thin lines, which can be told from one even where it is too short for dots.
struct Stroke {
  std::string_view colour = palette::black;
  std::string_view dash = "solid";
  double width = 0.8;
  std::string_view head = "normal";

  Stroke scaled(double factor) const { return {colour, dash, width * factor, head}; }
};

/// Lanes differ in colour, and without colours still in dashes or width; six differ, then they repeat.
Stroke stroke_of_lane(int lane);

/// The same with the operation in the head: filled where the receiver reduces, open where it copies.
Stroke stroke_of(int lane, Op op);

/// The way `way` of a counterexample, 0 or more: all red, told apart by dashes.
Stroke stroke_of_way(std::size_t way);

/// The fill of a cell that holds `part` of all there is, 0 .. 1: white to a blue that black text is readable on.
std::string_view shade(double part);

}  // namespace onceover::viz
