// What --help, `verify help` and the manual page say of a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace onceover::cli {

/// The help of a command: what it is for, its usage, examples, its options in their groups, and the exit codes.
std::string help_text(const CLI::App& app);

/// "-o, --output FILE": an option as it is written.
std::string option_names(const CLI::Option& option);

/// What an option does, with its default.
std::string option_about(const CLI::Option& option);

/// The headings of its options in their order; that of help itself is the last.
std::vector<std::string> headings_of(const CLI::App& app);

/// How the command is called, without options of its own: "verify draw [OPTIONS] [FILE]".
std::string usage_text(const CLI::App& app);

/// The row of a command.
const Command* find_command(std::string_view name);

/// Lets CLI11 print the same.
void use_help_text(CLI::App& app);

}  // namespace onceover::cli
