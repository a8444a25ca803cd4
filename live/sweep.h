// `--sweep`: each algorithm that a library offers, forced through the library's own settings, for several p.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "live/options.h"
#include "schedules/types.h"
#include "verifier/property.h"

namespace onceover::live {

/// The libraries whose algorithms can be forced.
std::span<const std::string_view> swept_libraries();

struct SweepOptions {
  std::string library;  // one of swept_libraries()
  std::string program;  // verify-mpi for this library
  std::vector<std::string> collectives = {};
  std::vector<Rank> ranks = {};
  std::string counts = {};
  int seconds = 20;  // that a call may take, and a sixth of what a run may take
};

/// One way to run a collective: the library's own choice, or an algorithm that it is set to run.
struct Choice {
  std::string collective;
  std::string algorithm;  // "default": the library's choice
  std::vector<std::string>
      settings;  // environment variables NAME=value; options of verify-mpi where that holds all ranks
};

/// The result of one run under mpirun.
struct SweepRow {
  enum class End { judged, crashed, hung, refused };

  Choice choice;
  Rank ranks;
  std::string command;  // repeats the run
  End end = End::judged;
  bool passes = false;                  // all required properties, with either kind of operator
  bool falls_back = false;              // does the library say that it ran another algorithm?
  std::optional<bool> is_ordered = {};  // order-preserving also with an operator that commutes; nothing: not judged
  std::optional<bool> is_deterministic = {};
  std::string match = {};     // for the largest count; empty: none, or nothing to match
  std::string reason = {};    // why it doesn't pass, in a line
  std::string smallest = {};  // for the first p that fails: the command with the smallest count that fails
};

/// The algorithms of a library, as the library lists them; for MPICH, which doesn't, those of version 4.0.
Result<std::vector<Choice>> choices(const SweepOptions& options);

/// What was run.
struct Swept {
  std::vector<SweepRow> rows;
  std::string cut = {};  // why the rest wasn't run: a time limit or an interrupt
};

/// Runs everything, one run after the other. At the first p for which an algorithm fails, it is run again with smaller
/// counts.
Result<Swept> sweep(const SweepOptions& options);

/// A line for each algorithm and each list of p with the same outcome.
std::string sweep_text(const Swept& swept);
std::string sweep_markdown(const Swept& swept);

/// Every row with its command, as the document of docs/schema/live-sweep.schema.json.
Json sweep_json(const SweepOptions& options, const Swept& swept);

/// Fail if a row neither passes nor was refused, unknown if not all were run.
Verdict verdict_of(const Swept& swept);

/// What `verify live --sweep` asks for.
struct SweepCommand {
  std::string library;
  std::vector<Rank> ranks;
  CallWords calls = {};  // --collective, --count and --call-time-limit
  bool json = false;
  bool markdown = false;
  std::string json_out = {};
};

/// Runs the sweep, and prints its table.
Result<ExitCode> run_sweep(const SweepCommand& command);

}  // namespace onceover::live
