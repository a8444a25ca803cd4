#include <cmath>

#include "gpu/description_judge.h"
#include "programs/program_faults.h"
#include "subjects/run.h"

namespace onceover::subjects {

namespace {

Json path_json(const Counterexample::Path& path) {
  Json legs = Json::array();
  for (const auto& leg : path) legs.push_back({{"step", leg.step}, {"src", leg.src}, {"dst", leg.dst}});
  return legs;
}

Json site_json(const Counterexample::Site& site) {
  Json json{{"rank", site.rank}, {"thread_block", site.thread}, {"step", site.number}};
  if (site.line > 0) json["line"] = site.line;
  return json;
}

Json move_json(const std::optional<Move>& move) {
  if (!move) return {};
  return {{"step", move->step}, {"src", move->src}, {"dst", move->dst}, {"op", name(move->op)}};
}

Json repair_json(const Repair& repair) {
  Json json{{"edits", Json::array()},      {"new_messages", repair.new_messages}, {"other_edits", repair.alternatives},
            {"is_least", repair.is_least}, {"verdict", name(repair.verdict)},     {"still_fails", repair.still_fails},
            {"text", repair.text()}};
  for (const MessageEdit& each : repair.edits)
    json["edits"].push_back({{"drop", move_json(each.edit.drop)},
                             {"add", move_json(each.edit.add)},
                             {"blocks", each.blocks},
                             {"turned", name(repair.turned)}});
  if (repair.swap) json["swapped_steps"] = {repair.swap->first, repair.swap->second};
  return json;
}

Json repair_json(const NopRepair& repair) {
  return {{"insert", "nop"},
          {"rank", repair.rank},
          {"thread_block", repair.block},
          {"after_step", repair.after},
          {"before_step", repair.before},
          {"passes", repair.passes},
          {"still_fails", repair.still_fails}};
}

Json counterexample_json(const Counterexample& c) {
  const Counterexample::Facts facts = c.facts();
  Json json{{"kind", c.kind()}, {"rank", c.rank}};
  auto put = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  put("block", c.block);
  if (c.route) {
    json["source"] = c.route->source;
    json["destination"] = c.route->destination;
    put("part", c.route->part);
  }
  put("step", c.step);
  put("contributor", facts.contributor);
  put("times", facts.times);
  put("allowed", facts.allowed);
  put("held", facts.held);
  if (!c.owners.empty()) json["owners"] = c.owners;
  put("other_rank", facts.other_rank);
  if (!facts.shown.empty()) json["shown"] = facts.shown;
  if (!facts.slot.empty()) json["slot"] = facts.slot;
  for (const auto& site : facts.sites) json["sites"].push_back(site_json(site));
  if (const NopRepair* repair = nop_repair(c)) json["repair"] = repair_json(*repair);
  put("final_step", c.final_step);
  put("replaced_by", facts.replaced_by);
  put("replaced_on", facts.replaced_on);
  json["paths"] = Json::array();
  for (const auto& path : facts.paths) json["paths"].push_back(path_json(path));
  json["text"] = describe(c);
  return json;
}

Json judged_json(const PropertyResult& p) {
  Json json = property_json(p);
  if (p.counterexample) json["counterexample"] = counterexample_json(*p.counterexample);
  if (const Finding::Layout* layout = p.layout()) json["layout"] = layout->blocks;
  return json;
}

Json ratio(double value, std::optional<double> bound) {
  return bound && *bound > 0 ? Json(std::round(value / *bound * 1e6) / 1e6) : Json(nullptr);
}

Json metrics_json(const Metrics& m, const Header& header) {
  const LowerBounds bounds = lower_bounds(header);
  return {{"steps", m.steps},
          {"local_steps", m.local_steps},
          {"messages", m.messages},
          {"block_transfers", m.block_transfers},
          {"max_sends_per_rank_step", m.max_sends_per_rank_step},
          {"max_receives_per_rank_step", m.max_receives_per_rank_step},
          {"max_runs_per_message", m.max_runs_per_message},
          {"term_depth", m.term_depth},
          {"blocks_sent_max", m.blocks_sent_max},
          {"blocks_sent_min", m.blocks_sent_min},
          {"steps_over_bound", ratio(m.steps, bounds.steps)},
          {"blocks_sent_over_bound", ratio(static_cast<double>(m.blocks_sent_max), bounds.blocks)}};
}

Json names_json(const auto& list, auto number) {
  Json pairs = Json::array();
  for (const auto& each : list) pairs.push_back({each.name, each.*number});
  return pairs;
}

Json subject_json(const Verification& run) {
  const Header& h = run.header;
  Json json{{"algorithm", h.algorithm.empty() ? Json(nullptr) : Json(h.algorithm)},
            {"collective", name(h.collective)},
            {"ranks", h.ranks},
            {"shape", h.sides()},
            {"lanes", h.lanes},
            {"blocks", h.blocks}};
  if (is_rooted(h.collective)) json["root"] = h.root;
  if (!h.names.grid.empty()) json["grid"] = names_json(h.names.grid, &Names::Axis::size);
  if (!h.names.phases.empty()) json["phases"] = names_json(h.names.phases, &Names::Phase::first);
  switch (run.origin.kind) {
    case Origin::Kind::catalogue: break;
    case Origin::Kind::file: json["file"] = run.origin.text; break;
    case Origin::Kind::command: json["command"] = run.origin.text; break;
    case Origin::Kind::formula: json["formula"] = run.origin.text; break;
  }
  if (run.runtime)
    json["runtime"] = {{"protocol", run.runtime->protocol.empty() ? Json(nullptr) : Json(run.runtime->protocol)},
                       {"profile", run.runtime->profile},
                       {"is_chosen", run.runtime->is_chosen}};
  if (run.launches) json["blocks"] = nullptr;
  if (run.launches && !run.launches->report.collective) json["collective"] = nullptr;
  if (run.report.program && !run.report.program->has_data) json["collective"] = json["blocks"] = nullptr;
  if (run.report.program && !run.report.program->collective.empty()) json["collective"] = nullptr;
  for (const Note& note : run.notes) json["notes"].push_back(note.text);
  return json;
}

/// The theorem about the run, with its level: null where there is none.
Json theorem_json(const Verification& run) {
  if (const auto& citation = run.citation) {
    if (citation->compared == Compared::different) return {};
    return {{"id", citation->theorem->name},
            {"level", "kernel"},
            {"domain", citation->domain},
            {"compared", citation->compared == Compared::all}};
  }
  const Theorem* theorem = solver_theorem(run);
  if (theorem == nullptr) return {};
  return {{"id", theorem->id}, {"level", "solver"}, {"domain", theorem->domain}, {"compared", false}};
}

Json launches_json(const gpu::GpuReport& report) {
  return {{"program", report.program},
          {"promises", report.promises},
          {"grants", report.grants},
          {"runs", gpu::runs_json(report)}};
}

Json run_json(const Verification& run) {
  Json json{{"subject", subject_json(run)}, {"verdict", name(run.verdict())}, {"scope", scope_of(run)}};
  if (!run.report.not_tried.empty()) json["not_tried"] = run.report.not_tried;
  if (Json theorem = theorem_json(run); !theorem.is_null()) json["theorem"] = std::move(theorem);
  if (run.citation && run.citation->compared == Compared::different)
    json["not_the_theorem"] = {{"id", run.citation->theorem->name}, {"difference", run.citation->why}};
  json["properties"] = Json::array();
  for (const PropertyResult& p : run.report.properties) json["properties"].push_back(judged_json(p));
  for (const PropertyResult& p : run.report.properties)
    if (p.waived) json["waived"].push_back(p.id);
  if (run.repair) json["repair"] = repair_json(*run.repair);
  for (const JudgedLimit& l : run.limits)
    json["limits"].push_back({{"limit", l.text}, {"verdict", name(l.finding.verdict)}, {"summary", l.finding.summary}});
  if (run.report.program)
    json["program"] = program_json(run);
  else if (run.launches)
    json["launches"] = launches_json(run.launches->report);
  else if (run.report.verdict != Verdict::unknown)
    json["metrics"] = metrics_json(run.report.metrics, run.header);
  return json;
}

}  // namespace

Json property_json(const PropertyResult& p) {
  Json json{{"id", p.id}, {"required", p.required}, {"verdict", name(p.verdict)}, {"summary", p.summary}};
  if (p.violations > 0) json["violations"] = p.violations;
  return json;
}

Json json_report(const std::vector<Verification>& runs) {
  Json json = result_json();
  json["runs"] = Json::array();
  for (const Verification& run : runs) json["runs"].push_back(run_json(run));
  auto count = [&](Verdict v) {
    return std::count_if(runs.begin(), runs.end(), [v](const Verification& run) { return run.verdict() == v; });
  };
  json["summary"] = {
      {"pass", count(Verdict::pass)}, {"fail", count(Verdict::fail)}, {"unknown", count(Verdict::unknown)}};
  return json;
}

Json left_out_json(std::span<const LeftOut> left_out) {
  Json json = Json::array();
  for (const LeftOut& each : left_out) json.push_back({{"what", each.what}, {"why", each.why}});
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2) + "\n";
}

}  // namespace onceover::subjects
