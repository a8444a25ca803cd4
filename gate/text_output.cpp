#include <fmt/format.h>

#include <algorithm>

#include "base/source_text.h"
#include "gate/gate_report.h"

namespace onceover::gate {

namespace {

constexpr std::size_t most_causes = 20;
constexpr std::size_t most_others = 8;
constexpr std::size_t most_notes = 20;

std::string others_text(const CauseGroup& group) {
  if (group.others.empty()) return "";
  std::vector<std::string> places;
  for (std::size_t k = 0; k < std::min(group.others.size(), most_others); ++k) {
    const std::string& id = group.others[k]->unit->id;
    places.push_back(id.substr(id.rfind('/') + 1));
  }
  return fmt::format("    and at {} more: {}{}\n", group.others.size(), fmt::join(places, ", "),
                     group.others.size() > most_others ? ", .." : "");
}

std::string group_text(const CauseGroup& group, const GateReport& report) {
  const Unit& unit = *group.first->unit;
  const Cause& cause = *group.cause;
  std::string text = fmt::format("{}  {}: {}: {}: {}\n", name(cause.verdict), unit.check->name,
                                 subject_text(*group.first), cause.rule, cause.headline);
  for (const std::string& line : cause.details) text += fmt::format("    {}\n", line);
  text += others_text(group);
  if (group.first->measurement.is_cached) text += fmt::format("    {}\n", cached_text);
  return text + fmt::format("    {}: {}\n", place_of(*group.first, cause, report).text(),
                            command_of(*group.first, cause, report));
}

/// A line for each check that has units in this run.
std::string checks_text(const GateReport& report) {
  const auto checks = outcomes_by_check(report);
  std::size_t width = 0;
  for (const CheckOutcomes& check : checks) width = std::max(width, check.check->name.size());
  std::string text;
  for (const CheckOutcomes& check : checks)
    text += fmt::format("  {:<{}}  {} of {} pass{}{}\n", check.check->name, width, check.count(Verdict::pass),
                        check.outcomes.size(), check.collectives_text(),
                        check.cached() == 0 ? "" : fmt::format(", {} cached", check.cached()));
  return text;
}

std::string notes_text(const GateReport& report) {
  const auto notes = file_notes(report);
  std::string text;
  for (std::size_t k = 0; k < std::min(notes.size(), most_notes); ++k)
    text += fmt::format("  note: {}\n", readable(notes[k]));
  if (notes.size() > most_notes)
    text += fmt::format("  and {} more notes; --json-out has all of them\n", notes.size() - most_notes);
  return text;
}

/// The verdict on units that vanished, or what the update does with them.
std::string vanished_lines(const GateReport& report) {
  if (report.vanished.empty()) return "";
  if (report.baseline.empty()) return fmt::format("  note: {}; not recorded any more\n", vanished_text(report));
  return fmt::format("{}  {}: {}\n", name(Verdict::fail), baseline_rule, vanished_text(report));
}

std::string unrecorded_text(const GateReport& report) {
  if (report.baseline.empty()) return "";
  const auto count =
      std::count_if(report.outcomes.begin(), report.outcomes.end(), [](const Outcome& o) { return !o.has_record; });
  return count == 0 ? "" : fmt::format("  note: the baseline has no record of {} of the units\n", count);
}

}  // namespace

std::string text_output(const GateReport& report) {
  const auto groups = grouped_causes(report);
  std::string text;
  for (std::size_t k = 0; k < std::min(groups.size(), most_causes); ++k) text += group_text(groups[k], report);
  if (groups.size() > most_causes)
    text += fmt::format("  and {} more causes; --json-out has all of them\n", groups.size() - most_causes);
  if (!report.baseline.empty()) text += vanished_lines(report);
  text += checks_text(report) + notes_text(report) + unrecorded_text(report);
  if (report.baseline.empty()) text += vanished_lines(report);
  if (const std::string failing = unrequired_text(report); !failing.empty())
    text += fmt::format("  not required: {}\n", failing);
  return text + verdict_line(report) + "\n";
}

}  // namespace onceover::gate
