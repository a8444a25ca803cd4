// The verifier of programs: from what ranks run to a report.
#pragma once

#include "formats/program.h"
#include "verifier/verify.h"

namespace onceover::programs {

/// Judges a program by the properties of programs: well-formed, deadlock-free, race-free, exactly-once,
/// order-preserving, bitwise-reproducible.
///
/// Deadlock is judged at the depth `options.fifo`. The data is judged if the program ends at any depth, in one order;
/// without races every order gives the same. With races what fails in that order is a failure, and what holds in it is
/// unknown. A program that is meant to be right in place and out of place must be both.
/// O(operations log + chunks moved) and what `find_races` takes.
Report verify(const Program& program, const VerifyOptions& options = {});

}  // namespace onceover::programs
