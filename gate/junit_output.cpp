#include <fmt/format.h>

#include "gate/outputs.h"
#include "gate/utf8.h"

namespace onceover::gate {

namespace {

/// `text` as XML may hold it, in attributes and between tags: no markup, no characters that XML has not, valid UTF-8.
std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : readable(text)) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml += c;
    }
  }
  return xml;
}

/// How JUnit calls a cause: what is wrong is a failure, what isn't known an error.
std::string cause_xml(const Outcome& outcome) {
  const Cause* worst = nullptr;
  std::string all;
  for (const Cause& cause : outcome.causes) {
    if (worst == nullptr || (worst->verdict != Verdict::fail && cause.verdict == Verdict::fail)) worst = &cause;
    all += fmt::format("{}: {}: {}\n", name(cause.verdict), cause.rule, cause.headline);
    for (const std::string& line : cause.details) all += fmt::format("  {}\n", line);
  }
  all += command_of(*outcome.unit) + "\n";
  const std::string_view element = outcome.verdict == Verdict::fail ? "failure" : "error";
  const std::string rule = worst == nullptr ? std::string(subject_rule) : worst->rule;
  const std::string headline = worst == nullptr ? "nothing was judged" : worst->headline;
  return fmt::format("      <{0} type=\"{1}\" message=\"{1}: {2}\">{3}</{0}>\n", element, escaped(rule),
                     escaped(headline), escaped(all));
}

std::string case_xml(const Outcome& outcome) {
  const std::string head = fmt::format("    <testcase name=\"{}\" classname=\"{}\"", escaped(outcome.unit->text),
                                       escaped(outcome.unit->check->name));
  if (outcome.verdict == Verdict::pass) return head + "/>\n";
  return head + ">\n" + cause_xml(outcome) + "    </testcase>\n";
}

std::string counts(std::size_t all, std::size_t failures, std::size_t errors) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", all, failures, errors);
}

}  // namespace

std::string junit_output(const GateReport& report) {
  std::string suites;
  for (const Check& check : report.gate.checks) {
    std::string cases;
    std::size_t all = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    for (const Outcome& outcome : report.outcomes) {
      if (outcome.unit->check != &check) continue;
      ++all;
      failures += outcome.verdict == Verdict::fail ? 1 : 0;
      errors += outcome.verdict == Verdict::unknown ? 1 : 0;
      cases += case_xml(outcome);
    }
    if (all > 0)
      suites += fmt::format("  <testsuite name=\"{}\" {} skipped=\"0\">\n{}  </testsuite>\n", escaped(check.name),
                            counts(all, failures, errors), cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
                     escaped("onceover " + report.gate.name),
                     counts(report.outcomes.size(), report.count(Verdict::fail), report.count(Verdict::unknown)),
                     suites);
}

}  // namespace onceover::gate
