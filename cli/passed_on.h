// Options that a command passes on, as words, to a reader of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/command_app.h"

namespace onceover::cli {

/// Adds an option whose name and value are added to `words`.
void pass_on(const CommandApp& app, std::vector<std::string>& words, const std::string& option, const std::string& type,
             const std::string& about);

/// Adds a flag whose name is added to `words`.
void pass_flag_on(const CommandApp& app, std::vector<std::string>& words, const std::string& flag,
                  const std::string& about);

/// Adds the options that say how a collective is called, --count and so on, for live::read_options.
void pass_calls_on(const CommandApp& app, std::vector<std::string>& words);

}  // namespace onceover::cli
