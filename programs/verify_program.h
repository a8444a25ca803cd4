// The verifier of programs and GOAL files: Program in, Report out.
#pragma once

#include <optional>
#include <string>

#include "formats/goal_file.h"
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

/// The file's messages and dependencies without its data: the size of a message is its bytes, each message is one
/// operation at either end, and operations without a message are waits. So are receives from any rank or of any tag.
Program without_data(const GoalFile& goal);

/// Why it isn't determined which message goes where; nothing if it is.
std::optional<std::string> doubt(const GoalFile& goal);

/// Judges a GOAL file as a program, and also by these rules:
/// - both ends of a message must have the same bytes, whatever its comments say;
/// - if it isn't determined which receive takes which message (any source, any tag, one tag for messages that nothing
///   orders), whatever depends on that isn't judged: unknown;
/// - if the file has no data, exactly-once doesn't apply: it is listed, and weighs only if the user asks for it.
///
/// Costs what `verify` costs for a program, twice if there is data.
Report verify(const GoalFile& goal, const VerifyOptions& options = {});

}  // namespace onceover::programs
