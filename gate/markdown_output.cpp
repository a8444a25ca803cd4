#include <fmt/format.h>

#include <algorithm>

#include "base/source_text.h"
#include "gate/gate_report.h"

namespace onceover::gate {

namespace {

constexpr std::size_t most_groups = 50;

/// `text` so that Markdown and HTML show it literally.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&')
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    else if (std::string_view("\\`*_{}[]()#|!~$").find(c) != std::string_view::npos)
      out += fmt::format("\\{}", c);
    else
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out;
}

/// The lines literally, in a fence that none of them can close.
std::string fenced(const std::vector<std::string>& lines) {
  std::string fence = "```";
  for (const std::string& line : lines)
    while (line.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{}text\n{}\n{}\n", fence, fmt::join(lines, "\n"), fence);
}

std::string checks_table(const GateReport& report) {
  std::string table = "| check | units | pass | fail | unknown | cached |\n|---|--:|--:|--:|--:|--:|\n";
  for (const CheckOutcomes& check : outcomes_by_check(report))
    table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", plain(check.check->name + check.collectives_text()),
                         check.outcomes.size(), check.count(Verdict::pass), check.count(Verdict::fail),
                         check.count(Verdict::unknown), check.cached());
  return table;
}

std::string notes_section(const GateReport& report) {
  const auto notes = file_notes(report);
  std::string text = notes.empty() ? "" : "\n";
  for (std::size_t k = 0; k < std::min(notes.size(), most_groups); ++k)
    text += fmt::format("- note: {}\n", plain(readable(notes[k])));
  if (notes.size() > most_groups) text += fmt::format("- and {} more notes\n", notes.size() - most_groups);
  return text;
}

std::string vanished_section(const GateReport& report) {
  if (!report.fails_for_vanished()) return "";
  return fmt::format("\n**{}** `{}`\n\n{}", name(Verdict::fail), baseline_rule, fenced({vanished_text(report)}));
}

std::string group_section(const CauseGroup& group, const GateReport& report) {
  const Unit& unit = *group.first->unit;
  const Cause& cause = *group.cause;
  std::vector<std::string> lines{cause.headline};
  lines.insert(lines.end(), cause.details.begin(), cause.details.end());
  if (group.first->measurement.is_cached) lines.emplace_back(cached_text);
  lines.push_back(
      fmt::format("{}: {}", place_of(*group.first, cause, report).text(), command_of(*group.first, cause, report)));
  const std::string others = group.others.empty() ? "" : fmt::format(", and {} more", group.others.size());
  return fmt::format("\n**{}** {}: {}, `{}`{}\n\n{}", name(cause.verdict), plain(unit.check->name),
                     plain(subject_text(*group.first)), cause.rule, others, fenced(lines));
}

}  // namespace

std::string markdown_output(const GateReport& report) {
  std::string text = fmt::format("## Onceover: {}\n\n{}", plain(verdict_line(report)), checks_table(report)) +
                     notes_section(report) + vanished_section(report);
  const auto groups = grouped_causes(report);
  for (std::size_t k = 0; k < std::min(groups.size(), most_groups); ++k) text += group_section(groups[k], report);
  if (groups.size() > most_groups) text += fmt::format("\nand {} more causes\n", groups.size() - most_groups);
  return text;
}

}  // namespace onceover::gate
