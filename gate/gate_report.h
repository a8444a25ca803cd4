// GateReport: the outcomes of a run of a gate, and the outputs that are made of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/gate_report.h"
#include "units/outcome.h"

namespace onceover::gate {

/// The remark on a cause that came from the cache.
inline constexpr std::string_view cached_text = "cached: an earlier run of this program found it";

/// "./pairwise.py {p} (allreduce), p = 7": the unit's text, with the collective that the content of a file or the
/// output of a command names.
std::string subject_text(const Outcome& outcome);

/// The results of a run of a gate.
struct GateReport {
  const Checks& gate;
  std::string folder;     // the gate file's folder, as the user sees it; "" or with a slash at the end
  std::string selection;  // "shard 1/2", "filter 'swing'": the part of the gate that was run; empty: all
  std::size_t units_in_all;
  std::string baseline;  // the file with which the units are compared, as the user named it; empty: none
  std::vector<Outcome> outcomes;
  /// Ids that the baseline has and the gate no longer has. Empty with a filter, and in every shard but the first.
  std::vector<std::string> vanished = {};

  /// Do the vanished units fail the gate? They don't if the baseline is being recorded anew.
  bool fails_for_vanished() const { return !baseline.empty() && !vanished.empty(); }

  /// A file that the gate names, as seen from the current folder.
  std::string path_of(const std::string& file) const;

  std::size_t count(Verdict verdict) const;
  Verdict verdict() const;
  ExitCode exit_code() const;
};

/// The place to look, as seen from the current folder, for a cause: the gate file's key that it is about, else the
/// subject's file, else the check.
SourcePlace place_of(const Outcome& outcome, const Cause& cause, const GateReport& report);

/// The command that shows a cause, run from the current folder; its exit code isn't 0.
std::string command_of(const Outcome& outcome, const Cause& cause, const GateReport& report);

/// The command that judges the unit alone, by everything that the check asks.
std::string command_of(const Outcome& outcome, const GateReport& report);

/// The outcomes of one check, which are neighbours.
struct CheckOutcomes {
  const Check* check;
  std::span<const Outcome> outcomes;

  std::size_t count(Verdict verdict) const;

  /// How many came from the cache.
  std::size_t cached() const;

  /// " (allreduce)": the collectives that a file or command names; empty for other subjects, whose options name theirs.
  std::string collectives_text() const;
};

/// The checks that have outcomes, in order.
std::vector<CheckOutcomes> outcomes_by_check(const GateReport& report);

/// Notes on files and code that passed or didn't, "mine: GOAL says ..". Notes on schedules are only in the JSON.
std::vector<std::string> file_notes(const GateReport& report);

/// "1 recorded unit is no longer in the gate: mine/swing/allreduce/p=7".
std::string vanished_text(const GateReport& report);

/// Causes that are reported together: of one check, subject and rule, at several numbers of ranks.
struct CauseGroup {
  const Outcome* first;
  const Cause* cause;
  std::vector<const Outcome*> others;
};

/// Failures first, then unknowns, each in the order of the outcomes.
std::vector<CauseGroup> grouped_causes(const GateReport& report);

/// "bitwise-reproducible (3 units, first mine/swing-latency/p=8) fails": what fails without being required, in units
/// that don't fail; or empty.
std::string unrequired_text(const GateReport& report);

/// "7 of 63 units fail: exactly-once, limit".
std::string verdict_line(const GateReport& report);

/// A rule: what it asks, in a sentence, and its full help.
struct RuleText {
  std::string id;
  std::string asks;
  std::string help;
};

/// The rules of the report's causes, each once, sorted by id.
std::vector<RuleText> rules_of(const GateReport& report);

/// The text for people: failures first, the verdict last.
std::string text_output(const GateReport& report);

/// The JSON document of docs/schema/gate.schema.json.
std::string json_output(const GateReport& report);

/// JUnit's XML: a test suite for each check, a test case for each unit.
std::string junit_output(const GateReport& report);

/// SARIF 2.1.0: a result for each cause, at the subject's file if it has one, else at the check in the gate file.
std::string sarif_output(const GateReport& report);

/// The summary of a CI job, in GitHub's Markdown.
std::string markdown_output(const GateReport& report);

}  // namespace onceover::gate
