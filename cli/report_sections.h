// The sections of the report.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.h"
#include "subjects/network_plan.h"
#include "subjects/run.h"
#include "viz/report.h"

namespace onceover::cli {

/// What the page is about.
struct Reported {
  Verification run;
  const Schedule& schedule;
  NetworkPlan plan;
  Bounds bounds = {};  // that were judged: those of the network are in `plan`, too
};

/// "swing allreduce, torus 4x4, 4 lanes".
std::string headline(const Verification& run);

/// The verdict with its scope, and each property with what was found.
ReportSection verdict_section(const Reported& reported);

/// The player; where the schedule is too large for it, why there is none.
ReportSection player_section(const Drawn<Player>& player, const Header& header);

/// The picture of what goes wrong; none where it has no place in the steps.
Result<std::optional<ReportSection>> counterexample_section(const Reported& reported);

/// The sum that a rank ends with, or two ranks' sums where they differ.
Result<ReportSection> sums_section(const Reported& reported);

/// Which links carry how much, and how far that is from the best.
Result<ReportSection> contention_section(const Reported& reported, const ReportCommand& command);

/// Time over the vector's size, beside other algorithms that do the same on the same network.
ReportSection time_section(const Reported& reported, const ReportCommand& command);

/// The theorems that cover the schedule, proved now.
ReportSection proofs_section(const Reported& reported);

/// The commands that say the same, and the run as JSON.
ReportSection reproduction_section(const Reported& reported, const ReportCommand& command);

/// A picture for the page. Without Graphviz there is no page: a failure; what else goes wrong is said in its place.
Result<std::string> picture_html(const Drawn<std::string>& dot, std::string_view label);

}  // namespace onceover::cli
