// Outcomes in words, and grouped: causes that differ only in the number of ranks are one group.
//
// Example: ring under steps <= 7 at p = 2..9 has a cause at each of p = 5..9. They are one group, shown for p = 5, with
// four others.
//
// A fail outweighs an unknown. Grouping costs O(units + causes log causes).

#include "gate/gate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rows.h"
#include "base/sentences.h"
#include "base/source_text.h"
#include "subjects/required.h"

namespace onceover::gate {

namespace {

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
  if (is_of_check(cause))
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
    if (is_of_check(cause)) return command_of(outcome, cause, report);
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
