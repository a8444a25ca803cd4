// Where the parts of a plot are. The key and small plots are inside the frame where no line is (Room). If there is no
// such place, the key is below the plot and a small plot is left out.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/plot.h"
#include "viz/primitives.h"

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

constexpr double left_margin = 0.15, right_margin = 0.93;  // the sides of the frame, in parts of the width

constexpr double key_edges = 0.3;  // above and below the key, in rows

bool has_key(const Plot& plot);

/// The room that the key needs, in points.
double key_width(const Plot& plot);
double key_height(const Plot& plot);

/// The size of letters in small plots and notes, in points.
double small_size(const Plot& plot);

/// The ends of the axes, and a value's place between them.
struct PlotAxes {
  double x0, x1, y0, y1;
  bool has_log_x, has_log_y;

  static double part(double value, double from, double to, bool is_log) {
    return is_log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  }

  Point at(double x, double y) const { return {part(x, x0, x1, has_log_x), part(y, y0, y1, has_log_y)}; }
};

/// The least and the most of the finite values; infinite if there is none.
std::pair<double, double> ends_of_values(const Plot& plot);

/// The axes. Above the values there is room for notes. Boxes have a unit of x each, distributions one of y.
PlotAxes axes_of(const Plot& plot);

/// What is inside the frame, in parts of it.
struct PlotInside {
  std::optional<Area> key, inset, closeup;
};

/// Nothing for a plot without lines. O(series * points).
PlotInside inside_of(const Plot& plot);

/// The ticks, which names or numbers stand beside.
std::vector<std::pair<double, std::string>> ticks_of_x(const Plot& plot);
std::vector<double> ticks_of_y(const Plot& plot);

/// Where the frame begins, in points: right of the numbers of its ticks and of its axis' name.
double left_of_frame(const Plot& plot);

/// The width and height of the frame, in points.
Point size_of_frame(const Plot& plot);

/// The room that the letters beside a close-up need, in points.
double letters_width(const Plot& plot);

/// The height of one plot, in inches. Spreads have a row each.
double height_of(const Plot& plot);

/// The bottom of the frame, in parts of the plot: above the key, the axis' name and its ticks.
double bottom_of(const Plot& plot);

/// The top of the frame, below the title.
double top_of(const Plot& plot);

}  // namespace onceover::viz
