// Options that several commands have, and the checks of what users write for them.
#pragma once

#include <cstdint>
#include <string>

#include "base/resource_limits.h"
#include "cli/command_app.h"
#include "cli/plot_files.h"
#include "subjects/network_options.h"
#include "subjects/subject.h"
#include "verifier/property.h"

namespace onceover::cli {

/// Checks, as CLI11 wants them: what is wrong with a text, or nothing.
std::string whole_number(const std::string& text);
std::string bytes(const std::string& text);
std::string seconds(const std::string& text);
std::string not_empty(const std::string& text);
std::string file_name(const std::string& text);

/// Where several algorithms go, in commands that take more than one; nothing in the others.
struct Listed {
  Contenders* contenders = nullptr;
  std::vector<const Algorithm*>* algorithms = nullptr;
};

/// What a command is about: a file, --algo, --exec or --peer, with --p, --torus and so on. `steps_flag` is the flag for
/// the steps of --peer, where --steps means something else. --algo names several where `lists` has a
/// place for them.
void add_subject(const CommandApp& app, SubjectOptions& subject, const std::string& steps_flag = "--steps",
                 const Listed& lists = {});

/// --topology and what belongs to it.
void add_network(const CommandApp& app, NetworkOptions& network);

/// The part of it that deficiencies depend on; `ports_flag` is what --ports is called where that is a property.
void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& ports_flag = "--ports");

/// --plot and --gnuplot; `what` is plotted.
void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what);

/// --require.
void add_required(const CommandApp& app, std::vector<std::string>& required);

/// The flags of properties' bounds, --ports and so on; without that of `left_out`, which the command reads otherwise.
void add_bounds(const CommandApp& app, Bounds& bounds, const Property* left_out = nullptr);

/// --time-limit and --memory-limit, which every command has.
void add_resource_limits(const CommandApp& app, ResourceLimits& limits);

/// --budget, in block transfers and results; and in links.
void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about);
void add_link_budget(const CommandApp& app, std::uint64_t& budget);

}  // namespace onceover::cli
