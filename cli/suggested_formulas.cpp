#include "cli/suggested_formulas.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/resource_limits.h"
#include "base/rows.h"
#include "base/stop.h"
#include "cli/proof_text.h"
#include "proofs/peer_proof.h"
#include "schedules/formula.h"
#include "subjects/citation.h"
#include "subjects/rank_list.h"

namespace onceover::cli {

namespace {

constexpr std::size_t most_formulas = 3;
constexpr Rank most_ranks_tried = 64;

/// The p for which the rule has peers, ascending.
std::vector<Rank> ranks_to_try(std::span<const Verification> runs) {
  std::vector<Rank> ranks;
  for (const Verification& run : runs)
    if (!run.failure && run.header.ranks <= most_ranks_tried) ranks.push_back(run.header.ranks);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string proved_for(const PeerRule& rule) {
  const auto proof = prove_peers(rule);
  if (!proof->theorem || !proof->family) return "";
  const auto proved = prove({&*proof->theorem}, solvers_there({SolverName::z3}).there, 1);
  return proved.front().holds() ? std::string(domain(*proof->family, rule)) : "";
}

/// The one theorem of the kernel that the schedules for these p are of, all their transfers; or empty.
std::string cited_for(const PeerRule& rule, Collective collective, std::span<const Rank> ranks) {
  std::string_view theorem;
  for (const Rank p : ranks) {
    if (p == 1) continue;  // no transfers
    const auto made = make_peer_schedule(rule, collective, p);
    const auto citation = made ? citation_of(*made->schedule, rule, 1) : std::nullopt;
    if (!citation || citation->compared != Compared::all) return "";
    if (!theorem.empty() && theorem != citation->theorem->name) return "";
    theorem = citation->theorem->name;
  }
  return std::string(theorem);
}

/// "exactly once for even p, as Z3 proves"
std::string known_text(const SuggestedFormula& f) {
  if (!f.proved_for.empty()) return fmt::format("exactly once for {}, as Z3 proves", f.proved_for);
  if (!f.theorem.empty()) return fmt::format("by theorem {} (kernel); not proved for others", f.theorem);
  return "not proved for others";
}

bool passes(const PeerRule& rule, Collective collective, Rank ranks, const VerifyOptions& options) {
  const auto made = make_peer_schedule(rule, collective, ranks);
  return made && verify(*made->schedule, options).verdict == Verdict::pass;
}

/// The peers of all ranks at all steps, which say all that a rule means.
std::vector<Rank> peers_of(const PeerRule& rule, std::span<const Rank> ranks) {
  std::vector<Rank> peers;
  for (const Rank p : ranks)
    if (const auto table = PeerTable::of(rule, p))
      for (int step = 0; step < table->steps(); ++step)
        for (Rank r = 0; r < table->running(); ++r) peers.push_back((*table)(r, step));
  return peers;
}

}  // namespace

std::vector<PeerRule> nearby_rules(const PeerRule& rule, Collective collective, std::span<const Rank> ranks,
                                   const VerifyOptions& options, std::size_t most) {
  std::vector<PeerRule> found;
  std::vector<std::vector<Rank>> known;
  for (const Formula& formula : neighbours(rule.peer, peer_variables())) {
    if (found.size() == most || stop_requested()) break;
    const PeerRule other{formula, rule.steps, rule.odd};
    const bool is_right =
        std::all_of(ranks.begin(), ranks.end(), [&](Rank p) { return passes(other, collective, p, options); });
    if (is_right && add_new(known, peers_of(other, ranks))) found.push_back(other);
  }
  return found;
}

std::vector<SuggestedFormula> suggested_formulas(const VerifyCommand& command, std::span<const Verification> runs) {
  const std::vector<Rank> ranks = ranks_to_try(runs);
  const bool has_failed = std::any_of(runs.begin(), runs.end(),
                                      [](const Verification& run) { return run.report.verdict == Verdict::fail; });
  if (!command.suggest || !has_failed || ranks.empty()) return {};
  const PeerRule rule = *rule_of(command.subject);
  const VerifyOptions options{.threads = 1,
                              .budget = command.budget,
                              .required = command.required,
                              .waived = command.waived,
                              .bounds = command.bounds};
  const auto collective = command.subject.collective.value_or(Collective::allreduce);
  const auto found = within_limits([&] { return nearby_rules(rule, collective, ranks, options, most_formulas); });
  if (!found) return {};
  std::string tried = "p = " + rank_list_text(ranks);
  if (!command.metric_limits.limits.empty()) tried += ", apart from --limit";
  return mapped(*found, [&](const PeerRule& each) {
    return SuggestedFormula{each.peer.text(), tried, proved_for(each), cited_for(each, collective, ranks)};
  });
}

std::string suggestions_text(std::span<const SuggestedFormula> formulas) {
  std::string text;
  for (const SuggestedFormula& f : formulas)
    text += fmt::format("  suggestion: {}\n    passes for {}; {}\n", f.text, f.passes_for, known_text(f));
  return text;
}

Json suggestions_json(std::span<const SuggestedFormula> formulas) {
  Json json = Json::array();
  for (const SuggestedFormula& f : formulas)
    json.push_back({{"formula", f.text},
                    {"passes_for", f.passes_for},
                    {"proved_for", f.proved_for.empty() ? Json(nullptr) : Json(f.proved_for)},
                    {"theorem", f.theorem.empty() ? Json(nullptr) : Json(f.theorem)}});
  return json;
}

}  // namespace onceover::cli
