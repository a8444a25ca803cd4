// What may stand at the end of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace onceover::cli {

/// The answer to `verify complete -- WORDS..`: what the last of the words, which may be empty or half of one, can
/// become. A line each: the word, and behind a tab what it means, if it says so; the line ":files" where the names of
/// files fit.
std::string completions(const CLI::App& verify, const std::vector<std::string>& words);

}  // namespace onceover::cli
