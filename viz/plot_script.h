// The words of Gnuplot's scripts that a plot shares with the small plots inside it, and these small plots.
#pragma once

#include <string>
#include <string_view>

#include "viz/plot.h"
#include "viz/plot_layout.h"
#include "viz/primitives.h"

namespace onceover::viz {

/// A text between single quotes, as Gnuplot reads it. Quotes become apostrophes and control characters spaces.
std::string in_quotes(std::string_view text);

/// The room that Gnuplot reckons a letter takes, in points. Its offsets count such letters, and ticks have their names
/// one letter from the frame.
struct LetterRoom {
  double width;
  double height;
};

/// Gnuplot's drivers reckon differently: the one for SVG far more generously than Cairo's.
LetterRoom letter_room(const Style& style, std::string_view format);

/// A panel: its part of the picture, and what tells its data from other panels'.
struct Panel {
  double bottom;
  double height;
  std::string number;
  LetterRoom letter;

  double at(double part) const { return bottom + part * height; }
  /// "offset 0.5,0": so many points to the right and up.
  std::string offset(double right, double up) const;
  std::string data() const { return "$data" + number; }
  std::string inset() const { return "$inset" + number; }
  std::string closeup() const { return "$closeup" + number; }
};

/// The look of a series, by its number. Colour, dashes and points differ, so the plot works without colours.
std::string look(std::size_t number);

/// The look of its line alone, and of a point of it as a label has it.
std::string line_look(std::size_t number);
std::string point_look(std::size_t number);

/// The colour alone: "lc rgb '#000000'".
std::string colour(std::size_t number);

/// Where a plot is placed: its sides in parts of the picture's width and of its panel.
std::string margins(const Panel& panel, double left, double right, double bottom, double top);

/// The font of notes and small plots.
std::string small_font(const Plot& plot);

/// A text at a place of the picture, in parts of it. `look` is its alignment, its angle and its font.
std::string text_at(Point place, std::string_view text, std::string_view look);

/// The boxes of `plot.inset`, which is there, in an area of the frame.
std::string inset_script(const Plot& plot, const Panel& panel, const Area& area);

/// The lines of `plot.closeup`, which is there, with their letters beside them.
std::string closeup_script(const Plot& plot, const Panel& panel, const Area& area);

}  // namespace onceover::viz
