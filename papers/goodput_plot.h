// The plots of the Swing paper's evaluation, of any comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "subjects/comparison.h"
#include "viz/plot.h"

namespace onceover::papers {

/// Goodput over the vector's size, with marks at the sizes from which another version is the fastest, and notes where
/// another contender becomes it. Inside are the run times of small vectors, and the gain of the first contender over
/// the best of the others, in percent; with a letter for each contender, over the boxes, which one that is. `peak` is
/// the largest goodput possible in Gb/s; 0: not known. (Swing paper, figure 7)
Plot goodput_plot(const Comparison& comparison, const std::string& title, double peak = 0,
                  const std::vector<std::string>& letters = {});

/// The run times of the vectors up to 32 KiB in microseconds; nothing if there are fewer than two, or no others.
std::optional<Closeup> small_times(const std::vector<Contender>& contenders, const std::vector<double>& sizes);

/// The gain of the first contender over the best of the others, in percent.
std::vector<double> gains_in_percent(const Comparison& comparison);

/// An empty plot over sizes of vectors, along a logarithmic axis.
Plot plot_over_sizes(const std::vector<double>& sizes, const std::string& title, const std::string& y_label);

}  // namespace onceover::papers
