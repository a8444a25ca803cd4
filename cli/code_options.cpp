// The options of `verify code`. Those of its calls are read as those of `verify live` are.
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/shared_options.h"

namespace onceover::cli {

namespace {

void pass_on(const CommandApp& app, CodeCommand& command, const std::string& option, const std::string& type,
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

void pass_flag_on(const CommandApp& app, CodeCommand& command, const std::string& flag, const std::string& about) {
  app->add_flag_callback(
      flag, [&command, flag] { command.passed_on.push_back(flag); }, about);
}

}  // namespace

void describe(const CommandApp& app, CodeCommand& command) {
  app.group("Code");
  app.add_option("FILES", command.sources.files, "Files of C or C++, objects and libraries")->required();
  app.add_option("--function NAME", command.sources.function,
                 "The function to judge, with the signature of MPI's collective")
      ->required()
      ->check(not_empty);
  app.add_option("--collective NAME", command.collective,
                 "What it should do: allreduce, reduce, bcast, allgather, .. (default: allreduce)");
  app->add_flag("--numbers", command.numbers,
                "The code adds up double or float itself: compile it with elements in their place");
  app.add_option("--build COMMAND", command.sources.build, "Run this first, in a shell; it may make some of the files");
  app.add_option("--include DIR", command.sources.includes, "Look for headers in this folder, too; may be repeated");
  app.add_option("--flags TEXT", command.sources.flags, "Flags for the compiler, such as '-DK=4 -O2'");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..64 (default: 2..8)");
  pass_on(app, command, "--count", "LIST",
          "Elements of the vector: numbers, p, 2p, p-1, .. (default: 0,1,p-1,p,p+1,1000)");
  pass_on(app, command, "--root", "R", "The root of collectives that have one (default: 0)");
  pass_on(app, command, "--repeat", "K", "Make each call this many times (default: 2)");
  pass_flag_on(app, command, "--non-commutative", "Declare the operator as one that does not commute");
  pass_flag_on(app, command, "--both-operators", "Call reductions with a commutative operator, then with another");
  pass_flag_on(app, command, "--in-place", "Use MPI_IN_PLACE where the collective has it");
  app.group("Machine");
  app.add_parsed("--hosts HOSTS", command.ranks_on_host, parse_hosts,
                 "Which ranks share a host: one for all, one each, or a number of ranks on each (default: each)");
  app->add_flag("--no-buffering", command.waits, "Each send waits for its receive, whatever its size");
  app.add_parsed("--with NAME", command.with, parse_mpi,
                 "Also run the code under openmpi or mpich, for p up to 8; both must agree");
  app.group(property_group);
  pass_on(app, command, "--require", "LIST",
          "Require properties besides the usual ones: order-preserving, deterministic, ..");
  app.group(output_group);
  pass_flag_on(app, command, "--match", "Name the algorithm of the catalogue that adds up in the same way");
  pass_flag_on(app, command, "--terms", "Print how each element was added up");
  app->add_flag("--family", command.family,
                "Name the algorithm that the messages are for all p, with its theorem for every p");
  app.add_file("--schedule-out", command.schedule_out,
               "Write what the last call sent as a schedule file, for one p; - is standard output");
  app->add_flag("--full", command.full, "Print every property");
  app->add_flag("--json", command.json, "Print the result as JSON");
  app.group(limits_group);
  pass_on(app, command, "--call-time-limit", "TIME",
          "Give up when a call takes longer than this: 20s, 5m (default: 60s)");
}

}  // namespace onceover::cli
