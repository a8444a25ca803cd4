// The report on judged launches, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "gpu/judge.h"

namespace onceover::gpu {

/// What all runs of a report share.
struct GpuReport {
  std::string file;      // the description's
  std::string program;   // "ptx/two_shot.sm_80.ptx", "two_shot.cu, compiled by nvcc"
  std::string module;    // the same without the compiler
  std::string promises;  // "out = allreduce(in)"
  std::string grants;    // what the description grants
  std::vector<GpuRun> runs;
  std::optional<Collective> collective = {};  // that schedules have, too; nothing if outputs hold several or a rule
};

verifier::Verdict overall(const GpuReport& report);

/// "p = 2..8, n = 1000, 1001": the numbers of ranks and the sizes.
std::string shapes_text(const GpuReport& report);

/// "allreduce(in): each contribution exactly once, .. (p = 2..8; ..)": what a pass says, with what it rests on and what
/// was waived. There is at least one run.
std::string passing_text(const GpuReport& report);

/// All launches as one report: of each property the worst finding, the first of those that are alike. Its
/// counterexample says at which of several launches. The scope is that of all.
verifier::Report joint_report(const GpuReport& report);

/// The finding that a property's counterexample tells, of the first launch that violates it; null if it is about what
/// outputs hold.
const ToldFinding* first_finding(const GpuReport& report, std::string_view property);

/// The place in a file that exists. Compilers write paths as they were given them: the source is looked for beside the
/// description, beside the PTX, and in the folders above. If it isn't there, it is the line of the PTX.
LinePlace place_in_files(const GpuReport& report, const LinePlace& place);

/// What was judged, the failure with the fewest ranks and the least size, and the verdict last. With `full`, all
/// properties of all runs.
std::string report_text(const GpuReport& report, bool full);

/// The document of docs/schema/gpu.schema.json.
Json report_json(const GpuReport& report);

/// Its runs.
Json runs_json(const GpuReport& report);

}  // namespace onceover::gpu
