// Settings of the papers by name: what they report, beside what our model says of the same setting.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/comparison.h"
#include "cli/network_plan.h"

namespace onceover::cli {

struct Preset {
  std::string_view name;
  std::string_view summary;
  Result<std::string> (*report)(const Preset&, const NetworkPlan&);
};

/// All presets; "all" stands for every one of them.
std::span<const Preset> presets();

/// The report of a preset as text, with the latencies and overheads of the plan. A usage error if there is none of that
/// name.
Result<std::string> preset_report(const std::string& name, const NetworkPlan& plan);

}  // namespace onceover::cli
