// The verifier of programs: Program in, Report out.
#pragma once

#include "formats/program.h"
#include "verifier/verify.h"

namespace onceover::programs {

/// Judges a program by the properties of programs: well-formed, deadlock-free, race-free, input-preserved,
/// exactly-once, order-preserving, bitwise-reproducible.
///
/// Deadlock is judged at the depth `options.fifo`. The data is judged in one order, if the program ends at any depth;
/// without races every order gives the same result. With races, what fails in that order is a failure, and what holds
/// in it is unknown. A program that must be right in place and out of place is judged both ways. O(operations log +
/// chunks moved), and the cost of `find_races`.
Report verify(const Program& program, const VerifyOptions& options = {});

}  // namespace onceover::programs
