// What a run of `verify` or `verify gate` found, and how two runs differ.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace onceover::cli {

/// What was found of one property, limit or unit.
struct WatchFinding {
  std::string verdict;                // "pass", "fail", "unknown"
  std::vector<std::string> why = {};  // the counterexample, or what else speaks against it; empty if it passes
  friend bool operator==(const WatchFinding&, const WatchFinding&) = default;
};

/// Findings in the order of the result, each with a name of its own: "exactly-once", "swing 4x4: exactly-once", or of a
/// gate the name of the unit.
struct Findings {
  std::vector<std::string> names = {};
  std::map<std::string, WatchFinding> by_name = {};
  bool may_lack_some = false;  // of code that fails: what comes after a failure isn't tried
};

/// The findings in a JSON result: required properties and limits of each run, or the units of a gate. Nothing if it is
/// no such result, because nothing was judged.
std::optional<Findings> findings_in(const Json& result);

/// What is different now, a line each, at most eight; with the first counterexample that is new. Empty: nothing.
std::vector<std::string> differences(const Findings& before, const Findings& now);

}  // namespace onceover::cli
