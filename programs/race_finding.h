// The finding on races, in words.
#pragma once

#include "programs/races.h"
#include "verifier/property.h"

namespace onceover::programs {

/// The finding on race-free: the two operations of a race, and why the existing order doesn't cover them.
Finding judge_races(const Program& program, const Memory& memory, const Races& races);

}  // namespace onceover::programs
