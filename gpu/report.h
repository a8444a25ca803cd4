// The report on judged launches, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "gpu/judge.h"

namespace onceover::gpu {

/// What all runs of a report share.
struct GpuReport {
  std::string file;      // the description's
  std::string program;   // "ptx/two_shot.sm_80.ptx", "two_shot.cu, compiled by nvcc"
  std::string promises;  // "out = allreduce(in)"
  std::string grants;    // what the description grants
  std::vector<GpuRun> runs;
};

verifier::Verdict overall(const GpuReport& report);

/// What was judged, the failure with the fewest ranks and the least size, and the verdict last. With `full`, all
/// properties of all runs.
std::string report_text(const GpuReport& report, bool full);

/// The document of docs/schema/gpu.schema.json.
Json report_json(const GpuReport& report);

}  // namespace onceover::gpu
