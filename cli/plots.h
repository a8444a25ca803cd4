// Plots of comparisons, and where they go.
#pragma once

#include <string>

#include "cli/plot_files.h"
#include "subjects/comparison.h"
#include "viz/plot.h"

namespace onceover::cli {

/// Goodput over the vector's size, with the sizes marked from which another version is the fastest, and the gain of the
/// first contender over the best other in a corner, in percent.
Plot goodput_plot(const Comparison& comparison, const std::string& title);

/// Refuses names that can't be written, or say no format.
Result<void> check(const PlotFiles& files);

Result<void> write(const Plot& plot, const PlotFiles& files);

}  // namespace onceover::cli
