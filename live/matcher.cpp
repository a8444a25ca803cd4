#include "live/matcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "live/judge.h"
#include "verifier/term_judgement.h"

namespace onceover::live {

namespace {

std::string_view name(Joins joins) {
  switch (joins) {
    case Joins::same: return "same";
    case Joins::other_ranks: return "same number, on other ranks";
    case Joins::other_number: return "other number";
  }
  return "";
}

std::string full_name(const Reference& reference) {
  std::string text = reference.algorithm;
  if (!reference.settings.empty()) text += fmt::format(" ({})", reference.settings);
  if (!reference.role.empty()) text += " " + reference.role;
  return text;
}

/// The first few names, and how many more there are.
std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string joins_text(Joins joins) {
  switch (joins) {
    case Joins::same: return "each sum made on the same ranks";
    case Joins::other_ranks: return "as many sums, some made on other ranks";
    case Joins::other_number: return "another number of sums made";
  }
  return "";
}

/// The rank that holds the result that differs.
Rank holder(const LiveCall& call, const Difference& difference) {
  if (call.collective->kind == CallKind::allreduce) return static_cast<Rank>(difference.holder);
  for (Rank r = 0; r < call.ranks; ++r)
    for (const Due& d : due(call, r))
      if (d.position == difference.element) return r;
  return 0;
}

Json reference_json(const Reference& reference) {
  return {{"algorithm", reference.algorithm}, {"settings", reference.settings}, {"role", reference.role}};
}

}  // namespace

Matched Matcher::match(const LiveCall& call, const Values& values, const CallOutcome& outcome) {
  const std::vector<Fate> elements = fates(call, values, outcome);
  if (elements.empty() || !call.collective->collective()) return {nullptr, {}};
  const auto [at, is_new] = references_.try_emplace({call.collective->kind, call.root});
  if (is_new) at->second = references(call, terms_);
  if (at->second.empty()) return {nullptr, {}};
  return say(compare(elements, at->second), call);
}

Matched Matcher::compare_with(const Schedule& schedule, const LiveCall& call, const Values& values,
                              const CallOutcome& outcome) {
  const std::vector<Fate> elements = fates(call, values, outcome);
  if (elements.empty()) return {nullptr, {}, true};
  auto reference = reference_of(schedule, call.collective->kind != CallKind::allreduce, 0, terms_);
  if (!reference) return {{{"matches", Json::array()}}, {"the schedule has no defined result"}};
  reference->algorithm = "the schedule";
  reference->in_place = true;
  return say(compare(elements, std::span(&*reference, 1)), call);
}

std::vector<Fate> Matcher::fates(const LiveCall& call, const Values& values, const CallOutcome& outcome) {
  if (!call.collective->reduces() || call.layout != Layout::even) return {};
  Translation translated(values.terms(), terms_);
  std::vector<Fate> elements;
  for (const auto& column : columns(call, outcome)) {
    const std::size_t position = elements.size();
    Fate fate;
    for (std::size_t r = 0; r < column.size(); ++r) {
      if (column[r]) fate.terms.push_back(translated(values[*column[r]].term));
      fate.joins.push_back(outcome.joins[r][position]);
    }
    elements.push_back(std::move(fate));
  }
  return elements;
}

Matched Matcher::say(const MatchComparison& comparison, const LiveCall& call) const {
  Matched said{Json{{"matches", Json::array()}}, {}, !comparison.matches.empty()};
  for (const Match& match : comparison.matches) {
    Json json = reference_json(*match.reference);
    json["layout"] = match.layout.text;
    json["joins"] = name(match.joins);
    said.json["matches"].push_back(std::move(json));
  }
  if (said.same) {
    const Match& best = comparison.matches.front();
    said.text.push_back(
        fmt::format("match: {}; {}; {}", full_name(*best.reference), joins_text(best.joins), best.layout.text));
    std::vector<std::string> others;
    for (const Match& match : std::span(comparison.matches).subspan(1))
      if (match.joins == best.joins) others.push_back(full_name(*match.reference));
    if (!others.empty()) said.text.push_back("as well: " + list_text(others));
  }
  if (comparison.nearest) say(*comparison.nearest, call, said);
  return said;
}

void Matcher::say(const Nearest& near, const LiveCall& call, Matched& said) const {
  Json& json = said.json["nearest"];
  json = reference_json(*near.reference);
  json.update({{"layout", near.layout.text}, {"agreeing", near.agreeing}, {"results", near.results}});
  said.text.push_back(
      fmt::format("no match; nearest: {}, {} of {} results", full_name(*near.reference), near.agreeing, near.results));
  if (!near.first) {
    said.text.push_back(fmt::format("count {} is too few to tell: they would be in {} blocks", call.count,
                                    near.reference->blocks.size()));
    return;
  }
  const Rank rank = holder(call, *near.first);
  json["first_difference"] = {{"element", near.first->element},
                              {"rank", rank},
                              {"library", text(near.first->library)},
                              {"schedule", text(near.first->schedule)}};
  said.text.push_back(fmt::format("element {} on rank {}: the library has {}, {} has {}", near.first->element, rank,
                                  text(near.first->library), near.reference->algorithm, text(near.first->schedule)));
}

std::string Matcher::text(Term term) const {
  return term_text(terms_, term, [&](Term leaf) { return std::to_string(terms_.rank_of(leaf)); });
}

}  // namespace onceover::live
