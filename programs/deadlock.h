// Does a program end? If not, what does it wait for?
#pragma once

#include "programs/happens_before.h"
#include "verifier/property.h"

namespace onceover::programs {

/// Judges the program with FIFOs of this depth. `smallest` is the result of `smallest_depth`.
Finding judge_deadlock(const Program& program, const Matching& matching, std::optional<std::uint32_t> smallest,
                       Depth depth);

/// "rendezvous", "FIFOs of 2 messages".
std::string depth_text(std::uint32_t depth);

}  // namespace onceover::programs
