// `prove --peer`: a user's formula, for every p or for some.
//
// For every p, the formula must belong to a family whose reach is itself known as a formula. Then a theorem is made for
// it and discharged, with those that it uses. If that fails, the checker looks for a wrong p, up to 64. With --p, Z3 is
// asked about each p separately, over all sequences of steps at once.
//
// Example: r xor pow2(s) belongs to the family of powers of two and is proved. r xor 1 belongs to it, too, but has no
// proof, because step 1 reaches nobody new. The checker then finds that for p = 4 rank 2's contribution never reaches
// rank 0.
//
// If a solver gives up, the result is unknown. What is settled is printed at once, so that an end before the last p
// keeps it. A proof takes a few queries, whatever p; a bounded proof takes two for each p.

#include <fmt/format.h>

#include <utility>

#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "cli/colors.h"
#include "cli/proof_text.h"
#include "proofs/bounded.h"
#include "proofs/query.h"
#include "subjects/peer_attempt.h"
#include "subjects/rank_list.h"
#include "subjects/subject.h"
#include "verifier/verify.h"

namespace onceover::cli {

namespace {

/// What the checker found wrong for one p.
std::string text_of(const PeerAttempt::Wrong& wrong) {
  std::string text = fmt::format("  for p = {} the checker finds the reduce-scatter wrong:\n", wrong.ranks);
  for (const PropertyResult& property : wrong.report.properties) {
    if (!property.required || property.verdict != Verdict::fail) continue;
    for (const std::string& line : describe(*property.counterexample)) text += fmt::format("    {}\n", line);
    break;
  }
  return text;
}

/// What Z3 says about one p.
struct JudgedPeers {
  Reply covers;
  Answer unique;
  std::string odd;  // "; rank 6 is apart", "; as written"
};

std::string odd_text(const PeerTable& peers) {
  if (peers.last_rank_apart()) return fmt::format("; rank {} is apart", peers.ranks() - 1);
  return peers.ranks() % 2 == 0 || peers.ranks() == 1 ? "" : "; as written";
}

tl::expected<JudgedPeers, PeerFailure> judge(const PeerRule& rule, Rank p) {
  const auto peers = TRY(PeerTable::of(rule, p));
  Reply covers = ask_bounded(peers, Bounded::coverage);
  if (covers.answer == Answer::unknown) stop_point();
  return JudgedPeers{std::move(covers), ask_bounded(peers, Bounded::uniqueness).answer, odd_text(peers)};
}

std::string line_of(Rank p, const JudgedPeers& judged) {
  if (judged.covers.answer == Answer::unknown)
    return fmt::format("  p = {}: unknown: {}{}\n", p, judged.covers.reason, judged.odd);
  const bool covers = judged.covers.answer == Answer::unsatisfiable;
  const std::string_view unique = judged.unique == Answer::unsatisfiable ? ", each by one sequence"
                                  : judged.unique == Answer::satisfiable ? ", some by several sequences"
                                                                         : "";
  return fmt::format("  p = {}: {}{}{}\n", p, covers ? "every rank is reached" : "some rank is never reached", unique,
                     judged.odd);
}

/// The numbers of ranks of a bounded proof, by what is known about them.
struct ProvedRanks {
  std::vector<Rank> proved;
  std::vector<Rank> wrong;
  std::vector<Rank> open;

  ProofVerdict verdict() const {
    return !wrong.empty() ? ProofVerdict::fails : !open.empty() ? ProofVerdict::unknown : ProofVerdict::proved;
  }

  std::string text() const {
    switch (verdict()) {
      case ProofVerdict::proved:
        return fmt::format(
            "proved   for p = {} only; trusted: {} for the paths, Coq's kernel for the rest (covered_once)\n",
            rank_list_text(proved), z3_version());
      case ProofVerdict::unknown: return fmt::format("unknown  for p = {}\n", rank_list_text(open));
      case ProofVerdict::fails: return fmt::format("fails    for p = {}\n", rank_list_text(wrong));
    }
    return "";
  }
};

/// Judges one p after the other, and prints what is settled at once, so that an end before the last one keeps it.
class BoundedProof {
 public:
  BoundedProof(const PeerRule& rule, std::string headline) : rule_(rule), unprinted_(std::move(headline)) {}

