// The verifier of GOAL files.
#pragma once

#include <optional>
#include <string>

#include "formats/goal_file.h"
#include "verifier/verify.h"

namespace onceover::programs {

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
