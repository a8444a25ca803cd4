// The words of Gnuplot's scripts that a plot and the small plots inside it share.
#pragma once

#include <string>
#include <string_view>

#include "viz/plot.h"

namespace onceover::viz {

/// A text between single quotes, as Gnuplot reads it. Quotes become apostrophes and control characters spaces.
std::string in_quotes(std::string_view text);

/// A panel: its part of the picture, and what tells its data from other panels'.
struct Panel {
  double bottom;
  double height;
  std::string number;

  double at(double part) const { return bottom + part * height; }
  std::string data() const { return "$data" + number; }
  std::string inset() const { return "$inset" + number; }
  std::string closeup() const { return "$closeup" + number; }
};

/// The look of a series, by its number. Colour, dashes and points differ, so the plot works without colours.
std::string look(std::size_t number);

/// The colour alone: "lc rgb '#000000'".
std::string colour(std::size_t number);

/// Where a plot is placed: its sides in parts of the picture's width and of its panel.
std::string margins(const Panel& panel, double left, double right, double bottom, double top);

/// The font of notes and small plots.
std::string small_font(const Plot& plot);

}  // namespace onceover::viz
