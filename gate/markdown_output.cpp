#include <fmt/format.h>

#include <algorithm>

#include "gate/outputs.h"

namespace onceover::gate {

namespace {

constexpr std::size_t most_groups = 50;

/// `text` so that Markdown and HTML show it and nothing else.
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

/// Lines as they are, behind a fence that none of them can close.
std::string fenced(const std::vector<std::string>& lines) {
  std::string fence = "```";
  for (const std::string& line : lines)
    while (line.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{}text\n{}\n{}\n", fence, fmt::join(lines, "\n"), fence);
}

std::string checks_table(const GateReport& report) {
  std::string table = "| check | units | pass | fail | unknown |\n|---|--:|--:|--:|--:|\n";
  for (const Check& check : report.gate.checks) {
    auto count = [&](std::optional<Verdict> verdict) {
      return std::count_if(report.outcomes.begin(), report.outcomes.end(), [&](const Outcome& o) {
        return o.unit->check == &check && (!verdict || o.verdict == *verdict);
      });
    };
    if (count({}) > 0)
      table += fmt::format("| {} | {} | {} | {} | {} |\n", plain(check.name), count({}), count(Verdict::pass),
                           count(Verdict::fail), count(Verdict::unknown));
  }
  return table;
}

std::string group_section(const CauseGroup& group) {
  const Unit& unit = *group.first->unit;
  const Cause& cause = *group.cause;
  std::vector<std::string> lines{cause.headline};
  lines.insert(lines.end(), cause.details.begin(), cause.details.end());
  lines.push_back(command_of(unit));
  const std::string others = group.others.empty() ? "" : fmt::format(", and {} more", group.others.size());
  return fmt::format("\n**{}** {}: {}, `{}`{}\n\n{}", name(cause.verdict), plain(unit.check->name), plain(unit.text),
                     cause.rule, others, fenced(lines));
}

}  // namespace

std::string markdown_output(const GateReport& report) {
  std::string text = fmt::format("## Onceover: {}\n\n{}", plain(verdict_line(report)), checks_table(report));
  const auto groups = grouped_causes(report);
  for (std::size_t k = 0; k < std::min(groups.size(), most_groups); ++k) text += group_section(groups[k]);
  if (groups.size() > most_groups) text += fmt::format("\nand {} more causes\n", groups.size() - most_groups);
  return text;
}

}  // namespace onceover::gate
