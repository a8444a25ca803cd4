// What a command leaves behind if a limit ends it before it has a result.
#pragma once

#include <functional>
#include <string>

#include "base/exit_code.h"

namespace onceover::cli {

/// Runs a command. If it ends with `unknown` and no result, `json_file` gets a document with the reason, because an
/// older result there could be taken for this one; it follows docs/schema/unfinished.schema.json. An empty name or "-"
/// is no file, and an interrupt leaves the file as it was. Before the command asks for a stop, it must have refused a
/// `json_file` that it reads.
Result<ExitCode> run_to_the_end(const std::function<Result<ExitCode>()>& command, const std::string& json_file);

}  // namespace onceover::cli
