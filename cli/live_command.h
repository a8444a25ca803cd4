// `verify live`: judges what this machine's MPI computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "live/options.h"

namespace onceover::cli {

/// Most options are passed on to verify-mpi.
struct LiveCommand {
  std::optional<std::string_view> mpi = {};  // openmpi, mpich; not given: the first that is installed
  std::optional<RankList> ranks = {};
  std::string preload = {};                    // a library that defines collectives
  std::optional<std::string_view> sweep = {};  // openmpi, mpich
  bool json = false;
  bool markdown = false;      // of a sweep
  std::string json_out = {};  // of a sweep
  bool yes = false;           // start any number of processes
  live::CallWords calls = {};

  /// The arguments of verify-mpi.
  std::vector<std::string> words() const;
};

/// Adds options of calls, none of whose values is empty.
void add_calls(const CommandApp& app, const std::vector<Option<live::CallWords>>& rows, live::CallWords& calls);

/// Parse the MPIs of --mpi and --sweep.
Result<std::string_view> parse_mpi(const std::string& text);
Result<std::string_view> parse_swept_mpi(const std::string& text);

/// Finds verify-mpi and mpirun, and runs verify-mpi under mpirun for each p.
Result<ExitCode> run(const LiveCommand& command);

}  // namespace onceover::cli
