// The options of `verify code`. Those of its calls are read as those of `verify live` are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/passed_on.h"
#include "cli/shared_options.h"
#include "code/digits.h"
#include "code/library.h"

namespace onceover::cli {

void describe(const CommandApp& app, CodeCommand& command) {
  app.group("Code");
  app.add_option("FILES", command.sources.files, "Files of C or C++, objects and libraries");
  app.add_option("--function NAME", command.sources.function,
                 "The function to judge, with the signature of MPI's collective")
      ->check(not_empty);
  app.add_option("--collective NAME", command.collective,
                 "What it should do: allreduce, reduce, bcast, allgather, .. (default: allreduce)")
      ->check(not_empty);
  app->add_flag("--numbers", command.numbers,
                "The code adds up double or float itself: compile it with elements in their place");
  app.add_each("--number-type NAME=MPI_TYPE", command.sources.number_types, code::parse_number_type,
               "The code adds up this type of its own, which it sends as that; may be repeated");
  app.add_parsed(
      "--digits TYPE", command.sources.digits, code::parse_digit_type,
      "The code takes only MPI_SUM of double, float, int or int64: call it with numbers that show who was added");
  app.add_option("--build COMMAND", command.sources.build, "Run this first, in a shell; it may make some of the files");
  app.add_option("--include DIR", command.sources.includes, "Look for headers in this folder, too; may be repeated");
  app.add_option("--flags TEXT", command.sources.flags, "Flags for the compiler, such as '-DK=4 -O2'");
  app.group("Library");
  app.add_option("--library NAME", command.library,
                 "Judge an algorithm of this library, in place of FILES: " +
                     fmt::format("{}", fmt::join(code::library_names(), ", ")));
  app.add_file("--checkout", command.checkout, "The folder with the library's source");
  app.add_option("--algo NAME", command.algo, "The algorithm, such as bcast/binomial")->check(not_empty);
  app.add_option("--set NAME=LIST", command.settings,
                 "Values of a setting of the algorithm, such as k=2..4,8; may be repeated")
      ->allow_extra_args(false);
  app->add_flag("--list", command.lists, "Print what the checkout has, and what isn't judged, with the reason");
  app.add_file("--select", command.selection,
               "Judge this file of MPICH, which picks algorithms: one for each call, each meant for it?");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..64 (default: 2..8)");
  pass_calls_on(app, command.passed_on);
  app->add_flag("--quick", command.asked.is_quick,
                "Leave out what isn't asked for: in place, long messages, other roots than 0, other communicators, "
                "unequal hosts, sends that wait");
  app.add_parsed("--communicators LIST", command.asked.communicators, code::parse_communicators,
                 "Which calls are made on: world, copy, backwards (default: world, and one call backwards)");
  app.group("Machine");
  app.add_parsed(
      "--hosts HOSTS", command.hosts, code::Hosts::parse,
      "Which ranks share a host: one, each, a number on each, or a list that sums to p, such as 1,3 or 1,p-1 "
      "(default: each, then 1,p-1 and p-1,1)");
  app->add_flag("--no-buffering", command.asked.is_unbuffered, "Each send waits for its receive, whatever its size");
  app.add_parsed("--orders N", command.asked.orders, code::parse_orders,
                 "Make each call this many times more, with ranks that begin at other times (default: 0)");
  app.add_parsed("--with NAME", command.with, parse_mpi,
                 "Also run the code under openmpi or mpich, for p up to 8; both must agree");
  app.group(property_group);
  pass_on(app, command.passed_on, "--require", "LIST",
          "Require properties besides the usual ones: order-preserving, deterministic, unbuffered, ..");
  pass_on(app, command.passed_on, "--waive", "LIST",
          "Don't require these properties, which are by default: bitwise-reproducible");
  app.group(output_group);
  pass_flag_on(app, command.passed_on, "--match", "Name the algorithm of the catalogue that adds up in the same way");
  pass_flag_on(app, command.passed_on, "--terms", "Print how each element was added up");
  app->add_flag("--family", command.family,
                "Name the algorithm that the messages are for all p, with its theorem for every p");
  app.add_file("--schedule-out", command.schedule_out,
               "Write what the last call sent as a schedule file, for one p; - is standard output");
  app->add_flag("--full", command.full, "Print every property");
  add_json(app, command.json);
  app.group(limits_group);
  pass_on(app, command.passed_on, "--call-time-limit", "TIME",
          "Give up when a call takes longer than this: 20s, 5m (default: 60s)");
}

}  // namespace onceover::cli
