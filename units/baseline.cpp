#include "units/baseline.h"

#include <fmt/format.h>

#include <set>

#include "base/files.h"
#include "base/result.h"

namespace onceover::units {

namespace {

constexpr int format_version = 1;

constexpr const char* schema_key = "$schema";         // by which editors find the schema
constexpr const char* collective_key = "collective";  // beside a unit's metrics

tl::unexpected<Failure> malformed(const std::string& path, std::string_view why) {
  return tl::unexpected(Failure{
      ExitCode::malformed,
      fmt::format("{}: {}; expected what 'verify gate --baseline {} --update-baseline' writes", path, why, path)});
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path) {
  const auto text = TRY(read_file(path));
  return parse(path, text);
}

Result<Baseline> Baseline::parse(const std::string& path, const std::string& text) {
  const auto json = Json::parse(text);
  if (!json) return malformed(path, "this is not JSON");
  const Json& units = (*json)["units"];
  if ((*json)["format"] != "onceover-baseline" || (*json)["version"] != format_version || !units.is_object())
    return malformed(path, "this is no baseline of version 1");
  for (const auto& [key, value] : *json->members())
    if (key != "format" && key != "version" && key != "units" && !(key == schema_key && value.is_text()))
      return malformed(path, fmt::format("'{}' is no key of a baseline", key));
  Baseline baseline;
  baseline.schema_ = (*json)[schema_key].text_or_empty();
  for (const auto& [id, unit] : *units.members()) {
    if (!unit.is_object()) return malformed(path, fmt::format("'{}' has no metrics", id));
    Record& record = baseline.units_[id];
    for (const auto& [metric, value] : *unit.members()) {
      const std::string_view said = value.text_or_empty();
      if (metric == collective_key) {
        record.collective = collective_named(said);
        if (!record.collective) return malformed(path, fmt::format("'{}': there is no such collective", id));
        continue;
      }
      const auto number = Rational::parse(said);
      if (!metric_named(metric) || !number)
        return malformed(path, fmt::format("'{}': '{}' is no metric with a number", id, metric));
      record.metrics.emplace(metric, *number);
    }
  }
  return baseline;
}

bool Baseline::has(const std::string& unit_id) const {
  const auto unit = units_.find(unit_id);
  return unit != units_.end() && (unit->second.collective || !unit->second.metrics.empty());
}

void Baseline::add_to(Wanted& wanted, const std::string& unit_id) const {
  const auto unit = units_.find(unit_id);
  if (unit == units_.end()) return;
  for (const auto& [metric, value] : unit->second.metrics) wanted.add(metrics()[*metric_named(metric)]);
}

std::vector<Worse> Baseline::compare(const std::string& unit_id, const Measures& measures) const {
  std::vector<Worse> worse;
  const auto unit = units_.find(unit_id);
  if (unit == units_.end()) return worse;
  for (const auto& [metric, recorded] : unit->second.metrics) {
    if (!metrics()[*metric_named(metric)].less_is_better) continue;
    const auto now = measures.known.find(metric);
    if (now == measures.known.end())
      worse.push_back({metric, recorded, std::nullopt});
    else if (now->second > recorded)
      worse.push_back({metric, recorded, now->second});
  }
  return worse;
}

std::optional<Collective> Baseline::collective(const std::string& unit_id) const {
  const auto unit = units_.find(unit_id);
  return unit == units_.end() ? std::nullopt : unit->second.collective;
}

void Baseline::record(const std::string& unit_id, const Measurement& measurement) {
  Record record{.collective = measurement.collective};
  for (const auto& [metric, value] : measurement.measures.known)
    if (metrics()[*metric_named(metric)].less_is_better) record.metrics.emplace(metric, value);
  units_[unit_id] = std::move(record);
}

std::vector<std::string> Baseline::vanished(const std::vector<Unit>& units) const {
  std::set<std::string_view> there;
  for (const Unit& unit : units) there.insert(unit.id);
  std::vector<std::string> ids;
  for (const auto& [id, record] : units_)
    if (has(id) && !there.contains(id)) ids.push_back(id);
  return ids;
}

std::string Baseline::text() const {
  Json json = Json::object();
  if (!schema_.empty()) json[schema_key] = schema_;
  json.update({{"format", "onceover-baseline"}, {"version", format_version}, {"units", Json::object()}});
  for (const auto& [id, unit] : units_) {
    Json record = Json::object();
    if (unit.collective) record[collective_key] = name(*unit.collective);
    for (const auto& [metric, value] : unit.metrics) record[metric] = value.str();
    json["units"][id] = std::move(record);
  }
  return json.dump(1) + "\n";
}

}  // namespace onceover::units
