// Do the verifier and the interpreter that tries all orders agree on a program?
#pragma once

#include <string>

#include "formats/program.h"
#include "namespaces.h"

namespace onceover::support {

/// What the interpreter said.
struct ProgramTally {
  int too_large = 0, stuck = 0, racing = 0, wrong = 0, uneven = 0;
};

/// Judges the program with both, with FIFOs of 0, 1, 2 and any number of messages, and compares what they say: does it
/// end, race, give each contribution once and the same sums on all ranks? Returns "" if all agree, else what does not.
/// Of programs of Simple a machine whose thread blocks have threads (reference_machine.h) must see the same races.
/// Where a program is too large to try all orders, that is tallied and "" returned.
std::string disagreement(const Program& program, ProgramTally& tally);

}  // namespace onceover::support
