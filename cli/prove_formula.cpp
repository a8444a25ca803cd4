// `prove --peer`: a formula of the user's, for every p or for some.

#include <fmt/format.h>

#include <algorithm>

#include "cli/proof_text.h"
#include "cli/rank_list.h"
#include "cli/resource_limits.h"
#include "cli/subject.h"
#include "proofs/bounded.h"
#include "proofs/peer_proof.h"
#include "proofs/z3_solver.h"
#include "schedules/numbers.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

/// Where the search for a wrong p ends.
constexpr Rank most_tried = 64;

/// What the checker says of the formula's reduce-scatter for one p, where that is wrong; else empty.
std::string failure_of(const PeerRule& rule, Rank p) {
  const auto made = make_peer_schedule(rule, Collective::reduce_scatter, p);
  if (!made) return "";
  const Report report = verify(*made->schedule, {.threads = 1});
  for (const PropertyResult& property : report.properties) {
    if (!property.required || property.verdict != Verdict::fail) continue;
    std::string text = fmt::format("  for p = {} the checker finds the reduce-scatter wrong:\n", p);
    for (const std::string& line : describe(*property.counterexample)) text += fmt::format("    {}\n", line);
    return text;
  }
  return "";
}

/// The same for the smallest p of the family's domain that is tried and wrong; empty if there is none.
std::string smallest_failure(const PeerRule& rule, std::optional<PeerFamily> family) {
  for (Rank p = 2; p <= most_tried; ++p) {
    stop_point();
    if (family == PeerFamily::exclusive_or && !is_power_of_two(p)) continue;
    if (std::string failure = failure_of(rule, p); !failure.empty()) return failure;
  }
  return "";
}

/// What Z3 says of one p.
struct Judged {
  Answer covers;
  Answer unique;
  bool last_rank_apart;
};

tl::expected<Judged, SourceError> judge(const PeerRule& rule, Rank p) {
  const auto peers = PeerTable::of(rule, p);
  if (!peers) return tl::unexpected(peers.error());
  const Answer covers = ask_bounded(*peers, Bounded::coverage).answer;
  if (covers == Answer::unknown) stop_point();
  return Judged{covers, ask_bounded(*peers, Bounded::uniqueness).answer, peers->last_rank_apart()};
}

std::string line_of(Rank p, const Judged& judged) {
  auto words = [](Answer answer, std::string_view yes, std::string_view no) {
    return answer == Answer::unsatisfiable ? yes : answer == Answer::satisfiable ? no : std::string_view("unknown");
  };
  return fmt::format("  p = {}: {}; {}{}\n", p,
                     words(judged.covers, "every rank is reached", "some rank is never reached"),
                     words(judged.unique, "by one sequence each", "some by several"),
                     judged.last_rank_apart ? fmt::format("; rank {} is apart", p - 1) : "");
}

/// The numbers of ranks of a bounded proof, by what is known of them.
struct Outcome {
  std::vector<Rank> proved;
  std::vector<Rank> wrong;
  std::vector<Rank> open;
  bool some_apart = false;

  ProofVerdict verdict() const {
    return !wrong.empty() ? ProofVerdict::fails : !open.empty() ? ProofVerdict::unknown : ProofVerdict::proved;
  }

  std::string text() const {
    switch (verdict()) {
      case ProofVerdict::proved:
        return fmt::format(
            "proved   for p = {} only: with covering-peers{} the reduce-scatter is exactly once; "
            "trusted: {}, and the arguments in words\n",
            rank_list_text(proved), some_apart ? " and odd-ranks" : "", z3_version());
      case ProofVerdict::unknown:
        return fmt::format("unknown  for p = {}\n", rank_list_text(open));
      case ProofVerdict::fails:
        return fmt::format("fails    for p = {}\n", rank_list_text(wrong));
    }
    return "";
  }
};

