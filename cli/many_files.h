// Several files, or those of folders, that one command judges.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "subjects/run.h"

namespace onceover::cli {

/// Do these words name anything else than one file?
bool are_many_files(const std::vector<std::string>& named);

/// Judges the file of a command: one run, or why there is none.
using JudgeFile = std::function<Result<std::vector<Verification>>(const VerifyCommand&)>;

/// Judges each file by itself, in the order of the words, and those of a folder in the order of their names. Each has a
/// line with its verdict, and the last line has that of all. Files of a folder that hold neither a schedule nor a
/// program are named before it; if nothing is left, the verdict is unknown. A usage error in any file ends all.
///
/// The exit code is 1 if a file fails, else 3 if one can't be read, else 4 if one is unknown.
Result<ExitCode> verify_files(const VerifyCommand& command, const JudgeFile& judge);

}  // namespace onceover::cli
