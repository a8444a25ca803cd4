// Plot: values over an axis, as a picture, or as a script for Gnuplot that contains its data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viz/ink/picture.h"

namespace onceover::viz {

/// A line of a plot, or a group of its boxes.
struct Series {
  std::string name;
  std::vector<double> values;      // one for each x
  std::vector<std::size_t> marks;  // positions in x where something changes: large dots
};

/// A place on the axis where something changes, with a word about it.
struct AxisNote {
  double x;
  std::string text;
};

/// How values are shown: as they are, in percent of the best possible, or on a logarithmic axis.
enum class PlotScale : std::uint8_t { linear, percent, log };

/// A small plot with boxes inside another, over the same x.
struct Inset {
  std::string title;
  std::vector<double> values;
  std::vector<std::string> letters = {};  // over the boxes
};

/// A small plot inside another: the same series over its first x, with other values.
struct Closeup {
  std::string title;
  std::vector<std::vector<double>> values;  // of each series
  std::vector<std::string> letters = {};    // of each series, where it begins
};

/// The distribution of some values. (Tukey's box plot)
struct Spread {
  std::string name;
  double low, q1, median, q3, high;  // the whiskers, the quartiles
  std::vector<double> outliers;      // beyond the whiskers
};

struct Plot {
  enum class Kind { lines, boxes, spreads };

  std::string title;
  std::string x_label;
  std::string y_label;
  Kind kind = Kind::lines;
  std::vector<double> x = {};
  std::vector<std::string> x_names = {};  // of the ticks; empty: numbers
  bool has_log_x = false;
  bool has_log_y = false;
  std::vector<Series> series = {};
  std::optional<Inset> inset = {};
  std::optional<Closeup> closeup = {};
  std::vector<Spread> spreads = {};  // from the top, over a horizontal axis
  std::vector<AxisNote> notes = {};  // ascending
  double peak = 0;                   // that no value can exceed; 0: none is known
  Style style = {};

  bool has_values() const;
};

/// The plot on another scale. Nothing if it has no peak for percent, or a value that has no logarithm.
std::optional<Plot> on_scale(Plot plot, PlotScale scale);

/// The distribution of values, of which there is at least one. Whiskers end at the last value within 1.5 times the
/// distance of the quartiles. (Swing paper, section 5.5) O(n log n).
Spread spread_of(const std::string& name, std::vector<double> values);

/// The plots as a picture, below each other.
Picture picture_of(std::span<const Plot> panels);

/// A script for Gnuplot that draws about the same without the small plots, `gnuplot script > picture`: for who wants to
/// change more than the options can. `format` is svg, pdf, eps or png; for tikz and tex the script makes SVG. Names are
/// shown literally.
std::string gnuplot_script(std::span<const Plot> panels, std::string_view format);

/// The same for one plot.
inline std::string gnuplot_script(const Plot& plot, std::string_view format) {
  return gnuplot_script(std::span(&plot, 1), format);
}

}  // namespace onceover::viz
