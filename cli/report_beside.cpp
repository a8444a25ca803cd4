// The second subject of a report: its verdicts, amounts and loads beside those of the first.
#include <fmt/format.h>

#include "base/table.h"
#include "base/try.h"
#include "cli/report_sections.h"
#include "viz/html.h"

namespace onceover::cli {

namespace {

using Table = std::vector<std::vector<std::string>>;

std::string verdict_on(const PropertyResult& property, const Report& report) {
  for (const PropertyResult& p : report.properties)
    if (p.id == property.id) return std::string(name(p.verdict));
  return "not judged";
}

void add_row(Table& rows, std::string what, const std::string& one, const std::string& other) {
  rows.push_back({std::move(what), one, other, one == other ? "" : "differs"});
}

void add_verdicts(Table& rows, const Report& one, const Report& other) {
  add_row(rows, "verdict", std::string(name(one.verdict)), std::string(name(other.verdict)));
  for (const PropertyResult& p : one.properties)
    add_row(rows, std::string(p.id), std::string(name(p.verdict)), verdict_on(p, other));
}

void add_metrics(Table& rows, const Metrics& one, const Metrics& other) {
  const auto add = [&](const char* what, std::uint64_t a, std::uint64_t b) {
    add_row(rows, what, std::to_string(a), std::to_string(b));
  };
  add("steps", static_cast<std::uint64_t>(one.steps), static_cast<std::uint64_t>(other.steps));
  add("messages", one.messages, other.messages);
  add("messages that a rank sends at once", one.max_sends_per_rank_step, other.max_sends_per_rank_step);
  add("depth of sums", one.term_depth, other.term_depth);
}

void add_deficiencies(Table& rows, const std::optional<Contention>& one, const std::optional<Contention>& other) {
  if (!one || !other || !one->deficiencies || !other->deficiencies) return;
  const Deficiencies &a = *one->deficiencies, &b = *other->deficiencies;
  for (const auto& [what, of_one, of_other] : {std::tuple("latency deficiency", a.latency, b.latency),
                                               std::tuple("bandwidth deficiency", a.bandwidth, b.bandwidth),
                                               std::tuple("congestion deficiency", a.congestion, b.congestion)})
    add_row(rows, what, number_text(of_one), number_text(of_other));
}

}  // namespace

Result<ReportSection> beside_section(const Reported& reported, const ReportedLoads& loads,
                                     const ReportedBeside& beside) {
  const Verification& run = reported.run;
  const Second& second = beside.second;
  const auto [one, other] = names_beside(run, second.run);
  Table rows{{"", one, other, "differs"}};
  add_verdicts(rows, run.report, second.run.report);
  if (!run.report.program && !second.run.report.program)
    add_metrics(rows, run.report.metrics, second.run.report.metrics);
  add_deficiencies(rows, loads.found, beside.loads.found);
  std::string html = table_html(rows);
  if (loads.found && beside.loads.found) {
    const auto steps = TRY(steps_beside({one, reported.schedule, *loads.found, reported.block_bytes},
                                        {other, *second.schedule, *beside.loads.found, second.block_bytes}));
    html += table_html(steps, "The link that carries most at each step.");
  }
  return ReportSection{"beside", fmt::format("Beside {}", subject_text(second.run)), html};
}

}  // namespace onceover::cli
