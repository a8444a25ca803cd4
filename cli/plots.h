// Plots, and their output.
#pragma once

#include <string>
#include <vector>

#include "cli/plot_files.h"
#include "viz/plot.h"

namespace onceover::cli {

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
