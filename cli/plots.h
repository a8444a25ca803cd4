// Plots of comparisons, and their output.
#pragma once

#include <string>

#include "cli/plot_files.h"
#include "subjects/comparison.h"
#include "viz/plot.h"

namespace onceover::cli {

/// Goodput over the vector's size, with marks at the sizes from which another version is the fastest. A corner shows
/// the gain of the first contender over the best of the others, in percent.
Plot goodput_plot(const Comparison& comparison, const std::string& title);

/// Refuses names that can't be written, or that name no format.
Result<void> check(const PlotFiles& files);

Result<void> write(const Plot& plot, const PlotFiles& files);

}  // namespace onceover::cli
