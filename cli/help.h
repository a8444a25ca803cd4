// The texts about a command in --help, `verify help` and the manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace onceover::cli {

/// The help of a command: what it is for, its usage, examples, its options by groups, and the exit codes.
std::string help_text(const CLI::App& app);

/// "-o, --output FILE": an option as users write it.
std::string option_names(const CLI::Option& option);

/// What an option does, with its default.
std::string option_about(const CLI::Option& option);

/// The headings of its options in order; the one of the help options is last.
std::vector<std::string> headings_of(const CLI::App& app);

/// How to call the command, without its own options: "verify draw [OPTIONS] [FILE]".
std::string usage_text(const CLI::App& app);

/// The row with that name.
const Command* find_command(std::string_view name);

/// Makes CLI11 print `help_text`.
void use_help_text(CLI::App& app);

}  // namespace onceover::cli
