// The command line of `verify`: the reader of a line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/commands.h"
#include "verifier/team.h"

namespace onceover::cli {

/// The end of every help.
inline constexpr std::string_view exit_codes =
    "Exit codes: 0 all required properties hold, 1 one is violated, 2 usage,\n"
    "3 malformed input file, 4 unknown (a budget or limit ran out), 5 internal error,\n"
    "130 interrupted.";

/// The headings of options in the help, if several commands have them.
inline constexpr const char* subject_group = "Subject";
inline constexpr const char* network_group = "Network";
inline constexpr const char* property_group = "Property";
inline constexpr const char* output_group = "Output";
inline constexpr const char* limits_group = "Limits";
inline constexpr const char* help_group = "Help";

/// Reads a command line and runs its command.
class CommandLine {
 public:
  explicit CommandLine(Team* team = nullptr);
  Result<ExitCode> run(int argc, char** argv);

  /// Reads a line without running it: the command that it names, with its options. Null if the line asked for help or
  /// the version, which are printed.
  Result<const CLI::App*> read(int argc, char** argv);

  /// All commands and options, for texts about them.
  const CLI::App& app() const { return app_; }

 private:
  Result<void> refuse_early_options(const CLI::App& command) const;
  Result<void> refuse_mistyped_command() const;

  Team* team_;
  CLI::App app_;
  std::function<Result<ExitCode>()> run_verify_;
  std::vector<std::function<Result<ExitCode>()>> run_command_;  // in the order of commands()
};

/// The answer to `verify complete -- WORDS..`: what the last of the words, which may be empty or incomplete, can
/// become. Each line has a word, and after a tab its meaning, if it has one. The line ":files" stands for file names.
std::string completions(const CLI::App& verify, const std::vector<std::string>& words);

/// Replaces this program with verify-distributed, with the same arguments. It looks for that program beside this one,
/// then on the PATH. Returns only if that fails.
Failure become_distributed(char** argv);

}  // namespace onceover::cli
