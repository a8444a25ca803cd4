// `--sweep`: each algorithm that a library offers, forced through the library's own settings, over p.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/json.h"
#include "schedules/types.h"
#include "verifier/property.h"

namespace onceover::live {

struct SweepOptions {
  std::string library;  // openmpi or mpich
  std::string program;  // verify-mpi for it
  std::vector<std::string> collectives = {};
  std::vector<Rank> ranks = {};
  std::string counts = {};
  int seconds = 20;  // that a call may take, and a sixth of what a run may
};

/// One way to run a collective: the library's own choice, or an algorithm that it is told to run.
struct Choice {
  std::string collective;
  std::string algorithm;              // "default": the library's choice
  std::vector<std::string> settings;  // environment variables NAME=value
};

/// What one run under mpirun came to.
struct SweepRow {
  enum class End { judged, crashed, hung, refused };

  Choice choice;
  Rank ranks;
  std::string command;  // that repeats it
  End end = End::judged;
  bool passes = false;                  // all required properties, with either kind of operator
  bool falls_back = false;              // the library says that it ran another algorithm than it was told to
  std::optional<bool> is_ordered = {};  // order-preserving with an operator that commutes, too; where that was judged
  std::optional<bool> is_deterministic = {};
  std::string match = {};     // of the largest count; empty: none, or nothing to match
  std::string reason = {};    // why it doesn't pass, in a line
  std::string smallest = {};  // of the first p that fails: the smallest count that does, as a command
};

/// The algorithms of a library: those that it names itself, where it does; for MPICH those of version 4.0.
Result<std::vector<Choice>> choices(const SweepOptions& options);

/// What was run.
struct Swept {
  std::vector<SweepRow> rows;
  std::string cut = {};  // why that isn't all: a limit on time, an interrupt
};

/// Runs everything, one run after the other. What fails is run again with smaller counts, at the first p at which its
/// algorithm fails.
Result<Swept> sweep(const SweepOptions& options);

/// A line for each algorithm and run of p with the same outcome.
std::string sweep_text(const Swept& swept);
std::string sweep_markdown(const Swept& swept);

/// Every row with its command; the document of docs/schema/live-sweep.schema.json.
Json sweep_json(const SweepOptions& options, const Swept& swept);

/// fail if a row doesn't pass and wasn't refused, unknown if not all were run.
Verdict verdict_of(const Swept& swept);

}  // namespace onceover::live
