// Runs a gate.
#pragma once

#include "gate/cache.h"
#include "gate/outcome.h"

namespace onceover::gate {

/// Judges the units, `jobs` at a time. The outcomes are in the order of the units, whatever the number of jobs. A limit
/// without a value, for example after an overflow, is an error that names the limit and the unit.
Result<std::vector<Outcome>> run_units(const Gate& gate, const std::vector<Unit>& units, int jobs, Cache& cache,
                                       const Baseline* baseline);

}  // namespace onceover::gate
