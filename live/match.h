// Finds the schedule whose terms a running library left: `--match` and `--schedule`.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "live/element.h"
#include "live/reference.h"

namespace onceover::live {

/// What the comparison says about a call's terms.
struct Matched {
  Json json;
  std::vector<std::string> text;
  bool same = false;  // is there a match?
};

/// Keeps the terms of schedules from call to call. All calls have the same number of ranks.
class Matcher {
 public:
  explicit Matcher(Rank ranks) : terms_(ranks) {}

  /// Compares with the catalogue. Says nothing about collectives that only move data, about scans, which the catalogue
  /// doesn't have, about empty vectors, and about layouts other than `even`, whose parts are no blocks of schedules.
  Matched match(const LiveCall& call, const Values& values, const CallOutcome& outcome);

  /// Compares with one schedule of the same collective.
  Matched compare_with(const Schedule& schedule, const LiveCall& call, const Values& values,
                       const CallOutcome& outcome);

 private:
  std::vector<Computation> computations(const LiveCall& call, const Values& values, const CallOutcome& outcome);

  TermTable terms_;
  std::map<std::pair<CallKind, Rank>, std::vector<Reference>> references_;  // by collective and root
};

}  // namespace onceover::live
