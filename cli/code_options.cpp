// The options of `verify code`. Those of its calls are read as those of `verify live` are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/shared_options.h"
#include "code/digits.h"
#include "code/library.h"

namespace onceover::cli {

void describe(const CommandApp& app, CodeCommand& command) {
  const auto add = [&](const char* name, const char* value, const char* about) {
    add_calls(app, {live::call_row(name, value, about)}, command.code.calls);
  };
  app.group("Code");
  app.add_option("FILES", command.code.sources.files, "Files of C or C++, objects and libraries");
  app.add_option("--function NAME", command.code.sources.function,
                 "The function to judge, with the signature of MPI's collective")
      ->check(not_empty);
  app.add_option("--collective NAME", command.collective,
                 "What it should do: allreduce, reduce, bcast, allgather, .. (default: allreduce)")
      ->check(not_empty);
  app.add_all(code::build_options(), command.code);
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
  add_calls(app, live::call_rows(), command.code.calls);
  app.add_all(code::trial_options(), command.code);
  app.group("Machine");
  app.add_all(code::machine_options(), command.code);
  app.add_parsed("--with NAME", command.with, parse_mpi,
                 "Also run the code under openmpi or mpich, for p up to 8; both must agree");
  app.group(property_group);
  add("require", "LIST", "Require properties besides the usual ones: order-preserving, deterministic, unbuffered, ..");
  add("waive", "LIST", "Don't require these properties, which are by default: bitwise-reproducible");
  app.group(output_group);
  add("match", "", "Name the algorithm of the catalogue that adds up in the same way");
  add("terms", "", "Print how each element was added up");
  app->add_flag("--family", command.family,
                "Name the algorithm that the messages are for all p, with its theorem for every p");
  app.add_file("--schedule-out", command.schedule_out,
               "Write what the last call sent as a schedule file, for one p; - is standard output");
  app->add_flag("--full", command.full, "Print every property");
  add_json(app, command.json);
  app.group(limits_group);
  add("call-time-limit", "TIME", "Give up when a call takes longer than this: 20s, 5m (default: 60s)");
}

}  // namespace onceover::cli
