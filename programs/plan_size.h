// What is found in an MSCCL++ plan at one size of message.
#pragma once

#include <array>
#include <cstdint>

#include "programs/plan_repairs.h"

namespace onceover::programs {

/// The finding on what isn't judged, and why.
Finding not_judged(std::string_view why);

/// The finding on what fails, with one of so many violations.
Finding failed(std::string summary, Counterexample counterexample, std::uint64_t violations = 1);

/// A finding, and the race by which it fails, if it is one.
struct Found : Finding {
  Found(Finding finding, std::optional<PlanRaceSeen> by = {}) : Finding(std::move(finding)), seen(std::move(by)) {}
  std::optional<PlanRaceSeen> seen;
};

inline Found passed(std::string_view summary) {
  return Finding{Verdict::pass, std::string(summary)};
}

/// What is found at one size.
struct PlanSizeFindings {
  Found deadlock = passed("every wait has its signals and packets, and none wait in a circle");
  Found race = passed("all accesses to a unit of memory, one of them a write, are ordered");
  Found preserved = passed("no operation writes to an input");
  Found exactly_once = passed("every unit of every output is what the collective promises");
  Found bits = passed("all ranks add in one order");
  Found repeatable = passed("later calls of the same size find everything as the first does");
  std::uint32_t term_depth = 0;

  std::array<Found*, 6> all() { return {&deadlock, &race, &preserved, &exactly_once, &bits, &repeatable}; }
};

/// In how many calls everything that can happen between calls has happened.
std::int32_t calls_to_judge(const ExecutionPlan& plan);

/// Judges one call, and then several in a row, if one is sound; a chunk has `units` of alignment. `is_balanced`: are
/// the counters used up? Otherwise later calls aren't judged. Time: that of `run_plan` for one call and for several.
PlanSizeFindings judge_size(const ExecutionPlan& plan, std::uint32_t units, bool is_balanced);

}  // namespace onceover::programs
