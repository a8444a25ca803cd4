// A unit passes if its measurement passes and nothing else that the gate asks speaks against it: a collective, limits,
// a baseline. Each reason not to pass is a cause. Outputs only print causes and judge nothing, so they can't disagree.
//
// What one cause explains isn't reported again: a schedule that isn't well-formed isn't also blamed for exactly-once;
// metrics of wrong subjects aren't compared with the baseline; causes that differ only in the number of ranks are one
// group.
//
// Example: ring under steps <= 7 at p = 2..9 has a cause at each of p = 5..9. They are one group, shown for p = 5, with
// four others.
//
// A fail outweighs an unknown, in units and in the gate. Judging costs O(properties + limits) and a look-up in the
// baseline; grouping costs O(units + causes log causes).

#include "gate/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/source_text.h"
#include "gpu/judge.h"
#include "subjects/required.h"

namespace onceover::gate {

namespace {

constexpr const char* collective_part = "collective";
constexpr const char* ranks_part = "ranks";

/// Does only a gate ask this of the subject, and no command of it alone?
bool is_of_gate(const Cause& cause) {
  return cause.part == collective_part || cause.part == ranks_part;
}

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

std::size_t count_in(std::span<const Outcome> outcomes, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.verdict == verdict; }));
}

/// The ids that units have in a list, each with its units, in the order of the properties. With `but`, units of that
/// verdict don't count.
std::vector<std::pair<std::string_view, std::vector<const Unit*>>> units_by_id(
    const GateReport& report, std::vector<std::string> Measurement::*list, std::optional<Verdict> but = {}) {
  std::vector<std::pair<std::string_view, std::vector<const Unit*>>> found;
  for (const Property& p : properties()) {
    std::vector<const Unit*> units;
    for (const Outcome& outcome : report.outcomes)
      if (outcome.verdict != but && asks_for(outcome.measurement.*list, p)) units.push_back(outcome.unit);
    if (!units.empty()) found.emplace_back(p.id, std::move(units));
  }
  return found;
}

RuleText rule_text(const std::string& id) {
  for (const Property& p : properties())
    if (p.id == id) return {id, std::string(p.asks), explanation(p)};
  if (id == limit_rule)
    return {id, "a metric keeps the limit that the gate file sets",
            "limit\nThe gate file sets limits on metrics, such as steps <= 2*ceil(log2(p)). They are compared in exact "
            "fractions. A limit whose metric is not known is unknown, which is no pass.\n"};
  if (id == fault_rule)
    return {id, "each call of the code comes to its end and leaves nothing behind",
            "fault\nA call of the code under test deadlocks, crashes or hangs, returns an error, leaves a message that "
            "nobody receives, or changes memory that isn't its result.\n"};
  if (id == baseline_rule)
    return {id, "no metric is worse than the baseline has it, no collective another, no unit gone",
            "baseline\nThe baseline holds the units of an earlier run with their collectives and metrics. If the "
            "change is wanted, record it: verify gate --baseline FILE --update-baseline.\n"};
  return {id, "there is a schedule or program to judge, for the collective that the gate file asks for",
          "subject\nThe subject could not be read or made, so nothing is known of it; or it is for another collective "
          "than the gate file asks for.\n"};
}

}  // namespace

