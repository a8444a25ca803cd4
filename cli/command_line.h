// The command line of `verify`: its commands as one table, and the reader of a line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
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

/// A command as users write it, what it is for, and three examples. `add` adds its options to an app, and returns a
/// function that runs the command once they are filled in.
struct Command {
  std::string_view name;
  std::string_view about;
  std::string_view examples;
  std::function<std::function<Result<ExitCode>()>(CLI::App&)> add;
};

/// `verify` without the name of a command, run with a team if there is one.
Command verify_command(Team* team = nullptr);

/// All other commands, in the order of --help.
const std::vector<Command>& commands();

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

}  // namespace onceover::cli
