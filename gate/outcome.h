// A unit with its verdict and the causes of that: what all outputs are made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/baseline.h"
#include "gate/measurement.h"

namespace onceover::gate {

/// The rules that aren't properties.
inline constexpr std::string_view limit_rule = "limit";
inline constexpr std::string_view baseline_rule = "baseline";
inline constexpr std::string_view subject_rule = "subject";

/// Why a unit doesn't pass.
struct Cause {
  std::string rule;  // the id of a property, or one of the above
  std::string part;  // the limit's text, the metric; empty for properties
  Verdict verdict;   // fail or unknown
  std::string headline;
  std::vector<std::string> details = {};
  std::size_t line = 0;  // of the subject's file; 0: none
};

struct JudgedLimit {
  const Limit* limit;
  LimitFinding finding;
};

struct Outcome {
  const Unit* unit;
  Measurement measurement;
  std::vector<JudgedLimit> limits = {};
  std::vector<Cause> causes = {};
  bool has_record = false;  // the baseline knows the unit
  Verdict verdict = Verdict::unknown;
};

/// The outcome of a measurement under the check's limits and the baseline, if there is one.
Outcome judged(const Unit& unit, Measurement measurement, const Baseline* baseline);

/// All that a run of a gate came to.
struct GateReport {
  const Gate& gate;
  std::string folder;     // of the gate file, as the user sees it; "" or with a slash at the end
  std::string selection;  // "shard 1/2", "filter 'swing'": what part of the gate this is; empty: all
  std::size_t units_in_all;
  bool has_baseline;
  std::vector<Outcome> outcomes;

  /// A file that the gate names, as seen from the current folder.
  std::string path_of(const std::string& file) const;

  std::size_t count(Verdict verdict) const;
  Verdict verdict() const;
  ExitCode exit_code() const;
};

/// Causes that are one: of one check, subject and rule, at several numbers of ranks.
struct CauseGroup {
  const Outcome* first;
  const Cause* cause;
  std::vector<const Outcome*> others;
};

/// Failures first, then what is unknown, each in the order of the outcomes.
std::vector<CauseGroup> grouped_causes(const GateReport& report);

/// "7 of 63 units fail: exactly-once, limit".
std::string verdict_line(const GateReport& report);

/// What a rule asks, in a sentence, and its help in full.
struct RuleText {
  std::string id;
  std::string asks;
  std::string help;
};

/// The rules that the causes of the report are of, each once, sorted by id.
std::vector<RuleText> rules_of(const GateReport& report);

}  // namespace onceover::gate