std::string subject_text(const Outcome& outcome) {
  const Unit& unit = *outcome.unit;
  if (!unit.check->is_foreign() || !outcome.measurement.collective) return unit.text;
  const std::size_t shape = unit.check->is_about_files() ? unit.text.size() : unit.text.rfind(", ");
  return fmt::format("{} ({}){}", unit.text.substr(0, shape), name(*outcome.measurement.collective),
                     unit.text.substr(shape));
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

std::string GateReport::path_of(const std::string& file) const {
  return path_from(folder, file);
}

std::size_t GateReport::count(Verdict verdict) const {
  return count_in(outcomes, verdict);
}

Verdict GateReport::verdict() const {
  return count(Verdict::fail) > 0 || fails_for_vanished() ? Verdict::fail
         : count(Verdict::unknown) > 0                    ? Verdict::unknown
                                                          : Verdict::pass;
}

ExitCode GateReport::exit_code() const {
  auto any_failure = [&](ExitCode code) {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& o) { return o.measurement.failure && o.measurement.failure->code == code; });
  };
  switch (verdict()) {
    case Verdict::pass: return ExitCode::ok;
    case Verdict::fail: return ExitCode::violated;
    case Verdict::unknown: break;
  }
  for (const ExitCode code : {ExitCode::internal, ExitCode::usage, ExitCode::malformed})
    if (any_failure(code)) return code;
  return ExitCode::unknown;
}

SourcePlace place_of(const Outcome& outcome, const Cause& cause, const GateReport& report) {
  const Check& check = *outcome.unit->check;
  const std::string& file = cause.file.empty() ? outcome.unit->file() : cause.file;
  if (!cause.key.empty()) return {report.gate.name, report.gate.line_of(check, cause.key)};
  if (!file.empty()) return {report.path_of(file), std::max<std::size_t>(cause.line, 1), cause.column};
  return {report.gate.name, check.line};
}

std::string command_of(const Outcome& outcome, const Cause& cause, const GateReport& report) {
  if (is_of_gate(cause))
    return gate_command_of(*outcome.unit, report.gate.name, cause.rule == baseline_rule ? report.baseline : "");
  std::vector<std::string> limits;
  if (!cause.limit.empty()) limits.push_back(cause.limit);
  // What was judged and can't be measured lacks its network, which is read for limits alone.
  if (outcome.measurement.failure && !outcome.measurement.properties.empty())
    for (const Limit& limit : outcome.unit->check->limits)
      if (wanted_by({&limit, 1}).network) limits.push_back(limit.text());
  return command_of(*outcome.unit, report.folder, limits);
}

std::string command_of(const Outcome& outcome, const GateReport& report) {
  // Of code that is wrong there may be no schedule to hold limits against.
  const bool is_wrong_code = !outcome.unit->source.empty() && outcome.measurement.verdict() != Verdict::pass;
  if (is_wrong_code) return command_of(*outcome.unit, report.folder);
  auto limits = mapped(outcome.unit->check->limits, &Limit::text);
  for (const Cause& cause : outcome.causes) {
    if (is_of_gate(cause)) return command_of(outcome, cause, report);
    if (!cause.limit.empty() && std::find(limits.begin(), limits.end(), cause.limit) == limits.end())
      limits.push_back(cause.limit);
  }
  return command_of(*outcome.unit, report.folder, limits);
}

std::size_t CheckOutcomes::cached() const {
  return static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.measurement.is_cached; }));
}

std::size_t CheckOutcomes::count(Verdict verdict) const {
  return count_in(outcomes, verdict);
}

std::string CheckOutcomes::collectives_text() const {
  std::set<std::string_view> collectives;
  if (check->is_foreign())
    for (const Outcome& outcome : outcomes)
      if (outcome.measurement.collective) collectives.insert(name(*outcome.measurement.collective));
  return collectives.empty() ? "" : fmt::format(" ({})", fmt::join(collectives, ", "));
}

std::vector<CheckOutcomes> outcomes_by_check(const GateReport& report) {
  const std::span<const Outcome> all = report.outcomes;
  std::vector<CheckOutcomes> checks;
  for (std::size_t begin = 0; begin < all.size();) {
    const Check* check = all[begin].unit->check;
    std::size_t end = begin;
    while (end < all.size() && all[end].unit->check == check) ++end;
    checks.push_back({check, all.subspan(begin, end - begin)});
    begin = end;
  }
  return checks;
}