/// Prints a line for each p as soon as it is settled, so that an end before the last one keeps it: is every rank
/// reached from every other one, and by one sequence of steps only?
Result<Outcome> judge_all(const PeerRule& rule, const std::vector<Rank>& ranks) {
  Outcome outcome;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const Rank p = ranks[k];
    const auto judged = within_limits([&] { return judge(rule, p); });
    if (!judged) {
      outcome.open.insert(outcome.open.end(), ranks.begin() + static_cast<std::ptrdiff_t>(k), ranks.end());
      const std::vector<Rank> rest(ranks.begin() + static_cast<std::ptrdiff_t>(k), ranks.end());
      if (auto told = print(fmt::format("  p = {}: unknown: {}\n", rank_list_text(rest), judged.error())); !told)
        return tl::unexpected(told.error());
      break;
    }
    if (!*judged) return usage_error((*judged).error().render());
    const Answer covers = (*judged)->covers;
    std::string text = line_of(p, **judged);
    if (covers == Answer::satisfiable && outcome.wrong.empty())
      text += within_limits([&] { return failure_of(rule, p); }).value_or("");
    if (auto told = print(text); !told) return tl::unexpected(told.error());
    (covers == Answer::unsatisfiable ? outcome.proved
     : covers == Answer::satisfiable ? outcome.wrong
                                     : outcome.open)
        .push_back(p);
    outcome.some_apart |= (*judged)->last_rank_apart;
  }
  return outcome;
}

Result<ExitCode> prove_bounded(const ProveCommand& command, const PeerRule& rule) {
  const auto ranks = parse_rank_list(command.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  const std::string steps = command.steps.empty() ? "ceil(log2 p)" : command.steps;
  if (auto told = print(fmt::format("peer {}, for all sequences of {} steps\n", command.peer, steps)); !told)
    return tl::unexpected(told.error());
  const auto outcome = judge_all(rule, *ranks);
  if (!outcome) return tl::unexpected(outcome.error());
  if (auto told = print(outcome->text()); !told) return tl::unexpected(told.error());
  return exit_code(outcome->verdict());
}

/// The theorem made for the formula, and those that it uses, discharged.
std::vector<Proof> discharged(const PeerProof& proof, const std::vector<Solver>& solvers) {
  std::vector<const Theorem*> needed;
  for (const std::string_view id : proof.theorem->uses) needed.push_back(find_theorem(id));
  needed = with_uses(needed);
  needed.push_back(&*proof.theorem);
  return prove(needed, solvers, 1);
}

/// A formula for every p of its family.
struct Attempt {
  ProofVerdict verdict;
  std::string text;
};

Attempt attempted(const PeerRule& rule, const PeerProof& proof, const std::vector<Solver>& solvers, bool full) {
  std::string text;
  if (proof.theorem) {
    const auto proofs = discharged(proof, solvers);
    text = statement_text(*proof.theorem);
    for (const Proof& each : proofs) text += discharges_text(each, full || !each.holds());
    if (overall(proofs) == ProofVerdict::proved) return {ProofVerdict::proved, text};
    text += "  the invariant that fits the first steps is not proved for all of them\n";
  } else {
    text = fmt::format("  no proof: {}\n", proof.problem);
  }
  const auto failure = within_limits([&] { return smallest_failure(rule, proof.family); });
  if (!failure) return {ProofVerdict::unknown, text + fmt::format("  {}\n", failure.error())};
  return {failure->empty() ? ProofVerdict::unknown : ProofVerdict::fails, text + *failure};
}

}  // namespace

Result<ExitCode> prove_formula(const ProveCommand& command) {
  const auto rule = rule_of(command.peer, command.steps);
  if (!rule) return tl::unexpected(rule.error());
  if (!command.ranks.empty()) return prove_bounded(command, *rule);
  const auto solvers = solvers_named(command.solvers);
  if (!solvers) return tl::unexpected(solvers.error());
  if (!solvers->note.empty()) fmt::print(stderr, "verify: {}\n", solvers->note);
  const auto proof = prove_peers(*rule);
  const std::string family =
      proof->family ? fmt::format("{}, {}", name(*proof->family), domain(*proof->family)) : "of no family";
  const std::string_view where = proof->family ? domain(*proof->family) : "every p";
  const Attempt attempt = attempted(*rule, *proof, solvers->there, command.full);
  std::string text = fmt::format("peer {} ({})\n", command.peer, family) + attempt.text;
  switch (attempt.verdict) {
    case ProofVerdict::proved:
      text += fmt::format("proved   for {}, as far as the formula has values; trusted: {}, and the argument in words\n",
                          where, names_of(solvers->there));
      break;
    case ProofVerdict::fails:
      text += fmt::format("fails    not for {}\n", where);
      break;
    case ProofVerdict::unknown:
      text += "unknown\n";
      break;
  }
  if (auto printed = print(text); !printed) return tl::unexpected(printed.error());
  return exit_code(attempt.verdict);
}

}  // namespace onceover::cli
