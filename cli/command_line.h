// The command line of `verify`: its commands as one table, and how a line is read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "verifier/team.h"

namespace onceover::cli {

/// What every help ends with.
inline constexpr std::string_view exit_codes =
    "Exit codes: 0 all required properties hold, 1 one is violated, 2 usage,\n"
    "3 malformed input file, 4 unknown (a budget or limit ran out), 5 internal error,\n"
    "130 interrupted.";

/// The headings that options stand under in the help, where several commands have them.
inline constexpr const char* subject_group = "Subject";
inline constexpr const char* network_group = "Network";
inline constexpr const char* property_group = "Property";
inline constexpr const char* output_group = "Output";
inline constexpr const char* limits_group = "Limits";
inline constexpr const char* help_group = "Help";

/// A command as users write it, what it is for, and three examples. `add` puts its options into an app and returns what
/// runs it once they are filled in.
struct Command {
  std::string_view name;
  std::string_view about;
  std::string_view examples;
  std::function<std::function<Result<ExitCode>()>(CLI::App&)> add;
};

/// `verify` without the name of a command, carried out with a team if there is one.
Command verify_command(Team* team = nullptr);

/// All others, in the order in which --help names them.
const std::vector<Command>& commands();

/// Reads a command line and carries out what it asks for.
class CommandLine {
 public:
  explicit CommandLine(Team* team = nullptr);
  Result<ExitCode> run(int argc, char** argv);

  /// All commands and options, for texts about them.
  const CLI::App& app() const { return app_; }

 private:
  Result<ExitCode> run_parsed(char** argv) const;
  Result<void> refuse_early_options(const CLI::App& command) const;
  Result<void> refuse_mistyped_command() const;

  Team* team_;
  CLI::App app_;
  std::function<Result<ExitCode>()> run_verify_;
  std::vector<std::function<Result<ExitCode>()>> run_command_;  // as commands()
};

}  // namespace onceover::cli
