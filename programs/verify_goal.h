// The verifier of GOAL files.
#pragma once

#include <optional>
#include <string>

#include "formats/goal_file.h"
#include "verifier/verify.h"

namespace onceover::programs {

/// The file's messages and dependencies without its data: the size of a message is its bytes, all of a message is one
/// operation, and what has no message is a wait; so are receives from any rank or of any tag.
Program without_data(const GoalFile& goal);

/// Why it isn't fixed which message goes where, if it isn't.
std::optional<std::string> doubt(const GoalFile& goal);

/// Judges a GOAL file as the program that it is, on top of which
/// - both ends of a message must have the same bytes, whatever its comments say;
/// - where it isn't fixed which receive takes which message (any source, any tag, one tag for messages that nothing
///   orders), nothing that depends on it is judged: unknown;
/// - of a file that tells no data, exactly-once doesn't apply: it is listed, and weighs only if it was asked for.
/// Costs what `verify` of a program costs, twice where there is data.
Report verify(const GoalFile& goal, const VerifyOptions& options = {});

}  // namespace onceover::programs
