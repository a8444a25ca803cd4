// What was found of races, in words.
#pragma once

#include "verifier/property.h"
#include "programs/races.h"

namespace onceover {

/// The finding on race-free: both operations of a race by their lines, and what the order that there is doesn't cover.
Finding judge_races(const Program& program, const Memory& memory, const Races& races);

}  // namespace onceover
