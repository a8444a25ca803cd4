#include <fmt/format.h>

#include <algorithm>

#include "gate/outputs.h"

namespace onceover::gate {

namespace {

constexpr std::size_t most_groups = 20;
constexpr std::size_t most_others = 8;

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
  std::string text =
      fmt::format("{}  {}: {}: {}: {}\n", name(cause.verdict), unit.check->name, unit.text, cause.rule, cause.headline);
  for (const std::string& line : cause.details) text += fmt::format("    {}\n", line);
  text += others_text(group);
  const std::string place = cause.line > 0 ? fmt::format("{}:{}", report.path_of(unit.subject.file), cause.line)
                                           : fmt::format("{}:{}", report.gate.name, report.gate.line_of(*unit.check));
  return text + fmt::format("    {}: {}\n", place, command_of(unit));
}

/// A line for each check that has units here.
std::string checks_text(const GateReport& report) {
  struct Line {
    const Check* check;
    std::size_t all = 0;
    std::size_t passed = 0;
  };
  std::vector<Line> lines;
  std::size_t width = 0;
  for (const Outcome& outcome : report.outcomes) {
    // The units of a check stand together.
    if (lines.empty() || lines.back().check != outcome.unit->check) lines.push_back({outcome.unit->check});
    ++lines.back().all;
    lines.back().passed += outcome.verdict == Verdict::pass ? 1 : 0;
    width = std::max(width, outcome.unit->check->name.size());
  }
  std::string text;
  for (const Line& line : lines)
    text += fmt::format("  {:<{}}  {} of {} pass\n", line.check->name, width, line.passed, line.all);
  return text;
}

std::string unrecorded_text(const GateReport& report) {
  if (!report.has_baseline) return "";
  const auto count =
      std::count_if(report.outcomes.begin(), report.outcomes.end(), [](const Outcome& o) { return !o.has_record; });
  return count == 0 ? "" : fmt::format("  note: the baseline has no record of {} of the units\n", count);
}

}  // namespace

std::string text_output(const GateReport& report) {
  const auto groups = grouped_causes(report);
  std::string text;
  for (std::size_t k = 0; k < std::min(groups.size(), most_groups); ++k) text += group_text(groups[k], report);
  if (groups.size() > most_groups)
    text += fmt::format("  and {} more causes; --json-out has all of them\n", groups.size() - most_groups);
  return text + checks_text(report) + unrecorded_text(report) + verdict_line(report) + "\n";
}

}  // namespace onceover::gate
