// Limits on metrics, for `verify --limit` and the gate.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"
#include "subjects/measures.h"
#include "subjects/network_options.h"
#include "subjects/run.h"

namespace onceover::subjects {

/// The limits, and the network for those that need one.
struct LimitOptions {
  std::vector<Limit> limits = {};
  NetworkOptions network = {};
};

/// Parses "steps <= p", a limit of --limit.
Result<Limit> parse_limit(const std::string& text);

/// Refuses a network that no limit is about.
Result<void> check(const LimitOptions& options);

/// The measures of a judged schedule; an error if the network that they need can't be made.
Result<Measures> measures_of(const Schedule& schedule, const Report& report, Wanted wanted,
                             const NetworkOptions& network);

/// Judges the limits and adds them to the run; a usage error if one has no value.
Result<void> judge_limits(Verification& run, const std::vector<Limit>& limits, const Measures& measures);

}  // namespace onceover::subjects
