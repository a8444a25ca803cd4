// Settings of the papers by name: what they report, beside what our model says about the same setting.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papers/preset_report.h"
#include "subjects/network_plan.h"

namespace onceover::papers {

/// What a preset is asked for. Ranks and sizes, of presets that take them: none stand for those of the paper.
struct PresetRequest {
  NetworkPlan plan;
  std::vector<Rank> ranks = {};
  std::vector<double> bytes = {};
};

/// What a preset lets the user choose.
enum class PresetInput : std::uint8_t {
  nothing,
  speeds,  // of links and ranks: it times schedules
  sizes,   // ranks and bytes
};

struct Preset {
  std::string_view name;
  std::string_view summary;
  Result<PresetReport> (*report)(const Preset&, const PresetRequest&);
  PresetInput takes = PresetInput::nothing;
};

/// All presets.
std::span<const Preset> presets();

/// The preset with that name, or all presets for "all"; a usage error if there is none.
Result<std::vector<const Preset*>> presets_named(const std::string& name);

}  // namespace onceover::papers
