// Options that several commands have, and the checks of what users write for them.
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
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "verifier/property.h"

namespace onceover::cli {

/// Checks, as CLI11 wants them: what is wrong with a text, or nothing.
std::string whole_number(const std::string& text);
std::string bytes(const std::string& text);
std::string not_empty(const std::string& text);
std::string file_name(const std::string& text);

/// Where several algorithms go, in commands that take more than one; nothing in the others.
struct Listed {
  Contenders* contenders = nullptr;
  std::vector<const Algorithm*>* algorithms = nullptr;
};

/// What a command is about: a file, --algo, --exec or --peer, with --p, --torus and so on. `files` says what files may
/// be; --algo names several where `lists` has a place for them.
void add_subject(const CommandApp& app, SubjectOptions& subject, std::string_view files = "A schedule file (JSON)",
                 const Listed& lists = {});

/// --topology and what belongs to it, under a heading of the help.
void add_network(const CommandApp& app, NetworkOptions& network, const std::string& heading = network_group);

/// The part of it that deficiencies depend on.
void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& heading);

/// --json and --json-out.
void add_json(const CommandApp& app, JsonOutput& json);

/// --plot and --gnuplot; `what` is plotted.
void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what);

/// --require.
void add_required(const CommandApp& app, std::vector<std::string>& required);

/// The flags of properties' bounds: --ports and so on.
void add_bounds(const CommandApp& app, Bounds& bounds);

/// --color, which every command has.
void add_colors(const CommandApp& app, Colors& colors);

/// --time-limit and --memory-limit, which every command has.
void add_resource_limits(const CommandApp& app, ResourceLimits& limits);

/// What to add where --steps was given a text that looks like a formula, which is for --peer-steps.
std::string hint_at_peer_steps(const std::string& text);

/// --budget, in block transfers and results; and in links.
void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about);
void add_link_budget(const CommandApp& app, std::uint64_t& budget);

}  // namespace onceover::cli
