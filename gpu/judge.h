// Judges a launch: runs it under many schedules, and says which properties hold.
//
// The first schedule under which a required property fails ends the search; its findings are the report's. Then the
// grants are tried that the launch doesn't have: if all schedules pass under some, the report names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"
#include "gpu/outcome_reader.h"
#include "verifier/verify.h"

namespace onceover::gpu {

/// What is tried, besides what the description says.
struct GpuJudgeOptions {
  std::optional<std::uint32_t> seeds = {};          // random schedules; not given: the description's
  std::uint64_t seed = 1;                           // the first of them
  std::uint32_t most_starved = 64;                  // warps that are starved, and blocks, each alone
  bool older_values = true;                         // in random schedules
  bool torn_vectors = true;                         // in random schedules, unless vectors are granted to be whole
  bool exhaustive = false;                          // after the schedules, all interleavings
  std::uint64_t most_runs = 10'000;                 // of the search through all; if they don't do, there's no verdict
  std::uint64_t most_instructions = 1'000'000'000;  // of a schedule
  std::optional<Grants> grants = {};                // not given: the description's
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  int threads = 0;  // 0: as many as there are cores
};

/// A launch for one p and n, judged.
struct GpuRun {
  Rank ranks;
  std::int64_t size;
  verifier::Report report;
  std::string grids = {};                       // "2 blocks of 64 threads; 3 calls"
  std::vector<ToldFinding> findings = {};       // of the schedule that failed
  std::string failed_when = {};                 // the schedule that failed
  std::optional<RunOptions> failed_under = {};  // how to run it again; none: it is of a search through all
  std::optional<Grants> passes_under = {};      // of what fails: grants that it lacks
  std::vector<std::string> notes = {};
  std::uint64_t interleavings = 0;
  bool has_all_interleavings = false;  // in a search through all of them, which ended
  std::uint64_t instructions = 0;
  PlacesRun places = {};  // whether they ran in any interleaving
};

/// What the summary begins with of a property that wasn't judged, for a reason that others share.
inline constexpr std::string_view not_judged = "not judged";

/// The properties of GPU kernels, and whether they are required by default.
struct GpuProperty {
  const verifier::Property* property;
  bool is_required;
};
std::vector<GpuProperty> gpu_properties();

/// Judges a launch. The ids of properties must exist. Deterministic, whatever the number of threads.
GpuRun judge(const ConcreteLaunch& concrete, const Description& description, const GpuJudgeOptions& options);

/// "warps take turns", "warps take random turns, seed 7".
std::string text(const ScheduleChoice& choice);

/// "kernel_boundary, whole_vectors"; "nothing" if there is none.
std::string text(const Grants& grants);

}  // namespace onceover::gpu