  Result<ProvedRanks> run(const std::vector<Rank>& ranks) {
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      Progress::say(k, ranks.size(), fmt::format("p = {}", ranks[k]));
      const auto judged = within_limits([&] { return judge(rule_, ranks[k]); });
      const std::vector<Rank> rest(ranks.begin() + static_cast<std::ptrdiff_t>(k), ranks.end());
      if (!judged) return stopped(rest, judged.error());
      if (!*judged && (*judged).error().is_too_large) return stopped(rest, (*judged).error().message);
      if (!*judged) {
        if (outcome_.wrong.empty()) return usage_error((*judged).error().render());
        warn((*judged).error().render());
        break;
      }
      tell(settle(ranks[k], **judged));
    }
    return outcome_;
  }

  /// Could everything that was settled be printed?
  const Result<void>& printed() const { return printed_; }

 private:
  std::string settle(Rank p, const JudgedPeers& judged) {
    const Answer covers = judged.covers.answer;
    std::string text = line_of(p, judged);
    if (covers == Answer::satisfiable && outcome_.wrong.empty())
      if (const auto wrong = within_limits([&] { return find_wrong(rule_, p); }); wrong && *wrong)
        text += text_of(**wrong);
    auto& list = covers == Answer::unsatisfiable ? outcome_.proved
                 : covers == Answer::satisfiable ? outcome_.wrong
                                                 : outcome_.open;
    list.push_back(p);
    return text;
  }

  ProvedRanks stopped(const std::vector<Rank>& rest, const std::string& why) {
    outcome_.open.insert(outcome_.open.end(), rest.begin(), rest.end());
    tell(fmt::format("  p = {}: unknown: {}\n", rank_list_text(rest), why));
    return outcome_;
  }

  void tell(const std::string& text) {
    if (printed_) printed_ = print(painted(std::exchange(unprinted_, "") + text));
  }

  const PeerRule& rule_;
  std::string unprinted_;
  Result<void> printed_ = {};
  ProvedRanks outcome_;
};

Result<ExitCode> prove_bounded(const ProveCommand& command, const PeerRule& rule) {
  const std::string steps = command.subject.steps ? command.subject.steps->text() : "ceil(log2 p)";
  BoundedProof proof(rule,
                     fmt::format("peer {}, for all sequences of {} steps\n", command.subject.peer->text(), steps));
  const auto outcome = TRY(proof.run(command.subject.ranks->value));
  return after_output(exit_code(outcome.verdict()), proof.printed() ? print(painted(outcome.text())) : proof.printed());
}

std::string text_of(const PeerAttempt& attempt, bool full) {
  const bool is_proved = attempt.verdict == Verdict::pass;
  std::string text = attempt.discharged ? statement_text(*attempt.proof->theorem) +
                                              discharges_text(*attempt.discharged, full || !is_proved)
                                        : fmt::format("  no proof: {}\n", attempt.proof->problem);
  if (is_proved) return text;
  if (attempt.discharged) text += "  the invariant that fits the first steps is not proved for all of them\n";
  if (!attempt.unfinished.empty()) text += fmt::format("  {}\n", attempt.unfinished);
  return attempt.wrong ? text + text_of(*attempt.wrong) : text;
}

}  // namespace

Result<ExitCode> prove_formula(const ProveCommand& command) {
  const PeerRule rule = *rule_of(command.subject);
  if (command.subject.ranks) return prove_bounded(command, rule);
  const Solvers solvers = solvers_there(command.solvers);
  if (!solvers.note.empty()) warn(solvers.note);
  const PeerAttempt attempt = attempt_peers(rule, solvers.there);
  const PeerProof& proof = *attempt.proof;
  const std::string family = proof.family ? fmt::format("{}, {}", name(*proof.family), attempt.domain) : "of no family";
  std::string text =
      fmt::format("peer {} ({})\n", command.subject.peer->text(), family) + text_of(attempt, command.full);
  switch (attempt.verdict) {
    case Verdict::pass:
      if (!command.coq_folder.empty()) text += TRY(emit_coq(rule, proof, command.coq_folder));
      text += fmt::format(
          "proved   for {} for which the formula is defined; trusted: {} for the arithmetic, Coq's kernel for the "
          "rest\n",
          attempt.domain, names_of(solvers.there));
      break;
    case Verdict::fail: text += fmt::format("fails    not for {}\n", attempt.domain); break;
    case Verdict::unknown: text += "unknown\n"; break;
  }
  if (attempt.verdict != Verdict::pass && !command.coq_folder.empty())
    warn("--emit-coq: no file is written, since there is no proof");
  return after_output(exit_code(attempt.verdict), print(painted(text)));
}

}  // namespace onceover::cli
