// Options that several commands share, and the checks of their values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource_limits.h"
#include "cli/colors.h"
#include "cli/command_app.h"
#include "cli/command_line.h"
#include "cli/json_output.h"
#include "cli/plot_files.h"
#include "live/options.h"
#include "subjects/options.h"
#include "verifier/property.h"

namespace onceover::cli {

/// A check of numbers for CLI11: what is wrong with a text, or "".
std::string whole_number(const std::string& text);

/// Adds --torus, which takes lists in which no torus is there twice.
void add_tori(const CommandApp& app, std::vector<Shape>& tori, const std::string& about);

/// Adds the subject of a command: a file, --algo, --exec or --peer, with --p, --torus and so on. `files` says what a
/// file may be; --algo names contenders if there is a place for them, of each of which it takes a schedule. With
/// `several`, the command takes several files.
void add_subject(const CommandApp& app, SubjectOptions& subject, std::string_view files = "A schedule file (JSON)",
                 Takes takes = Takes::one, Contenders* contenders = nullptr,
                 std::vector<std::string>* several = nullptr);

/// Adds --topology and its options, under a heading of the help.
void add_network(const CommandApp& app, NetworkOptions& network, const std::string& heading = network_group);

/// Adds the options of the network on which deficiencies depend.
void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& heading);

/// Adds options of calls, none of whose values is empty.
void add_calls(const CommandApp& app, const std::vector<Option<live::CallWords>>& rows, live::CallWords& calls);

/// Adds --json and --json-out.
void add_json(const CommandApp& app, JsonOutput& json);

/// Adds --plot and --gnuplot; `what` is plotted.
void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what);

/// Adds --require.
void add_required(const CommandApp& app, std::vector<std::string>& required, std::vector<std::string>& waived);

/// Adds the options of properties' bounds: --ports and so on.
void add_bounds(const CommandApp& app, Bounds& bounds);

/// Adds --color, which every command with a report has.
void add_colors(const CommandApp& app, Colors& colors);

/// Adds --time-limit and --memory-limit, which every command has.
void add_resource_limits(const CommandApp& app, ResourceLimits& limits);

/// What to add to an error about --steps if --peer-steps was probably meant.
inline constexpr std::string_view see_peer_steps = "; for the number of steps of --peer write --peer-steps";

/// What to add to the error if --steps got a text that looks like a formula, which is for --peer-steps.
std::string hint_at_peer_steps(const std::string& text);

/// Adds --budget: in block transfers and results, or in links that messages or maximum flows look at.
void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about);
void add_link_budget(const CommandApp& app, std::uint64_t& budget);
void add_flow_budget(const CommandApp& app, std::uint64_t& budget);

/// Adds --budget: in units of a solver's work, or in beginnings of words.
void add_search_budget(const CommandApp& app, std::uint64_t& budget);

}  // namespace onceover::cli
