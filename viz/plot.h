// Plot: values over an axis, as a script for Gnuplot that contains its data. Plots aren't views, which are DOT
// (view.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/dot.h"
#include "viz/drawn.h"

namespace onceover::viz {

/// A line of a plot, or a group of its boxes.
struct Series {
  std::string name;
  std::vector<double> values;      // one for each x
  std::vector<std::size_t> marks;  // positions in x where something changes: large dots
};

/// A small plot with boxes in a corner of another, over the same x.
struct Inset {
  std::string title;
  std::vector<double> values;
};

struct Plot {
  enum class Kind { lines, boxes };

  std::string title;
  std::string x_label;
  std::string y_label;
  Kind kind = Kind::lines;
  std::vector<double> x = {};
  std::vector<std::string> x_names = {};  // of the ticks; empty: numbers
  bool is_logarithmic = false;            // are both axes logarithmic?
  std::vector<Series> series = {};
  std::optional<Inset> inset = {};
  Style style = {};
};

/// The script, for `gnuplot script > picture`. `format` is svg, pdf or png. Names are shown literally.
std::string gnuplot_script(const Plot& plot, std::string_view format);

/// The bytes of the picture. Runs the program `gnuplot` on the search path for at most a minute.
Drawn<std::string> render_plot(const std::string& script);

}  // namespace onceover::viz
