// `verify live`: what this machine's MPI computes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"
#include "subjects/option_values.h"

namespace onceover::cli {

/// Most options are passed on to verify-mpi.
struct LiveCommand {
  Later<std::string_view> mpi = {};  // openmpi, mpich; nothing: the first that is there
  std::optional<RankList> ranks = {};
  std::string preload = {};                    // a library that defines collectives
  std::optional<std::string_view> sweep = {};  // openmpi, mpich
  bool json = false;
  bool yes = false;                         // however many processes it takes
  std::vector<std::string> passed_on = {};  // flags and values, in words

  /// What verify-mpi is told.
  std::vector<std::string> words() const;
};

/// The MPIs of --mpi and --sweep.
Result<std::string_view> parse_mpi(const std::string& text);
Result<std::string_view> parse_swept_mpi(const std::string& text);

/// Finds verify-mpi and mpirun, and runs the one under the other for each p.
Result<ExitCode> run(const LiveCommand& command);

}  // namespace onceover::cli
