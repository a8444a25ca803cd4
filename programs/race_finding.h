// What was found of races, in words.
#pragma once

#include "programs/races.h"
#include "verifier/property.h"

namespace onceover::programs {

/// The finding on race-free: both operations of a race by their lines, and what the order that there is doesn't cover.
Finding judge_races(const Program& program, const Memory& memory, const Races& races);

}  // namespace onceover::programs
