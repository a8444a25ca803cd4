// The figures of the Swing paper's evaluation, by our model.
#pragma once

#include <string_view>

#include "papers/preset_report.h"
#include "subjects/network_plan.h"

namespace onceover::papers {

/// "figure 7", "figure 8" and so on: what the paper says beside the model, the times, and the picture. Figures 8 and 9
/// show gains, figure 16 their distributions, the others goodput.
Result<PresetReport> swing_figure(std::string_view figure, const NetworkPlan& plan);

}  // namespace onceover::papers
