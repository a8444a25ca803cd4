#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "gate/gate_report.h"
#include "subjects/run.h"

namespace onceover::gate {

namespace {

/// A path as a relative URI reference; characters with a meaning in URIs are percent-encoded.
std::string uri_of(const std::string& file) {
  const std::string text = std::filesystem::path(file).lexically_normal().generic_string();
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri = text.starts_with('/') ? "file://" : "";
  for (const char c : text)
    uri += plain.find(c) != std::string_view::npos ? std::string(1, c)
                                                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

/// A fingerprint that stays the same as long as the same rule fails for the same unit. FNV-1a keeps it short.
std::string fingerprint(std::string_view unit_id, std::string_view rule, std::string_view part) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : fmt::format("{}\n{}\n{}", unit_id, rule, part))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

Json location(const SourcePlace& place) {
  Json region{{"startLine", place.line}};
  if (place.column > 0) region["startColumn"] = place.column;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(place.file)}}}, {"region", std::move(region)}}}};
}

Json location(const FlowStep& step, const Outcome& outcome, const GateReport& report) {
  const std::string& file = step.file.empty() ? outcome.unit->file() : step.file;
  Json at = location({report.path_of(file), step.line, step.column});
  at["message"] = {{"text", step.text}};
  return at;
}

/// Places in several files: all of those that a counterexample of a GPU kernel is about.
Json related_locations(const Cause& cause, const Outcome& outcome, const GateReport& report) {
  Json locations = Json::array();
  for (const Flow& flow : cause.flows)
    for (const FlowStep& step : flow)
      if (!step.file.empty()) locations.push_back(location(step, outcome, report));
  return locations;
}

/// The counterexample's ways, to be followed from place to place.
Json code_flow(const Flow& flow, const Outcome& outcome, const GateReport& report) {
  Json locations = Json::array();
  for (const FlowStep& step : flow) locations.push_back({{"location", location(step, outcome, report)}});
  return {{"threadFlows", Json::array({{{"locations", std::move(locations)}}})}};
}

std::ptrdiff_t index_of(std::string_view id, const std::vector<RuleText>& rules) {
  return std::find_if(rules.begin(), rules.end(), [&](const RuleText& r) { return r.id == id; }) - rules.begin();
}

/// The repair as a change of the subject's file.
Json fix(const Outcome& outcome, const Cause& cause, const GateReport& report) {
  Json replacements = Json::array();
  for (const FileEdit& edit : cause.fix) {
    Json one{{"deletedRegion",
              {{"startLine", edit.line},
               {"startColumn", edit.column},
               {"endLine", edit.end_line},
               {"endColumn", edit.end_column}}}};
    if (!edit.text.empty()) one["insertedContent"] = {{"text", edit.text}};
    replacements.push_back(std::move(one));
  }
  return {
      {"description", {{"text", fmt::format("{}", fmt::join(outcome.measurement.repair->text, "\n"))}}},
      {"artifactChanges", Json::array({{{"artifactLocation", {{"uri", uri_of(report.path_of(outcome.unit->file()))}}},
                                        {"replacements", std::move(replacements)}}})}};
}

Json result(const Outcome& outcome, const Cause& cause, const GateReport& report, const std::vector<RuleText>& rules) {
  std::string message = fmt::format("{}: {}: {}", subject_text(outcome), cause.rule, cause.headline);
  for (const std::string& line : cause.details) message += "\n" + line;
  message += "\n" + command_of(outcome, cause, report);
  Json found{{"ruleId", cause.rule},
             {"ruleIndex", index_of(cause.rule, rules)},
             {"level", cause.verdict == Verdict::fail ? "error" : "warning"},
             {"message", {{"text", message}}},
             {"locations", Json::array({location(place_of(outcome, cause, report))})},
             {"partialFingerprints", {{"onceoverUnit/v1", fingerprint(outcome.unit->id, cause.rule, cause.part)}}}};
  for (const Flow& flow : cause.flows) found["codeFlows"].push_back(code_flow(flow, outcome, report));
  if (Json related = related_locations(cause, outcome, report); !related.empty())
    found["relatedLocations"] = std::move(related);
  if (!cause.fix.empty()) found["fixes"] = Json::array({fix(outcome, cause, report)});
  return found;
}

/// A result at the gate file as a whole, because the unit is nowhere in it.
Json vanished_result(const std::string& id, const GateReport& report, const std::vector<RuleText>& rules) {
  return {{"ruleId", baseline_rule},
          {"ruleIndex", index_of(baseline_rule, rules)},
          {"level", "error"},
          {"message", {{"text", fmt::format("{}: this recorded unit is no longer in the gate", id)}}},
          {"locations", Json::array({location({report.gate.name, 1})})},
          {"partialFingerprints", {{"onceoverUnit/v1", fingerprint(id, baseline_rule, "gone")}}}};
}

Json rule_json(const RuleText& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.asks}}},
          {"help", {{"text", rule.help}, {"markdown", "```\n" + rule.help + "```\n"}}}};
}

/// By unit that passes: what the pass leaves out that a user may take to be judged.
Json not_tried_json(const GateReport& report) {
  Json units = Json::object();
  for (const Outcome& outcome : report.outcomes)
    if (outcome.verdict == Verdict::pass && !outcome.measurement.not_tried.empty())
      units[outcome.unit->id] = outcome.measurement.not_tried;
  return units;
}

}  // namespace

std::string sarif_output(const GateReport& report) {
  const auto rules = rules_of(report);
  Json driver{{"name", "onceover"}, {"version", ONCEOVER_VERSION}, {"rules", Json::array()}};
  for (const RuleText& rule : rules) driver["rules"].push_back(rule_json(rule));
  Json results = Json::array();
  for (const Outcome& outcome : report.outcomes)
    for (const Cause& cause : outcome.causes) results.push_back(result(outcome, cause, report, rules));
  if (report.fails_for_vanished())
    for (const std::string& id : report.vanished) results.push_back(vanished_result(id, report, rules));
  Json run{{"tool", {{"driver", std::move(driver)}}},
           {"automationDetails", {{"id", "onceover/" + report.gate.name + "/"}}},
           {"results", std::move(results)}};
  if (Json left_out = not_tried_json(report); !left_out.empty())
    run["properties"] = {{"not_tried", std::move(left_out)}};
  return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({std::move(run)})}});
}

}  // namespace onceover::gate
