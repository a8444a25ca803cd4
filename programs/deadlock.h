// Does a program end? What it waits for, in words, if not.
#pragma once

#include "programs/happens_before.h"
#include "verifier/property.h"

namespace onceover::programs {

/// Judges at FIFOs of that depth. `smallest` is what `smallest_depth` said.
Finding judge_deadlock(const Program& program, const Matching& matching, std::optional<std::uint32_t> smallest,
                       Depth depth);

/// "rendezvous", "FIFOs of 2 messages".
std::string depth_text(std::uint32_t depth);

}  // namespace onceover::programs
