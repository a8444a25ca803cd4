#include "cli/shared_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/plots.h"
#include "network/topology.h"

namespace onceover::cli {

namespace {

constexpr std::uint64_t default_budget = 100'000'000'000;
constexpr std::uint64_t default_link_budget = 10'000'000'000;
constexpr std::uint64_t default_search_budget = 1'000'000'000;

/// Adds --budget; `words` is the default budget in words.
void add_budget(const CommandApp& app, std::uint64_t& budget, std::uint64_t usual, const std::string& words,
                const std::string& about) {
  app.add_option("--budget N", budget, about)->default_val(usual)->default_str(words)->check(whole_number);
}

std::string time_limit(const std::string& text) {
  const auto limit = parse_time_limit(text);
  return limit ? "" : limit.error();
}

std::string memory_limit(const std::string& text) {
  const auto limit = parse_memory_limit(text);
  return limit ? "" : limit.error();
}

}  // namespace

std::string whole_number(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : fmt::format("expected a whole number, found '{}'", text);
}

void add_algorithms(const CommandApp& app, std::vector<const Algorithm*>& algorithms, Takes takes) {
  const bool has_lists = takes == Takes::several;
  app.add_parsed("--algo NAME", algorithms, has_lists ? parse_algorithms : parse_one_algorithm,
                 has_lists ? "Algorithms of the catalogue, one or several: a,b; 'verify list' shows them"
                           : "An algorithm of the catalogue; 'verify list' shows them");
}

void add_tori(const CommandApp& app, std::vector<Shape>& tori, const std::string& about) {
  const auto parse_new = [&tori](const std::string& text) -> Result<Shape> {
    auto shape = TRY(parse_torus(text));
    if (std::find(tori.begin(), tori.end(), shape) == tori.end()) return shape;
    return usage_error(fmt::format("--torus: {} is there twice", torus_text(shape)));
  };
  app.add_list("--torus AxB..", tori, parse_new, about);
}

void add_odd(const CommandApp& app, std::optional<OddRanks>& odd) {
  app.add_parsed(
      "--odd HOW", odd, parse_odd,
      "Of --peer: among an odd number of ranks, the last is apart and exchanges directly with the others, or "
      "the formula runs as-written (default: apart if the formula only pairs ranks and doesn't mention p)");
}

void add_subject(const CommandApp& app, SubjectOptions& subject, std::string_view files, Takes takes,
                 Contenders* contenders, std::vector<std::string>* several) {
  app.group(subject_group);
  if (several != nullptr)
    app->add_option("FILE", *several, std::string(files))->check(file_name);
  else
    app->add_option("FILE", subject.file, std::string(files))->check(file_name);
  if (contenders != nullptr)
    app.add_parsed(
        "--algo NAME", *contenders, parse_contenders,
        "Algorithms of the catalogue to compare: a,b,c; of versions joined by +, as in a+b, the faster counts");
  else
    add_algorithms(app, subject.algorithms, takes);
  auto* exec =
      app.add_option(
             "--exec COMMAND", subject.command,
             "Run this command, which prints a schedule file; {p} and {shape} stand for the number of ranks and "
             "the torus")
          ->check(not_empty);
  app.add_parsed("--exec-time-limit TIME", subject.generator.seconds, parse_exec_time_limit,
                 "Stop the command of --exec after this time (default: 60s)")
      ->needs(exec);
  app.add_parsed("--peer FORMULA", subject.peer, parse_peer,
                 "A formula for the peer of rank r in step s, of p ranks; see docs/your-own-algorithm.md");
  app.add_parsed("--peer-steps FORMULA", subject.steps, parse_steps,
                 "The number of steps of --peer, a formula in p (default: ceil(log2 p))");
  add_odd(app, subject.odd);
  const bool has_lists = takes == Takes::several;
  app.add_parsed(has_lists ? "--p LIST" : "--p P", subject.ranks, parse_ranks,
                 has_lists ? "The number of ranks, or several: 7, 2..64, 3,5,7, 8..64:8, 2^1..2^14"
                           : "The number of ranks: 7, 2^10");
  add_tori(app, subject.tori,
           fmt::format("Ranks on a torus with these sides: 8x8, 4x6x2{}", has_lists ? "; or several: 4x4,8x8" : ""));
  app.add_parsed("--lanes 1|all", subject.lanes, parse_lanes,
                 "Parts of the vector: 1, the whole, or all, one for each port in use (default: 1)");
  app.add_each("--set NAME=VALUE", subject.settings, parse_setting,
               "Set a parameter of the algorithm; 'verify list NAME' shows them; may be repeated");
  app.add_parsed("--collective NAME", subject.collective, parse_asked_collective,
                 "What the algorithm is to do (default: the first that 'verify list' shows); none: don't require the "
                 "data of a plan whose collective isn't known");
  app.add_parsed("--root R", subject.root, parse_root,
                 "The root of a broadcast, reduce, scatter or gather; all ranks move along with it (default: 0)");
}

void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& heading) {
  app.group(heading);
  app.add_parsed("--topology NAME|FILE", network.topology, parse_topology_choice,
                 fmt::format("The network: {}, with settings such as fat-tree:radix=16,taper=2; or a GraphML or DOT "
                             "file (default: torus, of the schedule's shape)",
                             fmt::join(mapped(topologies(), &Topology::name), ", ")));
  app.add_option("--map FILE", network.map, "A file that says where in the network rank 0 is, rank 1, and so on");
  app.add_parsed("--routing NAME", network.routing, parse_routing,
                 "How messages find their way: minimal, ecmp or dimension-order (default: minimal)");
  app.add_parsed("--network-ports K", network.ports, parse_ports,
                 "Messages that the network lets a rank send at a time (default: as the topology says)");
}

