// The figures of Kolmakov and Zhang's paper: their formulas, and beside them our schedules.
#pragma once

#include "base/exit_code.h"
#include "papers/preset_report.h"

namespace onceover::papers {

/// Figure 1: the time of the generalized allreduce over that of the best known one, by size.
Result<PresetReport> kolmakov_figure_1();

/// Figures 7 to 10, which are measurements, by the formulas: the time for P = 127 by size.
Result<PresetReport> kolmakov_sizes();

/// Figures 11 and 12, which are measurements, by the formulas: the time by P, for 425 B and 9 KiB.
Result<PresetReport> kolmakov_processes();

/// The time by the number r of removed steps: the minimum, r by equation (37), and what that loses. Without ranks and
/// sizes, for P = 31 and 127, and sizes like those of the figures. P is at least 2.
Result<PresetReport> kolmakov_steps(std::vector<Rank> ranks, std::vector<double> sizes);

}  // namespace onceover::papers
