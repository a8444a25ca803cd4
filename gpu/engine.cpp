#include "gpu/engine.h"

#include <set>

#include "gpu/machine/machine.h"

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
void find_idle_reads(const Launch& launch, const RunOptions& options, GpuOutcome& outcome) {
  std::set<std::pair<std::int32_t, std::int32_t>> reads;
  for (const GpuFinding& finding : outcome.findings)
    if (const AccessSite* read = racing_read(*launch.module, finding)) reads.insert(place(*read));
  if (reads.empty()) return;
  GpuMachine machine(launch, options);
  machine.follow(reads);
  machine.run();
  for (GpuFinding& finding : outcome.findings)
    if (const AccessSite* read = racing_read(*launch.module, finding))
      finding.reaches_nothing = !machine.used().contains(place(*read));
}

}  // namespace

GpuOutcome run(const Launch& launch, const RunOptions& options) {
  GpuOutcome outcome = GpuMachine(launch, options).run();
  find_idle_reads(launch, options, outcome);
  return outcome;
}

}  // namespace onceover::gpu
