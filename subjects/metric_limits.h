// Limits on metrics, as `verify --limit` and the gate have them.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"
#include "subjects/measures.h"
#include "subjects/network_options.h"
#include "subjects/run.h"

namespace onceover::subjects {

/// The network is for those limits that are about one. Mistakes are told by `limits_of`.
struct LimitOptions {
  Result<std::vector<Limit>> limits = {};
  NetworkOptions network = {};

  bool has_limits() const { return !limits || !limits->empty(); }
};

/// "steps <= p": a limit of --limit.
Result<Limit> parse_limit(const std::string& text);

/// The limits, if they and the network are without a mistake.
Result<std::vector<Limit>> limits_of(const LimitOptions& options);

/// What is measured of a judged schedule; an error where the network that is wanted can't be had.
Result<Measures> measures_of(const Schedule& schedule, const Report& report, bool wants_network,
                             const NetworkOptions& network);

/// Judges the limits into the run; a usage error where one has no value.
Result<void> judge_limits(Verification& run, const std::vector<Limit>& limits, const Measures& measures);

}  // namespace onceover::subjects
