// Plots, the files to which they are written, and how they look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "subjects/option_values.h"
#include "viz/plot.h"

namespace onceover::cli {

/// Where a plot goes; empty: nowhere.
struct PlotFiles {
  std::string picture;  // .svg, .pdf, ..
  std::string script;
  std::optional<double> width = {};     // inches
  std::string font = {};                // not given: the style's
  std::optional<PlotScale> scale = {};  // not given: as the plot is made

  /// Does one of them go to standard output, where it is alone?
  bool is_printed() const { return picture == "-" || script == "-"; }

  bool any() const { return !picture.empty() || !script.empty(); }
};

/// Refuses names that can't be written, or that name no format.
Result<void> check(const PlotFiles& files);

/// Parses "linear", "percent" or "log".
Result<PlotScale> parse_plot_scale(const std::string& text);

/// Draws the panels below each other.
Result<void> write(const std::vector<Plot>& panels, const PlotFiles& files);

inline Result<void> write(const Plot& plot, const PlotFiles& files) {
  return write(std::vector{plot}, files);
}

}  // namespace onceover::cli
