// What pictures are made of: places and curves; lines and their looks; texts, and how much room they take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"
#include "schedules/types.h"

namespace onceover::viz {

/// A place in points from the upper left corner; x grows to the right, y downward.
struct Point {
  double x;
  double y;

  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(double k, Point a) { return {k * a.x, k * a.y}; }
};

/// A cubic Bézier curve.
struct Curve {
  Point from;
  Point leaving;  // control points
  Point arriving;
  Point to;

  static Curve straight(Point from, Point to);
  Point at(double t) const;

  /// The part up to t, and the part from t on, for t in 0 .. 1.
  Curve before(double t) const;
  Curve after(double t) const;

  Curve reversed() const { return {to, arriving, leaving, from}; }
  bool is_straight() const;
  Curve moved(Point by) const { return {from + by, leaving + by, arriving + by, to + by}; }
};

/// Of a curve, nearly: the mean of its chord and of the lines through its control points. (Gravesen, 1997)
double length(const Curve& curve);

/// The curve up to the place where an arrowhead of this length begins; never empty.
Curve without_head(const Curve& curve, double length);

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
/// dashes "double" mean two thin lines, which can be recognised even if they are too short for dots; "dash-dotted" and
/// "fine" are of plots.
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

/// The line of a path of a counterexample, by its number, 0 or more: all are red and differ in dashes.
Stroke stroke_of_path(std::size_t path);

/// The fill of a cell that holds `part` of everything, 0 .. 1: from white to a blue on which black text is readable.
std::string_view shade(double part);

/// The text as every format can show it: what isn't UTF-8 becomes "?", and control characters but the ends of lines
/// become spaces.
std::string shown(std::string_view text);

/// The same, escaped so that DOT shows it literally: quotes, backslashes and entities are escaped.
std::string escaped(std::string_view text);

/// The width of a text in Times, in points; an estimate to within a tenth.
double text_width(std::string_view text, double font_size);

/// The size in which a label fits into a circle, at most `font_size`.
double size_in_circle(std::string_view label, double radius, double font_size);

/// The least radius of a circle in which a label fits in that size.
double radius_for(std::string_view label, double font_size);

/// The text, broken between words into lines of at most about this width.
std::vector<std::string> lines_within(std::string_view text, double width, double font_size);

}  // namespace onceover::viz
