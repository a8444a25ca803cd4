// A slow judge of whole kernels, without clocks, to compare with the engine.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"

namespace onceover::gpu {

struct KernelJudgement {
  std::string wrong;     // what some execution shows: a race, a wrong element, a deadlock ..; empty: nothing
  std::string unjudged;  // why there is no judgement; empty: there is one
  bool is_bounded = false;
  std::uint64_t states = 0;
  std::uint64_t executions = 0;   // that end
  std::set<std::uint32_t> lines;  // that some thread comes to
  std::uint64_t behaviour = 0;    // equal if all executions have the same accesses, with the same values and orders
};

/// Enumerates the candidate executions of a launch: which write each read is from, and the coherence order. Those that
/// satisfy the axioms of chapter 8 of the PTX ISA are executions; causality is kept as sets of events. Wrong is a race
/// (section 8.7.1, without pairs that can't show: see axioms.h), an access out of bounds or misaligned, a branch or an
/// address by memory that nobody wrote, an element of an output that isn't what the description says, ranks that end
/// with different sums, and an execution that doesn't go on. Stops at the first that is found.
///
/// A loop that only reads, and comes back as it was, hasn't read. One that does more may come back as it was three
/// times
/// (`is_bounded`). Without load buffering, fence.sc and shared memory;
/// it knows the instructions of the examples. Time: exponential; for two ranks with a few threads.
KernelJudgement judge_kernel(const ConcreteLaunch& launch, const Description& description, std::uint64_t most_states);

}  // namespace onceover::gpu
