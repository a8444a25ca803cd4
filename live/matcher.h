// `--match` and `--schedule`: which schedule a library's call matches.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "live/match.h"
#include "live/outcome.h"

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
  std::vector<Fate> fates(const LiveCall& call, const Values& values, const CallOutcome& outcome);
  Matched say(const MatchComparison& comparison, const LiveCall& call) const;
  void say(const Nearest& near, const LiveCall& call, Matched& said) const;
  std::string text(Term term) const;

  TermTable terms_;
  std::map<std::pair<CallKind, Rank>, std::vector<Reference>> references_;  // by collective and root
};

}  // namespace onceover::live
