#include "live/live_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "subjects/run.h"

namespace onceover::live {

namespace {

Json counterexample_json(const Counterexample& c) {
  const Counterexample::Facts facts = c.facts();
  Json json{{"kind", c.kind()}, {"rank", c.rank}, {"element", *c.block}};
  if (facts.contributor) json["contributor"] = *facts.contributor;
  if (facts.times) json["times"] = *facts.times;
  if (facts.other_rank) json["other_rank"] = *facts.other_rank;
  json["text"] = describe(c);
  return json;
}

Json judged_json(const PropertyResult& p) {
  Json json = property_json(p);
  if (p.counterexample) json["counterexample"] = counterexample_json(*p.counterexample);
  return json;
}

Json run_json(const LiveRun& run) {
  const LiveCall& call = run.call;
  Json json{{"subject",
             {{"collective", call.name()},
              {"ranks", call.ranks},
              {"count", call.count},
              {"root", call.collective->has_root() ? Json(call.root) : Json(nullptr)},
              {"in_place", call.in_place},
              {"commutative", call.collective->reduces() ? Json(call.commutative) : Json(nullptr)},
              {"repeats", run.repeats},
              {"element_bytes", run.element_bytes}}},
            {"verdict", name(run.report.verdict)},
            {"properties", Json::array()},
            {"faults", run.report.faults}};
  if (call.collective->has_counts) json["subject"]["layout"] = layout_names()[static_cast<std::size_t>(call.layout)];
  for (const PropertyResult& p : run.report.properties) json["properties"].push_back(judged_json(p));
  if (!run.setting.empty()) json["subject"]["setting"] = run.setting;
  if (!run.terms.is_null()) json["terms"] = run.terms;
  if (!run.match.is_null()) json["match"] = run.match;
  if (!run.notes.empty()) json["notes"] = run.notes;
  return json;
}

/// Everything about a call except its count.
std::string subject_text(const LiveRun& run) {
  const LiveCall& call = run.call;
  std::string text = fmt::format("{}, p = {}", call.name(), call.ranks);
  if (call.collective->has_root()) text += fmt::format(", root {}", call.root);
  if (call.layout != Layout::even)
    text += fmt::format(", layout {}", layout_names()[static_cast<std::size_t>(call.layout)]);
  if (call.in_place) text += ", in place";
  if (!call.commutative) text += ", operator not commutative";
  if (!run.setting.empty()) text += ", " + run.setting;
  return text;
}

std::string property_text(const PropertyResult& p) {
  std::string text =
      fmt::format("  {} {}{}: {}\n", name(p.verdict), p.id, p.required ? "" : " (not required)", p.summary);
  if (p.counterexample)
    for (const std::string& line : describe(*p.counterexample)) text += fmt::format("    {}\n", line);
  return text;
}

/// The properties that fail without being required, in a word or two.
std::string remarks(const LiveRun& run) {
  std::string text;
  for (const PropertyResult& p : run.report.properties)
    if (!p.required && p.verdict == Verdict::fail) text += fmt::format("; not {}", p.id);
  return text;
}

/// A line for each run of elements if all ranks have the same text, else one for each rank.
std::string terms_text(const Json& terms) {
  std::string text;
  for (const Json& run : terms) {
    const std::string elements = run["first"] == run["last"]
                                     ? fmt::format("element {}", run["first"].dump())
                                     : fmt::format("elements {}..{}", run["first"].dump(), run["last"].dump());
    const Json& ranks = run["ranks"];
    const bool are_same = std::all_of(ranks.begin(), ranks.end(), [&](const Json& r) { return r == ranks[0]; });
    if (are_same) text += fmt::format("  {}: {} on every rank\n", elements, ranks[0].text_or_empty());
    for (std::size_t r = 0; r < ranks.size() && !are_same; ++r)
      if (!ranks[r].is_null()) text += fmt::format("  {} on rank {}: {}\n", elements, r, ranks[r].text_or_empty());
  }
  return text;
}

std::string details_text(const LiveRun& run, bool full) {
  std::string text;
  if (!run.terms.is_null()) text += terms_text(run.terms);
  for (const std::string& line : run.match_text) text += fmt::format("  {}\n", line);
  for (const PropertyResult& p : run.report.properties)
    if (full || (p.required && p.verdict != Verdict::pass)) text += property_text(p);
  for (const std::string& fault : run.report.faults) text += fmt::format("  fault: {}\n", fault);
  for (const std::string& note : run.notes) text += fmt::format("  {}\n", note);
  return text;
}

/// Can the two share a line?
bool are_alike(const LiveRun& a, const LiveRun& b) {
  return subject_text(a) == subject_text(b) && a.report.verdict == b.report.verdict && remarks(a) == remarks(b);
}

}  // namespace

Json terms_json(const LiveCall& call, const Values& values, const CallOutcome& outcome) {
  Json json = Json::array();
  const auto all = columns(call, outcome);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end] == all[begin]) ++end;
    Json ranks = Json::array();
    for (const auto& value : all[begin]) ranks.push_back(value ? Json(values.text(*value)) : Json(nullptr));
    json.push_back({{"first", begin}, {"last", end - 1}, {"ranks", std::move(ranks)}});
  }
  return json;
}

Verdict overall(std::span<const LiveRun> runs) {
  Verdict all = Verdict::pass;
  for (const LiveRun& run : runs) all = worse(all, run.report.verdict);
  return all;
}

std::string runs_text(std::span<const LiveRun> runs, bool full) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    const std::string details = details_text(runs[begin], full);
    std::string counts;
    for (; end < runs.size() && are_alike(runs[begin], runs[end]) && details_text(runs[end], full) == details; ++end)
      counts += fmt::format("{}{}", counts.empty() ? "" : ", ", runs[end].call.count);
    text += fmt::format("{}, count {}: {}{}\n{}", subject_text(runs[begin]), counts, name(runs[begin].report.verdict),
                        remarks(runs[begin]), details);
  }
  return text;
}

Json live_json(const std::string& library, std::span<const LiveRun> runs, const Ending& ending) {
  Json json = result_json({{"library", library}, {"scope", ending.scope}});
  if (!ending.not_tried.empty()) json["not_tried"] = ending.not_tried;
  if (!ending.waived.empty()) json["waived"] = ending.waived;
  json["runs"] = Json::array();
  for (const LiveRun& run : runs) json["runs"].push_back(run_json(run));
  auto count = [&](Verdict v) {
    return std::count_if(runs.begin(), runs.end(), [v](const LiveRun& run) { return run.report.verdict == v; });
  };
  json["summary"] = {
      {"pass", count(Verdict::pass)}, {"fail", count(Verdict::fail)}, {"unknown", count(Verdict::unknown)}};
  return json;
}

}  // namespace onceover::live
