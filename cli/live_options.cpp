// The options of `verify live`, most of which it passes on to verify-mpi unchanged.
#include "cli/command_line.h"
#include "cli/options.h"
#include "cli/shared_options.h"

namespace onceover::cli {

void describe(const CommandApp& app, LiveCommand& command) {
  const auto add = [&](const char* name, const char* value, const char* about) {
    add_calls(app, {live::call_row(name, value, about)}, command.calls);
  };
  app.group("MPI");
  app.add_parsed("--mpi NAME", command.mpi, parse_mpi,
                 "The MPI: openmpi, mpich, simgrid, or gloo (default: the first that is installed)");
  app.add_parsed("--sweep NAME", command.sweep, parse_swept_mpi,
                 "Make openmpi, mpich, simgrid or gloo use each algorithm that it offers, one after the other");
  app.add_file("--preload", command.preload, "A library of yours that defines collectives such as MPI_Allreduce");
  add("hosts", "each|one|N", "In SimGrid: which ranks share a host (default: each has its own)");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..16 (default: 2..9; of a sweep 2..8)");
  add("collective", "LIST",
      "The collectives to call: allreduce,ireduce,.., or all, reductions, movements (default: all)");
  add_calls(app, live::call_rows(), command.calls);
  add("quick", "",
      "Leave out what isn't asked for: in place, operators that don't commute, other roots than 0, long vectors");
  app.group(property_group);
  add("require", "LIST", "Require properties besides the usual ones: order-preserving, deterministic, ..");
  add("waive", "LIST", "Don't require these properties, which are by default: bitwise-reproducible");
  add("schedule", "FILE", "Require the same order of additions as in this schedule file");
  app.group(output_group);
  add("match", "", "Name the algorithm of the catalogue that adds up in the same way");
  add("terms", "", "Print how each element was added up");
  add("full", "", "Print every property");
  app->add_flag("--json", command.json, "Print the result as JSON");
  add("json-out", "FILE", "Also write the table of a sweep as JSON to this file");
  add("markdown", "", "Print the table of a sweep as Markdown");
  app.group(limits_group);
  add("call-time-limit", "TIME", "Give up when a call takes longer than this: 20s, 5m (default: 60s; of a sweep 20s)");
  app->add_flag("--yes", command.yes, "Start more than 8 processes for each core without asking");
}

}  // namespace onceover::cli
