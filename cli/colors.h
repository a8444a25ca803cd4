// Colours for verdicts, on terminals.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace onceover::cli {

/// automatic: colours on a terminal, unless NO_COLOR is set to something or TERM is dumb.
enum class Colors : std::uint8_t { automatic, always, never };

/// Parses --color: "auto", "always" or "never".
Result<Colors> parse_colors(const std::string& text);

/// Sets the colours for the rest of the program.
void set_colors(Colors colors);

/// A report for standard output, with its verdicts coloured if colours are on. Not for JSON, nor for files. O(text).
std::string painted(const std::string& report);

}  // namespace onceover::cli