void add_network(const CommandApp& app, NetworkOptions& network, const std::string& heading) {
  add_shape_of_network(app, network, heading);
  struct Flag {
    NumberOption& option;
    NumberParser parser;
    std::string about;
  };
  constexpr double slowest = 1e-6;
  for (const Flag& flag :
       {Flag{network.bandwidth, {"--bandwidth", slowest}, "Bandwidth of a link, in Gb/s (default: 400)"},
        Flag{network.latency, {"--latency", 0}, "Latency of a link, in ns (default: 100)"},
        Flag{network.hop_latency,
             {"--hop-latency", 0},
             "Time to process a packet at the end of each link, in ns (default: 300)"},
        Flag{network.overhead, {"--overhead", 0}, "Time that a rank takes to send one message, in ns (default: 0)"},
        Flag{network.reduction,
             {"--reduction", slowest},
             "Speed at which a rank reduces, in Gb/s (default: unlimited)"}})
    app.add_parsed(std::string(flag.parser.flag), flag.option, flag.parser, flag.about)->type_name("X");
}

void add_json(const CommandApp& app, JsonOutput& json) {
  app->add_flag("--json", json.is_printed, "Print the result as JSON");
  app.add_file("--json-out", json.file, "Also write the result as JSON to this file");
}

void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what) {
  app.add_option("--plot FILE", plot.picture, fmt::format("Plot {} with Gnuplot: {}", what, plot_suffixes()));
  app.add_option("--gnuplot FILE", plot.script, "Write the plot's script and data for Gnuplot to this file");
  app.add_parsed("--width W", plot.width, parse_width, "Width of the plot: 3.3in, 84mm (default: 3.3in)");
  app.add_option("--font NAME", plot.font, "Family of the plot's letters (default: Times)");
  app.add_parsed("--plot-scale SCALE", plot.scale, parse_plot_scale,
                 "Plot values on a linear axis, in percent of the best possible, or on a logarithmic axis: linear, "
                 "percent or log (default: linear)");
}

void add_required(const CommandApp& app, std::vector<std::string>& required, std::vector<std::string>& waived) {
  app.add_list("--require LIST", required, parse_required,
               "Require properties besides the usual ones, one or several: a,b; 'verify explain ID' explains one");
  app.add_list("--waive LIST", waived, parse_waived, "Don't require these properties, which are by default");
}

void add_bounds(const CommandApp& app, Bounds& bounds) {
  for (const Property& p : properties())
    if (p.bound)
      app->add_option(bound_flag(p), bounds.*p.bound->number, std::string(p.bound->help))
          ->type_name("K")
          ->check(whole_number);
}

void add_colors(const CommandApp& app, Colors& colors) {
  app.add_parsed("--color WHEN", colors, parse_colors,
                 "Colour verdicts: auto, always or never (default: auto, on a terminal unless NO_COLOR is set)");
}

void add_resource_limits(const CommandApp& app, ResourceLimits& limits) {
  app.add_option("--time-limit TIME", limits.time, "Stop after this time: 500ms, 60s, 5m, 2h (default: none)")
      ->check(time_limit);
  app.add_option("--memory-limit SIZE", limits.memory, "Use no more memory than this: 512MiB, 1GiB (default: no limit)")
      ->check(memory_limit);
}

void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about) {
  add_budget(app, budget, default_budget, "10^11", about);
}

void add_link_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_link_budget, "10^10",
             "Give up after this many links that messages cross or that are searched for their ways");
}

void add_flow_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_link_budget, "10^10",
             "Give up after this many links, counted once for each maximum flow");
}

void add_search_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_search_budget, "10^9",
             "Give a question up after this many units of Z3's work, or with --group after this many beginnings of "
             "schedules");
}

std::string hint_at_peer_steps(const std::string& text) {
  const bool is_formula = text.find_first_of("p(+-*/") != std::string::npos;
  return is_formula ? std::string(see_peer_steps) : "";
}

}  // namespace onceover::cli
