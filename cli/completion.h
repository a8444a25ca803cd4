// What can come at the end of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace onceover::cli {

/// The answer to `verify complete -- WORDS..`: what the last of the words, which may be empty or incomplete, can
/// become. Each line has a word, and after a tab its meaning, if it has one. The line ":files" stands for file names.
std::string completions(const CLI::App& verify, const std::vector<std::string>& words);

}  // namespace onceover::cli