std::vector<std::string> file_notes(const GateReport& report) {
  std::vector<std::string> notes;
  for (const Outcome& outcome : report.outcomes)
    if (const Check& check = *outcome.unit->check; check.is_about_files() || check.kind == SubjectKind::code)
      for (const std::string& note : outcome.measurement.notes)
        notes.push_back(fmt::format("{}: {}{}", check.name,
                                    check.kind == SubjectKind::files ? outcome.unit->text + ": " : "", note));
  return notes;
}

std::string vanished_text(const GateReport& report) {
  constexpr std::size_t most = 8;
  const auto& ids = report.vanished;
  const auto shown = std::span(ids).first(std::min(ids.size(), most));
  return fmt::format("{} no longer in the gate: {}{}",
                     ids.size() == 1 ? "1 recorded unit is" : fmt::format("{} recorded units are", ids.size()),
                     readable(fmt::format("{}", fmt::join(shown, ", "))), ids.size() > most ? ", .." : "");
}

std::vector<CauseGroup> grouped_causes(const GateReport& report) {
  std::vector<CauseGroup> groups;
  for (const Verdict verdict : {Verdict::fail, Verdict::unknown}) {
    std::map<std::string, std::size_t> known;
    for (const Outcome& outcome : report.outcomes)
      for (const Cause& cause : outcome.causes) {
        if (cause.verdict != verdict) continue;
        const std::string& id = outcome.unit->id;
        const bool is_file = outcome.unit->check->is_about_files();  // whose id ends with its path
        const std::string key =
            fmt::format("{}\n{}\n{}", is_file ? id : id.substr(0, id.rfind('/')), cause.rule, cause.part);
        const auto [place, is_new] = known.emplace(key, groups.size());
        if (is_new)
          groups.push_back({&outcome, &cause, {}});
        else
          groups[place->second].others.push_back(&outcome);
      }
  }
  return groups;
}

std::string unrequired_text(const GateReport& report) {
  const auto failing = units_by_id(report, &Measurement::unrequired, Verdict::fail);
  std::vector<std::string> told;
  for (const auto& [id, units] : failing)
    told.push_back(fmt::format("{} ({}, first {})", id, counted(units.size(), "unit"), units.front()->id));
  return told.empty() ? "" : fmt::format("{} fails", fmt::join(told, ", "));
}

std::string verdict_line(const GateReport& report) {
  const std::size_t all = report.outcomes.size();
  const std::string units = counted(all, "unit");
  std::vector<std::string> scope;
  if (!report.selection.empty()) scope.push_back(fmt::format("{} of {} units", report.selection, report.units_in_all));
  for (const auto& [id, where] : units_by_id(report, &Measurement::waived))
    scope.push_back(fmt::format("{} waived in {}", id, where.size() == all ? "all" : std::to_string(where.size())));
  const std::string part = scope.empty() ? "" : fmt::format(" ({})", fmt::join(scope, "; "));
  if (all == 0) return fmt::format("pass  nothing to do{}", part);
  const Verdict verdict = report.verdict();
  if (verdict == Verdict::pass) return fmt::format("pass  {}{}", units, part);
  std::set<std::string> rules;
  for (const Outcome& outcome : report.outcomes)
    for (const Cause& cause : outcome.causes)
      if (cause.verdict == verdict) rules.insert(cause.rule);
  std::string gone;
  if (report.fails_for_vanished()) {
    rules.emplace(baseline_rule);
    gone = fmt::format(", and {} that {} gone", report.vanished.size(), report.vanished.size() == 1 ? "is" : "are");
  }
  return fmt::format("{}  {} of {}{}{}: {}", name(verdict), report.count(verdict), units, gone, part,
                     fmt::join(rules, ", "));
}

std::vector<RuleText> rules_of(const GateReport& report) {
  std::set<std::string> ids;
  for (const Outcome& outcome : report.outcomes)
    for (const Cause& cause : outcome.causes) ids.insert(cause.rule);
  if (report.fails_for_vanished()) ids.emplace(baseline_rule);
  return mapped(ids, rule_text);
}

}  // namespace onceover::gate
