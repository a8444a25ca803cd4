#include <limits>

#include "base/json.h"
#include "base/rows.h"
#include "gate/gate_report.h"
#include "subjects/run.h"

namespace onceover::gate {

namespace {

/// Whole numbers stay whole, fractions become floating-point numbers; the limits' summaries have the exact ones.
Json number_json(const Rational& number) {
  if (const auto whole = number.whole(); whole && *whole >= 0) return static_cast<std::uint64_t>(*whole);
  return static_cast<double>(number);
}

Json unit_json(const Outcome& outcome, const GateReport& report) {
  const Measurement& m = outcome.measurement;
  Json json{{"id", outcome.unit->id},
            {"check", outcome.unit->check->name},
            {"line", outcome.unit->check->line},
            {"subject", outcome.unit->text},
            {"command", command_of(outcome, report)},
            {"collective", m.collective ? name(*m.collective) : ""},
            {"verdict", name(outcome.verdict)},
            {"cached", m.is_cached},
            {"scope", m.scope}};
  if (!m.not_tried.empty()) json["not_tried"] = m.not_tried;
  json["properties"] = Json::array();
  for (const PropertyFinding& p : m.properties)
    json["properties"].push_back({{"id", p.id}, {"verdict", name(p.verdict)}, {"summary", p.summary}});
  if (!m.unrequired.empty()) json["not_required"] = m.unrequired;
  if (!m.waived.empty()) json["waived"] = m.waived;
  json["limits"] = Json::array();
  for (const JudgedLimit& l : outcome.limits)
    json["limits"].push_back({{"limit", l.text}, {"verdict", name(l.finding.verdict)}, {"summary", l.finding.summary}});
  json["metrics"] = Json::object();
  for (const auto& [metric, value] : m.measures.known) json["metrics"][metric] = number_json(value);
  json["causes"] = Json::array();
  for (const Cause& c : outcome.causes) {
    Json cause{{"rule", c.rule}, {"verdict", name(c.verdict)}, {"headline", c.headline}, {"details", c.details}};
    if (!c.part.empty()) cause["part"] = c.part;
    if (c.line > 0) cause["line"] = c.line;
    const SourcePlace place = place_of(outcome, c, report);
    cause["place"] = {{"file", place.file}, {"line", place.line}};
    cause["command"] = command_of(outcome, c, report);
    if (!c.fix.empty()) cause["fix"] = mapped(c.fix, [](const FileEdit& edit) { return to_json(edit); });
    json["causes"].push_back(std::move(cause));
  }
  json["notes"] = m.notes;
  return json;
}

}  // namespace

std::string json_output(const GateReport& report) {
  Json json = result_json();
  json["gate"] = {{"file", report.gate.name}, {"selection", report.selection}, {"units", report.units_in_all}};
  json["verdict"] = name(report.verdict());
  json["units"] = Json::array();
  for (const Outcome& outcome : report.outcomes) json["units"].push_back(unit_json(outcome, report));
  json["vanished"] = report.vanished;
  json["summary"] = {{"pass", report.count(Verdict::pass)},
                     {"fail", report.count(Verdict::fail)},
                     {"unknown", report.count(Verdict::unknown)}};
  return dump(json);
}

}  // namespace onceover::gate
