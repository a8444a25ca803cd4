// The options of `verify live`, most of which it passes on to verify-mpi unchanged.
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/shared_options.h"

namespace onceover::cli {

namespace {

void pass_on(const CommandApp& app, LiveCommand& command, const std::string& option, const std::string& type,
             const std::string& about) {
  app->add_option_function<std::string>(
         option,
         [&command, option](const std::string& value) {
           command.passed_on.insert(command.passed_on.end(), {option, value});
         },
         about)
      ->check(not_empty)
      ->type_name(type);
}

void pass_flag_on(const CommandApp& app, LiveCommand& command, const std::string& flag, const std::string& about) {
  app->add_flag_callback(
      flag, [&command, flag] { command.passed_on.push_back(flag); }, about);
}

}  // namespace

void describe(const CommandApp& app, LiveCommand& command) {
  app.group("MPI");
  app.add_parsed("--mpi NAME", command.mpi, parse_mpi,
                 "The MPI: openmpi, mpich, simgrid, or gloo (default: the first that is installed)");
  app.add_parsed("--sweep NAME", command.sweep, parse_swept_mpi,
                 "Make openmpi, mpich, simgrid or gloo use each algorithm that it offers, one after the other");
  app.add_file("--preload", command.preload, "A library of yours that defines collectives such as MPI_Allreduce");
  pass_on(app, command, "--hosts", "each|one|N", "In SimGrid: which ranks share a host (default: each has its own)");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..16 (default: 4; of a sweep 2..8)");
  pass_on(app, command, "--collective", "LIST",
          "The collectives to call: allreduce,ireduce,.., or all, reductions, movements (default: all)");
  pass_on(app, command, "--count", "LIST",
          "Elements of the vector: numbers, p, 2p, p-1, .. (default: 0,1,p-1,p,p+1,1000)");
  pass_on(app, command, "--root", "R", "The root of collectives that have one (default: 0)");
  pass_on(app, command, "--repeat", "K", "Make each call this many times (default: 2)");
  pass_flag_on(app, command, "--non-commutative", "Declare the operator as one that does not commute");
  pass_flag_on(app, command, "--both-operators", "Call reductions with a commutative operator, then with another");
  pass_flag_on(app, command, "--in-place", "Use MPI_IN_PLACE where the collective has it");
  app.group(property_group);
  pass_on(app, command, "--require", "LIST",
          "Require properties besides the usual ones: order-preserving, deterministic, ..");
  pass_on(app, command, "--schedule", "FILE", "Require that the library adds up as this schedule file does");
  app.group(output_group);
  pass_flag_on(app, command, "--match", "Name the algorithm of the catalogue that adds up in the same way");
  pass_flag_on(app, command, "--terms", "Print how each element was added up");
  pass_flag_on(app, command, "--full", "Print every property");
  app->add_flag("--json", command.json, "Print the result as JSON");
  pass_on(app, command, "--json-out", "FILE", "Also write the table of a sweep as JSON to this file");
  pass_flag_on(app, command, "--markdown", "Print the table of a sweep as Markdown");
  app.group(limits_group);
  pass_on(app, command, "--call-time-limit", "TIME",
          "Give up when a call takes longer than this: 20s, 5m (default: 60s; of a sweep 20s)");
  app->add_flag("--yes", command.yes, "Start more than 8 processes for each core without asking");
}

}  // namespace onceover::cli
