// Measurements of code over MPI: functions that are run in a simulator and judged.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "code/executable.h"
#include "units/measurement.h"

namespace onceover::units {

/// Finds mistakes in what a check asks of code, or of the row of a library, at a number of ranks: an option's value
/// that `verify code` refuses. The failure's message begins with the option, "--root: ..".
Result<void> check_calls(const Check& check, const code::LibraryRow* row, Rank ranks);

/// The programs of a run of a gate: a file is compiled once, however many units run it. Several threads may use it.
class Programs {
 public:
  /// The program of a unit's file, which is compiled when the first unit asks for it.
  Result<std::shared_ptr<const code::Executable>> of(const Unit& unit);

 private:
  struct Program {
    std::mutex mutex = {};
    std::optional<Result<std::shared_ptr<const code::Executable>>> built = {};
  };

  std::mutex mutex_;
  std::mutex building_;
  std::map<std::string, Program> programs_;  // by check and file
};

/// Runs the unit's function and judges each call, as `verify code` does. Metrics are those of the schedule that the
/// last call, which has the most elements, was read back as; without one, none is known.
Measurement measure_code(const Unit& unit, const Wanted& wanted, int threads, Programs& programs);

}  // namespace onceover::units
