#include <fmt/format.h>

#include "base/source_text.h"
#include "gate/gate_report.h"

namespace onceover::gate {

namespace {

/// `text` for XML, in attributes and between tags: no markup, no characters that XML lacks, valid UTF-8.
std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : readable(text)) {
    switch (c) {
      case '&': xml += "&amp;"; break;
      case '<': xml += "&lt;"; break;
      case '>': xml += "&gt;"; break;
      case '"': xml += "&quot;"; break;
      default: xml += c;
    }
  }
  return xml;
}

/// The first cause that fails, else the first that is unknown; null if there is none.
const Cause* worst_of(const Outcome& outcome) {
  const Cause* worst = nullptr;
  for (const Cause& cause : outcome.causes)
    if (worst == nullptr || (worst->verdict != Verdict::fail && cause.verdict == Verdict::fail)) worst = &cause;
  return worst;
}

/// A cause in JUnit's words: a fail is a failure, an unknown is an error.
std::string cause_xml(const Outcome& outcome, const GateReport& report) {
  const Cause* worst = worst_of(outcome);
  std::string all;
  for (const Cause& cause : outcome.causes) {
    all += fmt::format("{}: {}: {}: {}\n", place_of(outcome, cause, report).text(), name(cause.verdict), cause.rule,
                       cause.headline);
    for (const std::string& line : cause.details) all += fmt::format("  {}\n", line);
  }
  all += command_of(outcome, report) + "\n";
  const std::string_view element = outcome.verdict == Verdict::fail ? "failure" : "error";
  const std::string rule = worst == nullptr ? std::string(subject_rule) : worst->rule;
  const std::string headline = worst == nullptr ? "nothing was judged" : worst->headline;
  return fmt::format("      <{0} type=\"{1}\" message=\"{1}: {2}\">{3}</{0}>\n", element, escaped(rule),
                     escaped(headline), escaped(all));
}

std::string case_xml(const Outcome& outcome, const GateReport& report) {
  const std::string head = fmt::format("    <testcase name=\"{}\" classname=\"{}\"", escaped(outcome.unit->text),
                                       escaped(outcome.unit->check->name));
  if (outcome.verdict == Verdict::pass) {
    const auto& not_tried = outcome.measurement.not_tried;
    if (not_tried.empty()) return head + "/>\n";
    return head + fmt::format(">\n      <system-out>not tried: {}</system-out>\n    </testcase>\n",
                              escaped(fmt::format("{}", fmt::join(not_tried, "; "))));
  }
  const Cause* worst = worst_of(outcome);
  const SourcePlace place =
      worst == nullptr ? SourcePlace{report.gate.name, outcome.unit->check->line} : place_of(outcome, *worst, report);
  return head + fmt::format(" file=\"{}\" line=\"{}\">\n", escaped(place.file), place.line) +
         cause_xml(outcome, report) + "    </testcase>\n";
}

std::string counts(std::size_t all, std::size_t failures, std::size_t errors) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", all, failures, errors);
}

std::string suite_xml(const std::string& title, const std::string& counted, const std::string& cases) {
  return fmt::format("  <testsuite name=\"{}\" {} skipped=\"0\">\n{}  </testsuite>\n", escaped(title), counted, cases);
}

/// A suite of the units that are gone. No check can have its name, because of the slash.
std::string vanished_xml(const GateReport& report) {
  constexpr std::string_view title = "baseline/gone";
  std::string cases;
  for (const std::string& id : report.vanished)
    cases += fmt::format(
        "    <testcase name=\"{0}\" classname=\"{1}\">\n      <failure type=\"{2}\" message=\"{2}: "
        "no longer in the gate\">fail: {2}: this recorded unit is no longer in the gate\n</failure>\n"
        "    </testcase>\n",
        escaped(id), title, baseline_rule);
  return suite_xml(std::string(title), counts(report.vanished.size(), report.vanished.size(), 0), cases);
}

}  // namespace

std::string junit_output(const GateReport& report) {
  std::string suites;
  for (const CheckOutcomes& check : outcomes_by_check(report)) {
    std::string cases;
    for (const Outcome& outcome : check.outcomes) cases += case_xml(outcome, report);
    suites +=
        suite_xml(check.check->name,
                  counts(check.outcomes.size(), check.count(Verdict::fail), check.count(Verdict::unknown)), cases);
  }
  const std::size_t gone = report.fails_for_vanished() ? report.vanished.size() : 0;
  if (gone > 0) suites += vanished_xml(report);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
      escaped("onceover " + report.gate.name),
      counts(report.outcomes.size() + gone, report.count(Verdict::fail) + gone, report.count(Verdict::unknown)),
      suites);
}

}  // namespace onceover::gate
