#include "cli/shared_options.h"

#include <fmt/format.h>

#include "network/topology.h"

namespace onceover::cli {

namespace {

constexpr std::uint64_t default_budget = 100'000'000'000;
constexpr std::uint64_t default_link_budget = 10'000'000'000;

void add_budget(const CommandApp& app, std::uint64_t& budget, std::uint64_t usual, const std::string& about) {
  app->add_option("--budget", budget, about)->type_name("N")->default_val(usual)->check(whole_number);
}

std::string topologies_in_words() {
  std::vector<std::string> words;
  for (const Topology& row : topologies()) {
    const bool is_default = row.name == TopologyChoice{}.text;
    words.push_back(fmt::format("{}{}", row.name, is_default ? " [the default, of the schedule's shape]" : ""));
  }
  return fmt::format("{}", fmt::join(words, ", "));
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

std::string bytes(const std::string& text) {
  const bool fits = whole_number(text).empty() && std::stoll(text) >= 1;
  return fits ? "" : fmt::format("expected a number of bytes, from 1 to 10^18, found '{}'", text);
}

std::string seconds(const std::string& text) {
  const bool fits = whole_number(text).empty() && text.size() <= 5 && std::stoi(text) >= 1 && std::stoi(text) <= 86400;
  return fits ? "" : fmt::format("expected 1 to 86400 seconds, found '{}'", text);
}

std::string not_empty(const std::string& text) {
  return text.empty() ? "expected a value" : "";
}

std::string file_name(const std::string& text) {
  return text.empty() ? "expected a file name" : "";
}

void add_subject(const CommandApp& app, SubjectOptions& subject, const std::string& steps_flag, const Listed& lists) {
  app->add_option(
      "FILE", subject.file,
      fmt::format("A schedule file; for verify itself, contention and cost {}, too", program_format_names("or")));
  const std::string about = "An algorithm of the catalogue";
  (lists.contenders != nullptr ? app.add_parsed("--algo", *lists.contenders, parse_contenders, about)
   : lists.algorithms != nullptr
       ? app.add_parsed("--algo", *lists.algorithms, parse_algorithms, about + ", or several: a,b")
       : app.add_parsed("--algo", subject.algorithm, or_null(parse_algorithm), about))
      ->type_name("NAME");
  app->add_option("--exec", subject.command,
                  "A program that prints a schedule file; {p} and {shape} stand for the ranks and the torus")
      ->type_name("COMMAND");
  app->add_option("--exec-timeout", subject.generator.seconds, "Seconds that the program may run")
      ->type_name("S")
      ->default_val(subject.generator.seconds)
      ->check(seconds);
  app.add_parsed("--peer", subject.peer, parse_peer,
                 "A formula for the peer of rank r at step s among p ranks; see docs/your-own-algorithm.md")
      ->type_name("FORMULA");
  app.add_parsed(steps_flag, subject.steps, parse_steps,
                 "For --peer: the number of steps, a formula in p [ceil(log2 p)]")
      ->type_name("FORMULA");
  app.add_parsed("--p", subject.ranks, parse_ranks, "Numbers of ranks: 7, 2..64, 3,5,7, 8..64:8, 2^1..2^14")
      ->type_name("LIST");
  app.add_list("--torus", subject.tori, parse_torus, "A torus of ranks, by its sides: 8x8, 4x6x2; or several: 4x4,8x8")
      ->type_name("AxB..");
  app.add_parsed("--lanes", subject.lanes, parse_lanes,
                 "Parts of the vector, one for each port in use: 1 [the default] or all")
      ->type_name("1|all");
  app.add_each("--set", subject.settings, parse_setting, "A parameter of the algorithm; 'verify list NAME' shows them")
      ->type_name("NAME=VALUE");
  app.add_parsed("--collective", subject.collective, parse_collective,
                 "What the algorithm should do [allreduce, where it can]")
      ->type_name("NAME");
}

void add_shape_of_network(const CommandApp& app, NetworkOptions& network, const std::string& ports_flag) {
  app.add_parsed("--topology", network.topology, parse_topology_choice,
                 topologies_in_words() + ", with settings like fat-tree:radix=16,taper=2; or a GraphML or DOT file")
      ->type_name("NAME|FILE");
  app->add_option("--map", network.map, "A file with the place of rank 0, of rank 1, ..")->type_name("FILE");
  app.add_parsed("--routing", network.routing, parse_routing, "minimal [the default], ecmp or dimension-order")
      ->type_name("NAME");
  app.add_parsed(ports_flag, network.ports, parse_ports,
                 "Messages that a rank can send at a time [as the topology says]")
      ->type_name("K");
}

void add_network(const CommandApp& app, NetworkOptions& network) {
  add_shape_of_network(app, network);
  struct Flag {
    NumberOption& option;
    NumberParser parser;
    std::string about;
  };
  constexpr double slowest = 1e-6;
  for (const Flag& flag :
       {Flag{network.bandwidth, {"--bandwidth", slowest}, "Of a link, in Gb/s [400]"},
        Flag{network.latency, {"--latency", 0}, "Of a link, in ns [100]"},
        Flag{network.hop_latency, {"--hop-latency", 0}, "To process a packet at the end of each link, in ns [300]"},
        Flag{network.overhead, {"--overhead", 0}, "For a rank to send one message, in ns [0]"},
        Flag{network.reduction, {"--reduction", slowest}, "Speed at which a rank reduces, in Gb/s [unlimited]"}})
    app.add_parsed(std::string(flag.parser.flag), flag.option, flag.parser, flag.about)->type_name("X");
}

void add_plot(const CommandApp& app, PlotFiles& plot, const std::string& what) {
  app->add_option("--plot", plot.picture, "Plot " + what + ", with Gnuplot: .svg, .pdf or .png")->type_name("FILE");
  app->add_option("--gnuplot", plot.script, "Write the plot's script and data, for Gnuplot")->type_name("FILE");
}

void add_required(const CommandApp& app, std::vector<std::string>& required) {
  app.add_list("--require", required, parse_required,
               "A property that must hold besides the usual ones, or several: a,b")
      ->type_name("ID");
}

void add_bounds(const CommandApp& app, Bounds& bounds, const Property* left_out) {
  for (const Property& p : properties())
    if (p.bound && (left_out == nullptr || p.id != left_out->id))
      app->add_option(bound_flag(p), bounds.*p.bound->number, std::string(p.bound->help))
          ->type_name("K")
          ->check(whole_number);
}

void add_resource_limits(const CommandApp& app, ResourceLimits& limits) {
  app->add_option("--time-limit", limits.time, "How long to work at most: 500ms, 60s, 5m, 2h [without end]")
      ->type_name("TIME")
      ->check(time_limit);
  app->add_option("--memory-limit", limits.memory, "Memory to use at most: 512MiB, 1GiB [all there is]")
      ->type_name("SIZE")
      ->check(memory_limit);
}

void add_block_budget(const CommandApp& app, std::uint64_t& budget, const std::string& about) {
  add_budget(app, budget, default_budget, about);
}

void add_link_budget(const CommandApp& app, std::uint64_t& budget) {
  add_budget(app, budget, default_link_budget,
             "Links that messages may cross, or that may be searched for their ways, all together");
}

}  // namespace onceover::cli
