// Colours for what passes and what fails, on terminals.
#pragma once

#include <cstdint>
#include <string>

#include "base/exit_code.h"

namespace onceover::cli {

/// automatic: on a terminal, unless NO_COLOR is set to something or TERM is dumb.
enum class Colors : std::uint8_t { automatic, always, never };

/// --color: "auto", "always" or "never".
Result<Colors> parse_colors(const std::string& text);

/// For the rest of the program.
void set_colors(Colors colors);

/// A report for standard output, with its verdicts coloured if there are colours. JSON and what goes into files must
/// not be painted. O(text).
std::string painted(const std::string& report);

}  // namespace onceover::cli
