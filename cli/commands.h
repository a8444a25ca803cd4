// The commands of `verify`, as one table.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verifier/team.h"

namespace onceover::cli {

/// Runs a command whose options are filled in: prints its results on standard output and returns the exit code. The
/// message of a Failure is for standard error.
using Runner = std::function<Result<ExitCode>()>;

/// A command as users write it, what it is for, and three examples. `add` adds its options to an app, and returns a
/// function that runs the command once they are filled in.
struct Command {
  std::string_view name;
  std::string_view about;
  std::string_view examples;
  std::function<Runner(CLI::App&)> add;
};

/// `verify` without the name of a command, run with a team if there is one.
Command verify_command(Team* team = nullptr);

/// All other commands, in the order of --help.
const std::vector<Command>& commands();

// Each adds the options of a command to its app.

Runner add_verify(CLI::App& app, Team* team);
Runner add_list(CLI::App& app);
Runner add_explain(CLI::App& app);
Runner add_export(CLI::App& app);
Runner add_draw(CLI::App& app);
Runner add_report(CLI::App& app);
Runner add_prove(CLI::App& app);
Runner add_contention(CLI::App& app);
Runner add_bound(CLI::App& app);
Runner add_optimum(CLI::App& app);
Runner add_cost(CLI::App& app);
Runner add_lint(CLI::App& app);
Runner add_gate(CLI::App& app);
Runner add_live(CLI::App& app);
Runner add_code(CLI::App& app);
Runner add_gpu(CLI::App& app);
Runner add_watch(CLI::App& app);
Runner add_claims(CLI::App& app);
Runner add_completion(CLI::App& app);
Runner add_manual(CLI::App& app);
Runner add_help(CLI::App& app);

/// The formats of `verify export`, by name.
std::vector<std::string_view> export_format_names();

}  // namespace onceover::cli
