// A gate: its file, read, and its units, judged.
#pragma once

#include "gate/cache.h"
#include "gate/gate_report.h"

namespace onceover::gate {

/// Parses the text of a gate file called `name`. A mistake is a usage error with line and column.
Result<Checks> read_gate(const std::string& name, const std::string& text);

/// The checks as an equivalent gate file without defaults.
std::string config_text(const Checks& gate);

/// Judges the units, `jobs` at a time. The outcomes are in the order of the units, whatever the number of jobs. A limit
/// without a value, for example after an overflow, is an error that names the limit and the unit.
Result<std::vector<Outcome>> run_units(const Checks& gate, const std::vector<Unit>& units, int jobs, Cache& cache,
                                       const Baseline* baseline);

}  // namespace onceover::gate
