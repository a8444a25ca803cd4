// The figures of the Swing paper's evaluation, by our model, and such plots of any comparison.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "papers/presets.h"
#include "subjects/comparison.h"
#include "subjects/network_plan.h"
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

/// "figure 7", "figure 8" and so on: what the paper says beside the model, the times, and the picture. Figures 8 and 9
/// show gains, figure 16 their distributions, the others goodput.
Result<PresetReport> swing_figure(std::string_view figure, const NetworkPlan& plan);

}  // namespace onceover::papers
