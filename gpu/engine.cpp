#include "gpu/engine.h"

#include <algorithm>
#include <set>

#include "base/stop.h"
#include "gpu/machine/machine.h"
#include "gpu/schedule/choices.h"

namespace onceover::gpu {
namespace {

/// The read of a race, if a kernel does it.
const AccessSite* racing_read(const ptx::Module& module, const GpuFinding& finding) {
  if (finding.kind != FindingKind::data_race || !finding.second) return nullptr;
  for (const AccessSite* site : {&finding.first, &*finding.second}) {
    if (site->is_stream) continue;
    const auto& function = module.functions[static_cast<std::size_t>(site->function)];
    const std::string& opcode = function.instructions[static_cast<std::size_t>(site->instruction)].words.front();
    if (opcode == "ld" || opcode == "ldu") return site;
  }
  return nullptr;
}

std::pair<std::int32_t, std::int32_t> place(const AccessSite& site) {
  return {site.function, site.instruction};
}

/// Runs once more, to follow what racing reads read.
void find_idle_reads(const Launch& launch, const RunOptions& options, const LaunchCode& code, GpuOutcome& outcome) {
  std::set<std::pair<std::int32_t, std::int32_t>> reads;
  for (const GpuFinding& finding : outcome.findings)
    if (const AccessSite* read = racing_read(*launch.module, finding)) reads.insert(place(*read));
  if (reads.empty()) return;
  GpuMachine machine(launch, options, code);
  machine.follow(reads);
  machine.run();
  for (GpuFinding& finding : outcome.findings)
    if (const AccessSite* read = racing_read(*launch.module, finding))
      finding.reaches_nothing = !machine.used().contains(place(*read));
}

}  // namespace

LaunchCode code_of(const Launch& launch) {
  return std::make_shared<const CodeModule>(decoded(*launch.module));
}

GpuOutcome run(const Launch& launch, const RunOptions& options) {
  return run(launch, options, code_of(launch));
}

GpuOutcome run(const Launch& launch, const RunOptions& options, const LaunchCode& code) {
  GpuMachine machine(launch, options, code);
  GpuOutcome outcome = machine.run();
  if (!machine.doubtful().empty()) {
    GpuMachine exact(launch, options, code);
    exact.examine(machine.doubtful());
    outcome = exact.run();
  }
  find_idle_reads(launch, options, code, outcome);
  return outcome;
}

Exploration explore(const Launch& launch, RunOptions options, std::uint64_t most_runs,
                    const std::function<bool(const GpuOutcome&)>& see) {
  Exploration done;
  if (options.grants.lockstep) {
    done.why_incomplete = "warps in lockstep aren't explored";
    return done;
  }
  ChoiceTree choices;
  options.choices = &choices;
  options.older_values = true;
  options.schedule = {ScheduleKind::first, 0, 0};
  const LaunchCode code = code_of(launch);
  do {
    stop_point();
    if (done.runs == most_runs) {
      done.why_incomplete = "the limit of runs is reached";
      return done;
    }
    ++done.runs;
    const GpuOutcome outcome = run(launch, options, code);
    if (done.why_incomplete.empty()) done.why_incomplete = outcome.order_matters;
    const bool has_race =
        outcome.findings_left_out > 0 || std::any_of(outcome.findings.begin(), outcome.findings.end(),
                                                     [](const GpuFinding& finding) { return !finding.is_harmless(); });
    if (outcome.is_redundant && !has_race) continue;
    ++done.interleavings;
    done.is_stopped = !see(outcome);
  } while (!done.is_stopped && choices.next());
  return done;
}

}  // namespace onceover::gpu
