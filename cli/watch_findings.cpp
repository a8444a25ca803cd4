#include "cli/watch_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/sentences.h"

namespace onceover::cli {

namespace {

constexpr std::size_t most_changes = 8;

void add_finding(Findings& findings, const std::string& name, WatchFinding finding) {
  std::string own = name;
  for (int k = 2; findings.by_name.contains(own); ++k) own = fmt::format("{} ({})", name, k);
  findings.names.push_back(own);
  findings.by_name.emplace(own, std::move(finding));
}

std::vector<std::string> texts_in(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& text : list) texts.emplace_back(text.text_or_empty());
  return texts;
}

/// "p = 3, count 4, root 1": one of several calls.
std::string call_name(const Json& subject) {
  std::string text = fmt::format("p = {}, count {}", subject["ranks"].leaf_text(), subject["count"].leaf_text());
  if (!subject["root"].is_null()) text += fmt::format(", root {}", subject["root"].leaf_text());
  if (subject["in_place"] == Json(true)) text += ", in place";
  if (subject["commutative"] == Json(false)) text += ", operator not commutative";
  return text;
}

/// "swing 4x4": one of several runs.
std::string run_name(const Json& subject) {
  if (subject.contains("count")) return call_name(subject);
  std::vector<std::string> sides;
  for (const Json& side : subject["shape"]) sides.push_back(side.leaf_text());
  const std::string shape = sides.size() == 1 ? "p = " + sides.front() : fmt::format("{}", fmt::join(sides, "x"));
  return subject["algorithm"].is_text() ? fmt::format("{} {}", subject["algorithm"].text_or_empty(), shape) : shape;
}

/// The finding of a property or limit.
WatchFinding finding_in(const Json& judged) {
  WatchFinding finding{.verdict = std::string(judged["verdict"].text_or_empty())};
  if (finding.verdict == "pass") return finding;
  finding.why = texts_in(judged["counterexample"]["text"]);
  if (finding.why.empty()) finding.why.emplace_back(judged["summary"].text_or_empty());
  return finding;
}

void add_run(Findings& findings, const Json& run, const std::string& prefix) {
  for (const Json& property : run["properties"])
    if (property["required"] == Json(true))
      add_finding(findings, prefix + std::string(property["id"].text_or_empty()), finding_in(property));
  for (const Json& limit : run["limits"])
    add_finding(findings, prefix + std::string(limit["limit"].text_or_empty()), finding_in(limit));
  if (run["faults"].size() > 0) add_finding(findings, prefix + "faults", {"fail", texts_in(run["faults"])});
}

void add_unit(Findings& findings, const Json& unit) {
  WatchFinding finding{.verdict = std::string(unit["verdict"].text_or_empty())};
  for (const Json& cause : unit["causes"]) {
    finding.why.push_back(fmt::format("{}: {}", cause["rule"].text_or_empty(), cause["headline"].text_or_empty()));
    for (const std::string& line : texts_in(cause["details"])) finding.why.push_back("  " + line);
  }
  add_finding(findings, std::string(unit["id"].text_or_empty()), std::move(finding));
}

/// "fail -> pass", and what else may have become of it; empty if nothing did.
std::string change_of(const WatchFinding* before, const WatchFinding* now, bool may_lack_some) {
  if (now == nullptr) return may_lack_some ? "not tried, since another call fails" : "gone";
  if (before == nullptr) return now->verdict + ", which is new";
  if (before->verdict != now->verdict) return fmt::format("{} -> {}", before->verdict, now->verdict);
  return before->why == now->why ? "" : now->verdict + ", for another reason";
}

const WatchFinding* named(const Findings& findings, const std::string& name) {
  const auto found = findings.by_name.find(name);
  return found == findings.by_name.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<Findings> findings_in(const Json& result) {
  Findings findings;
  const Json& runs = result["runs"];
  for (const Json& run : runs) add_run(findings, run, runs.size() > 1 ? run_name(run["subject"]) + ": " : "");
  for (const Json& unit : result["units"]) add_unit(findings, unit);
  findings.may_lack_some = std::any_of(runs.begin(), runs.end(), [](const Json& run) {
    return run["subject"].contains("count") && run["verdict"] == Json("fail");
  });
  if (!result.contains("runs") && !result.contains("units")) return std::nullopt;
  return findings;
}

std::vector<std::string> differences(const Findings& before, const Findings& now) {
  std::vector<std::string> names = now.names;
  for (const std::string& name : before.names)
    if (named(now, name) == nullptr) names.push_back(name);
  std::vector<std::string> lines;
  std::size_t changes = 0;
  bool has_reason = false;
  for (const std::string& name : names) {
    const WatchFinding* is = named(now, name);
    const std::string what = change_of(named(before, name), is, now.may_lack_some);
    if (what.empty() || changes++ >= most_changes) continue;
    lines.push_back(fmt::format("{}: {}", name, what));
    if (is == nullptr || is->why.empty() || has_reason) continue;
    for (const std::string& line : is->why) lines.push_back("  " + line);
    has_reason = true;
  }
  if (changes > most_changes) lines.push_back(fmt::format("and {}", counted(changes - most_changes, "more change")));
  return lines;
}

}  // namespace onceover::cli
