// --json and --json-out, which every command with a JSON result has: JSON printed instead of the text, or written
// besides.
#pragma once

#include <functional>
#include <string>

#include "base/exit_code.h"

namespace onceover::cli {

struct JsonOutput {
  bool is_printed = false;
  std::string file = {};  // "-": standard output, which then has nothing else

  bool is_wanted() const { return is_printed || !file.empty(); }

  /// Does JSON take all of standard output?
  bool takes_output() const;
};

/// Reports early that the file can't be written.
Result<void> check(const JsonOutput& output);

/// Writes the file, if there is one, and prints the JSON, or else the text for people. Each is made only if it is
/// wanted.
Result<void> give_result(const JsonOutput& output, const std::function<std::string()>& json,
                         const std::function<std::string()>& text);

}  // namespace onceover::cli
