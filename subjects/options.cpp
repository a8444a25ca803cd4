#include "subjects/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/rows.h"
#include "network/topology.h"

namespace onceover::subjects {

namespace {

constexpr unsigned bit(Origin::Kind kind) {
  return 1U << static_cast<unsigned>(kind);
}

constexpr unsigned by_name = bit(Origin::Kind::catalogue);
constexpr unsigned by_command = bit(Origin::Kind::command);
constexpr unsigned by_formula = bit(Origin::Kind::formula);
constexpr unsigned any_subject = by_name | by_command | by_formula | bit(Origin::Kind::file);
constexpr unsigned any_network = for_deficiencies | for_times;

// How values are written again.

constexpr auto its_name = [](auto value) { return name(value); };
constexpr auto as_written = [](const auto& written) { return written.text; };
constexpr auto its_text = [](const auto& value) { return value.text(); };

std::string collective_text(const AskedCollective& asked) {
  return std::string(asked.is_none ? "none" : asked ? name(*asked) : "");
}

Option<NetworkOptions> number(std::string_view name, NumberOption NetworkOptions::*field, double least,
                              std::string about) {
  const std::string flag = fmt::format("--{}", name);
  auto parse = [=](const std::string& text) { return NumberParser{flag, least}(text); };
  return option<NetworkOptions>(std::string(name), "X", field, parse, as_written, for_times, std::move(about));
}

std::vector<Option<SubjectOptions>> make_subject_options(bool several) {
  using S = SubjectOptions;
  return {
      option<S>("algo", "NAME", &S::algorithms, several ? parse_algorithms : parse_one_algorithm, names_text,
                any_subject,
                several ? "Algorithms of the catalogue, one or several: a,b; 'verify list' shows them"
                        : "An algorithm of the catalogue; 'verify list' shows them"),
      option<S>("exec", "COMMAND", &S::command, parse_text, print_text, any_subject,
                "Run this command, which prints a schedule file; {p} and {shape} stand for the number of ranks and the "
                "torus"),
      {"exec-time-limit", "TIME", "Stop the command of --exec after this time (default: 60s)", any_subject, false,
       [](const std::string& text, S& s) -> Result<void> {
         s.generator.seconds = TRY(parse_exec_time_limit(text));
         return {};
       },
       [](const S&) { return std::vector<std::string>(); }},
      option<S>("peer", "FORMULA", &S::peer, parse_peer, its_text, any_subject,
                "A formula for the peer of rank r in step s, of p ranks; see docs/your-own-algorithm.md"),
      option<S>("peer-steps", "FORMULA", &S::steps, parse_steps, its_text, by_formula,
                "The number of steps of --peer, a formula in p (default: ceil(log2 p))"),
      option<S>("odd", "HOW", &S::odd, parse_odd, its_name, by_formula,
                "Of --peer: among an odd number of ranks, the last is apart and exchanges directly with the others, or "
                "the formula runs as-written (default: apart if the formula only pairs ranks and doesn't mention p)"),
      option<S>("p", several ? "LIST" : "P", &S::ranks, parse_ranks, as_written, by_name | by_command | by_formula,
                several ? "The number of ranks, or several: 7, 2..64, 3,5,7, 8..64:8, 2^1..2^14"
                        : "The number of ranks: 7, 2^10"),
      {"torus", "AxB..",
       fmt::format("Ranks on a torus with these sides: 8x8, 4x6x2{}", several ? "; or several: 4x4,8x8" : ""),
       by_name | by_command, true, [](const std::string& text, S& s) { return parse_tori(text, s.tori); },
       [](const S& s) { return mapped(s.tori, torus_text); }},
      option<S>("lanes", "1|all", &S::lanes, parse_lanes, its_name, by_name,
                "Parts of the vector: 1, the whole, or all, one for each port in use (default: 1)"),
      repeated_option<S>("set", "NAME=VALUE", &S::settings, parse_setting, its_text, by_name,
                         "Set a parameter of the algorithm; 'verify list NAME' shows them; may be repeated"),
      option<S>(
          "collective", "NAME", &S::collective, parse_asked_collective, collective_text, by_name | by_formula,
          "What the algorithm is to do (default: the first that 'verify list' shows); none: don't require the data "
          "of a plan whose collective isn't known"),
      option<S>(
          "root", "R", &S::root, parse_root, [](Rank root) { return std::to_string(root); }, by_name,
          "The root of a broadcast, reduce, scatter or gather; all ranks move along with it (default: 0)"),
  };
}

}  // namespace

const std::vector<Option<SubjectOptions>>& subject_options(Takes takes) {
  static const auto one = make_subject_options(false), several = make_subject_options(true);
  return takes == Takes::one ? one : several;
}

const std::vector<Option<NetworkOptions>>& network_options() {
  using N = NetworkOptions;
  constexpr double slowest = 1e-6;
  static const std::vector<Option<N>> rows{
      option<N>("topology", "NAME|FILE", &N::topology, parse_topology_choice, as_written, any_network,
                fmt::format("The network: {}, with settings such as fat-tree:radix=16,taper=2; or a file in GraphML, "
                            "DOT or NCCL's XML "
                            "(default: torus, of the schedule's shape)",
                            fmt::join(mapped(topologies(), &Topology::name), ", "))),
      option<N>("map", "FILE", &N::map, parse_text, print_text, any_network,
                "A file that says where in the network rank 0 is, rank 1, and so on"),
      option<N>("ways", "FILE", &N::ways, parse_text, print_text, any_network,
                "A file that says which nodes the messages of a lane avoid, or those between two ranks take; or NCCL's "
                "graph"),
      option<N>("routing", "NAME", &N::routing, parse_routing, its_name, any_network,
                "How messages find their way: minimal, ecmp or dimension-order (default: minimal)"),
      option<N>("network-ports", "K", &N::ports, parse_ports, as_written, any_network,
                "Messages that the network lets a rank send at a time (default: as the topology says)"),
      number("bandwidth", &N::bandwidth, slowest, "Bandwidth of a link, in Gb/s (default: 400)"),
      number("latency", &N::latency, 0, "Latency of a link, in ns (default: 100)"),
      number("hop-latency", &N::hop_latency, 0,
             "Time to process a packet at the end of each link, in ns (default: 300)"),
      number("overhead", &N::overhead, 0, "Time that a rank takes to send one message, in ns (default: 0)"),
      number("reduction", &N::reduction, slowest, "Speed at which a rank reduces, in Gb/s (default: unlimited)"),
  };
  return rows;
}

std::string subject_arguments(const SubjectOptions& options) {
  return (options.file.empty() ? "" : " " + shell_word(options.file)) + arguments(subject_options(), options);
}

}  // namespace onceover::subjects
