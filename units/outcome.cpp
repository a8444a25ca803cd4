// A unit passes if its measurement passes and nothing else that the gate asks speaks against it: a collective, limits,
// a baseline. Each reason not to pass is a cause. Outputs only print causes and judge nothing, so they can't disagree.
//
// What one cause explains isn't reported again: a schedule that isn't well-formed isn't also blamed for exactly-once;
// metrics of wrong subjects aren't compared with the baseline.
//
// A fail outweighs an unknown. Judging costs O(properties + limits) and a look-up in the baseline.

#include "units/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/source_text.h"
#include "gpu/judge.h"
#include "subjects/required.h"

namespace onceover::units {

namespace {

constexpr const char* collective_part = "collective";
constexpr const char* ranks_part = "ranks";

/// A cause whose headline is the message's first line, and whose details are the other lines.
Cause failure_cause(const Failure& failure, const std::string& file) {
  Cause cause{.rule = std::string(subject_rule), .part = {}, .verdict = Verdict::unknown, .headline = {}};
  const std::string message = readable(failure.message);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    lines.push_back(message.substr(begin, end - begin));
    begin = end + 1;
  }
  if (failure.place.file == file) {
    cause.line = failure.place.line;
    cause.column = failure.place.column;
  }
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  cause.headline = fmt::format("nothing to judge: {}", lines.front());
  cause.details.assign(lines.begin() + 1, lines.end());
  return cause;
}

/// What makes the schedule exactly once is said where it isn't.
void add_repair(const Measurement& measurement, Cause& cause) {
  if (!measurement.repair || (cause.rule != exactly_once_property.id && cause.rule != well_formed_property.id)) return;
  const FoundRepair& repair = *measurement.repair;
  cause.details.insert(cause.details.end(), repair.text.begin(), repair.text.end());
  cause.fix = repair.edits;
}

void add_properties(Outcome& outcome) {
  bool is_ill_formed = false, is_not_judged = outcome.measurement.verdict() == Verdict::fail;
  for (const PropertyFinding& p : outcome.measurement.properties) {
    if (p.verdict == Verdict::pass) continue;
    // Of GPU kernels, what isn't judged has one reason, which may be a failure.
    const bool is_another = p.verdict == Verdict::unknown && p.summary.starts_with(gpu::not_judged);
    if (is_another && std::exchange(is_not_judged, true)) continue;
    // A schedule that isn't well-formed isn't exactly-once either, for the same reason.
    if (is_ill_formed && p.summary.ends_with(not_well_formed)) continue;
    is_ill_formed = is_ill_formed || (p.id == well_formed_property.id && p.verdict == Verdict::fail);
    Cause cause{.rule = p.id,
                .part = {},
                .verdict = p.verdict,
                .headline = p.summary,
                .details = {},
                .line = p.line,
                .column = p.column,
                .file = p.file,
                .flows = p.flows};
    if (!p.counterexample.empty()) {
      cause.headline = p.counterexample.front();
      cause.details.assign(p.counterexample.begin() + 1, p.counterexample.end());
    }
    add_repair(outcome.measurement, cause);
    outcome.causes.push_back(std::move(cause));
  }
}

void add_limits(Outcome& outcome) {
  for (const JudgedLimit& judged : outcome.limits)
    if (judged.finding.verdict != Verdict::pass)
      outcome.causes.push_back({.rule = std::string(limit_rule),
                                .part = judged.text,
                                .verdict = judged.finding.verdict,
                                .headline = judged.headline(),
                                .key = judged.text,
                                .limit = judged.text});
}

void add_worse(Outcome& outcome, const std::vector<Worse>& worse) {
  for (const Worse& w : worse)
    outcome.causes.push_back(
        {.rule = std::string(baseline_rule),
         .part = w.metric,
         .verdict = w.now ? Verdict::fail : Verdict::unknown,
         .headline = w.now ? fmt::format("{} got worse: {}, recorded {}", w.metric, number_text(*w.now),
                                         number_text(w.recorded))
                           : fmt::format("{} is not known now; recorded {}", w.metric, number_text(w.recorded)),
         .limit = fmt::format("{} <= {}", w.metric, w.recorded.str())});
}

/// Adds a cause if the collective isn't the one that the check asks for, or the recorded one.
void add_collective(Outcome& outcome, const Baseline* baseline) {
  const std::optional<Collective> now = outcome.measurement.collective;
  auto add = [&](std::string_view rule, Collective expected, std::string_view by) {
    if (now == expected) return;
    outcome.causes.push_back(
        {.rule = std::string(rule),
         .part = collective_part,
         .verdict = now ? Verdict::fail : Verdict::unknown,
         .headline = now ? fmt::format("this is {}; {} {}", name(*now), by, name(expected))
                         : fmt::format("it doesn't tell its collective; {} {}", by, name(expected)),
         .key = rule == subject_rule ? "collective" : ""});
  };
  const Check& check = *outcome.unit->check;
  if (check.is_foreign() && check.collectives.are_given())
    add(subject_rule, check.collectives.named.front(), "the gate asks for");
  if (baseline == nullptr) return;
  if (const auto recorded = baseline->collective(outcome.unit->id)) add(baseline_rule, *recorded, "recorded is");
}

/// Adds a cause if a file is for another number of ranks than the check allows.
void add_ranks(Outcome& outcome) {
  const auto& world = outcome.unit->check->world;
  if (!world) return;
  const auto& known = outcome.measurement.measures.known;
  const auto ranks = known.find("p");
  const bool is_known = ranks != known.end();
  const auto is_it = [&](Rank p) { return is_known && ranks->second == Rational(p); };
  if (std::any_of(world->value.begin(), world->value.end(), is_it)) return;
  outcome.causes.push_back(
      {.rule = std::string(subject_rule),
       .part = ranks_part,
       .verdict = is_known ? Verdict::fail : Verdict::unknown,
       .headline = fmt::format("this is for {} ranks; the gate asks for {}",
                               is_known ? number_text(ranks->second) : "an unknown number of", world->text),
       .key = "ranks"});
}

}  // namespace

bool is_of_check(const Cause& cause) {
  return cause.part == collective_part || cause.part == ranks_part;
}

Outcome judged(const Unit& unit, Measurement measurement, const Baseline* baseline) {
  Outcome outcome{.unit = &unit, .measurement = std::move(measurement)};
  const Measurement& m = outcome.measurement;
  outcome.verdict = m.verdict();
  add_properties(outcome);
  if (m.failure) {
    outcome.causes.push_back(failure_cause(*m.failure, unit.file()));
    return outcome;
  }
  add_collective(outcome, baseline);
  add_ranks(outcome);
  outcome.limits = judged(unit.check->limits, m.measures);
  add_limits(outcome);
  outcome.has_record = baseline != nullptr && baseline->has(unit.id);
  if (baseline != nullptr && m.verdict() == Verdict::pass) add_worse(outcome, baseline->compare(unit.id, m.measures));
  for (const Cause& cause : outcome.causes)
    if (outcome.verdict != Verdict::fail) outcome.verdict = cause.verdict;
  return outcome;
}

}  // namespace onceover::units
