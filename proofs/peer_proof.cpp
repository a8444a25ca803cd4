// Writes the theorem of one formula. A reflection or a shift reaches an interval of offsets in its first s steps;
// peer_family.h guesses the ends of it. The obligations are the induction over s: a step's interval and its image have
// no gap between them and make the next one (begin, grows), and the last is so long that its offsets are all residues
// mod p (covers). For r xor f(s) it is enough that bit s is the highest of f(s).
//
// Example: r + pow2(s) reaches 0 .. 2^s - 1, written 3*lo == (0) and 3*hi == (3*pw + -3). `grows` asks that f = pw is
// at most hi - lo + 1, which it is.
//
// From these sentences to schedules is a theorem of coq/Families.v for each family. Its hypotheses are the sentences,
// word for word: coq_writer.h writes a file in which Coq compares them.
//
// A wrong guess makes no wrong theorem: the solver doesn't confirm its obligations, and the formula counts as not
// proved. Sentences made here are kept as texts beside the theorem, for theorems only refer to texts. At most five
// obligations, each as long as a few copies of the formula: O(nodes) besides their text.

#include "proofs/peer_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "proofs/theorem.h"

namespace onceover::proofs {

namespace {

using Kind = Formula::Kind;

/// Sentences are no longer than formulas may be.
constexpr std::size_t longest_sentence = 4000;

constexpr std::string_view step_names = "s parity pw rho";

/// What ties parity, 2^s and rho(s) together.
Sentences step_facts() {
  return {"s >= 0", "pw >= 1", "parity == 0 or parity == 1", "3*rho == (parity == 0 ? 1 + 2*pw : 1 - 2*pw)"};
}

/// Can a solver's sentence have this number of steps?
bool is_expressible(const Formula& steps) {
  return std::none_of(steps.nodes().begin(), steps.nodes().end(), [](const Formula::Node& node) {
    return node.kind == Kind::log2 || node.kind == Kind::log2_up || node.kind == Kind::divide ||
           node.kind == Kind::divide_up || node.kind == Kind::modulo || node.kind == Kind::pow2 ||
           node.kind == Kind::shift_left || node.kind == Kind::shift_right || node.kind == Kind::exclusive_or ||
           node.kind == Kind::rho || node.kind == Kind::delta;
  });
}

class ProofWriter {
 public:
  explicit ProofWriter(const PeerRule& rule) : rule_(rule), proof_(std::make_unique<PeerProof>()) {}

  /// The theorem, or why there is none.
  std::unique_ptr<PeerProof> write() {
    attempt();
    const auto is_long = [](const std::string& text) { return text.size() > longest_sentence; };
    if (proof_->theorem && std::any_of(proof_->texts.begin(), proof_->texts.end(), is_long)) {
      proof_->theorem.reset();
      fail(fmt::format("f(s) or the number of steps is too long: a sentence for the solver has at most {} characters",
                       longest_sentence));
    }
    return std::move(proof_);
  }

 private:
  void attempt() {
    const auto form = family_form(rule_.peer);
    if (!form)
      return fail(
          "as written, the formula is not a reflection (even(r) ? r + f(s) : r - f(s)), a shift (r + f(s)) or r xor "
          "f(s); "
          "put an f(s) of several terms in parentheses");
    proof_->family = family_ = form->family;
    if (!form->f) return fail("f(s) is not a sum of multiples of s, 2^s, rho(s) and delta(s)");
    proof_->f = f_ = *form->f;
    auto offsets = first_offsets(rule_.peer);
    if (family_ == PeerFamily::exclusive_or) return write_exclusive_or(offsets);
    if (reflects() && is_mixed(offsets)) return write_mixed();
    add_even_number(offsets);
    write_interval(offsets);
  }

  static bool is_odd(std::int64_t x) { return x % 2 != 0; }

  /// f(0) is odd, and all others are 2^s or -2^s.
  static bool is_mixed(const std::vector<std::int64_t>& f) {
    if (f.size() < 2 || !is_odd(f[0])) return false;
    for (std::size_t s = 1; s < f.size(); ++s)
      if (std::abs(f[s]) != std::int64_t{1} << s) return false;
    return true;
  }

  /// If f(s) less one even number is a reflection's, this number is taken off f_.
  void add_even_number(std::vector<std::int64_t>& f) {
    if (!reflects() || f.empty() || reach_of(family_, f)) return;
    for (const std::int64_t first : {1, -1}) {
      const std::int64_t added = f[0] - first;
      std::vector<std::int64_t> others = f;
      for (std::int64_t& each : others) each -= added;
      if (is_odd(added) || !reach_of(family_, others)) continue;
      f = std::move(others);
      proof_->added = added;
      proof_->f = f_ = fmt::format("({} - ({}))", f_, added);
      return;
    }
  }

  void fail(std::string why) { proof_->problem = std::move(why); }

  std::string_view keep(std::string text) { return proof_->texts.emplace_back(std::move(text)); }

  bool reflects() const { return family_ == PeerFamily::reflection; }

  Theorem begin(std::string assumes, std::string concludes, std::string argument) {
    return {.id = "formula",
            .title = keep(fmt::format("{}, for {}", rule_.peer.text(), domain(family_, rule_))),
            .source = "the user's formula",
            .assumes = keep(std::move(assumes)),
            .concludes = keep(std::move(concludes)),
            .argument = keep(std::move(argument)),
            .solver_part = solver_part(),
            .kernel_part = keep(
                fmt::format("From these sentences to schedules: {} of proofs/coq/Families.v", family_theorem(*proof_))),
            .domain = domain(family_, rule_),
            .obligations = {}};
  }

  std::string_view solver_part() const {
    switch (family_) {
      case PeerFamily::reflection:
      case PeerFamily::shift:
        return "For all s, the first s steps reach an interval of offsets. For all p, all steps together cover every "
               "residue";
      case PeerFamily::mixed: return "f(0) is odd, and for all other s, f(s) is 2^s or -2^s";
      case PeerFamily::exclusive_or: return "For all s, the highest bit of f(s) is bit s";
    }
    return "";
  }

  void write_exclusive_or(const std::vector<std::int64_t>& f) {
    if (rule_.steps) return fail("r xor f(s) has a proof for log2 p steps only; leave out --peer-steps");
    for (std::size_t s = 0; s < f.size(); ++s) {
      const std::int64_t power = std::int64_t{1} << s;
      if (f[s] < power || f[s] >= 2 * power)
        return fail(fmt::format("at step {} f is {}; its highest bit should be bit {}", s, f[s], s));
    }
    Theorem theorem = begin(
        fmt::format("p = 2^a. At step s = 0 .. a-1 rank r sends to rank r xor f(s), where f(s) = {}.", f_),
        "Every rank reaches every other rank. So the reduce-scatter, the allgather and the allreduce are exactly once.",
        "The highest bit of f(s) is bit s (highest-bit), so f(0) .. f(a-1) are independent over GF(2). Their "
        "combinations are all numbers below 2^a, and r xor one of them is any rank.");
    const std::string_view goal = keep(fmt::format("pw <= {} and {} < 2*pw", f_, f_));
    theorem.obligations.push_back({.name = "highest-bit",
                                   .statement = "2^s <= f(s) < 2^(s+1)",
                                   .source = "independence over GF(2)",
                                   .variables = step_names,
                                   .hypotheses = step_facts(),
                                   .goal = goal,
                                   .mutant = {goal, keep(fmt::format("pw < {} and {} < 2*pw", f_, f_))}});
    proof_->theorem = std::move(theorem);
  }

  void write_mixed() {
    if (rule_.steps) return fail("a mixed reflection has a proof for ceil(log2 p) steps only; leave out --peer-steps");
    proof_->family = family_ = PeerFamily::mixed;
    Theorem theorem = begin(
        fmt::format("p is even. At step s an even rank r sends to rank r + f(s) mod p, and an odd rank r to rank "
                    "r - f(s) mod p, where f(s) = {}. There are ceil(log2 p) steps.",
                    f_),
        "Every rank reaches every other rank. So the reduce-scatter, the allgather and the allreduce are exactly once "
        "for even p.",
        "f(0) is odd (meets), so even and odd ranks exchange in the first step. All others are 2^s or -2^s (doubles), "
        "whose sums are all even numbers mod p: even ranks then reach all even ranks, and odd ones all odd ones.");
    const std::string_view meets = keep(fmt::format("({}) mod 2 == 1", f_));
    theorem.obligations.push_back(
        {.name = "meets",
         .statement = "f(0) is odd",
         .source = "even and odd ranks exchange once",
         .variables = step_names,
         .hypotheses = step_facts() + Sentences{"s == 0", "parity == 0", "pw == 1", "rho == 1"},
         .goal = meets,
         .mutant = {meets, keep(fmt::format("({}) mod 2 == 0", f_))}});
    const std::string_view doubles = keep(fmt::format("({0}) == pw or ({0}) == -pw", f_));
    theorem.obligations.push_back({.name = "doubles",
                                   .statement = "from the second step on, f(s) is 2^s or -2^s",
                                   .source = "sums of powers of two",
                                   .variables = step_names,
                                   .hypotheses = step_facts() + Sentences{"s >= 1"},
                                   .goal = doubles,
                                   .mutant = {doubles, keep(fmt::format("({}) == 2*pw", f_))}});
    proof_->theorem = std::move(theorem);
  }

  void write_interval(const std::vector<std::int64_t>& f) {
    const auto reach = reach_of(family_, f);
    if (!reach) return fail(reach.error());
    proof_->reach = *reach;
    if (rule_.steps && !is_expressible(*rule_.steps))
      return fail(
          "the number of steps uses what the solver does not know: log2, pow2, rho, delta, division, mod, a shift or "
          "xor");
    Theorem theorem = begin(interval_assumes(), interval_concludes(), interval_argument(*reach));
    const std::string_view interval =
        keep(fmt::format("3*lo == {} and 3*hi == {}", reach->lo.text(""), reach->hi.text("")));
    f_is_ = keep(fmt::format("f == {}", f_));
    const auto facts = step_facts() + Sentences{interval};
    theorem.obligations.push_back(begins(interval));
    theorem.obligations.push_back(grows(*reach, facts));
    if (reflects()) theorem.obligations.push_back(odd(facts));
    theorem.obligations.push_back(covers(facts));
    if (rule_.steps) theorem.obligations.push_back(steps_defined());
    proof_->theorem = std::move(theorem);
  }

  std::string interval_assumes() const {
    const std::string plus = proof_->added == 0
                                 ? "f(s)"
                                 : fmt::format("(f(s) {} {})", proof_->added < 0 ? '-' : '+', std::abs(proof_->added));
    return fmt::format(
        "{}. At step s {}, where f(s) = {}. There are {} steps.", reflects() ? "p is even" : "p is any number",
        reflects()
            ? fmt::format("an even rank r sends to rank r + {0} mod p, and an odd rank r to rank r - {0} mod p", plus)
            : "rank r sends to rank r + f(s) mod p",
        f_, rule_.steps ? rule_.steps->text() : "ceil(log2 p)");
  }

  std::string interval_concludes() const {
    return fmt::format(
        "Every rank reaches every other rank. So the reduce-scatter, the allgather and the allreduce are exactly "
        "once{}.",
        !reflects()        ? ""
        : has_last_apart() ? " for even p, and for odd p with the last rank apart"
                           : " for even p");
  }

  std::string interval_argument(const PeerReach& reach) const {
    return fmt::format(
        "The first s steps reach the offsets lo .. hi, where 3 lo = {}, 3 hi = {} and pw = 2^s (begin, grows). All "
        "steps together reach p integers or more, and so all residues mod p (covers).{}",
        reach.lo.text(""), reach.hi.text(""),
        reflects() ? std::string(proof_->added == 0 ? "" : " An even number added to f(s) only renames odd ranks.") +
                         " f(s) is odd, so a rank's peer has the other parity and mirrored offsets (odd). So any even "
                         "number of ranks is paired" +
                         (has_last_apart() ? "; with an odd number the last rank is apart." : ".")
        : rule_.odd == OddRanks::apart ? " With an odd number the last rank is apart, and the others run the formula."
                                       : "");
  }

  bool has_last_apart() const { return rule_.odd != OddRanks::as_written; }

  static Obligation begins(std::string_view interval) {
    return {.name = "begin",
            .statement = "before the first step a rank reaches itself only",
            .source = "induction over s",
            .variables = "s parity pw rho lo hi",
            .hypotheses = {"s == 0", "parity == 0", "pw == 1", "rho == 1", "lo == 0", "hi == 0"},
            .goal = interval,
            .mutant = {"hi == 0", "hi == 1"}};
  }

  /// The names that end with 2 are those of step s + 1.
  Obligation grows(const PeerReach& reach, const Sentences& facts) {
    const std::string_view lo2 = reflects() ? "lo2 == min(lo, f - hi)" : "lo2 == min(lo, lo + f)";
    const std::string_view hi2 = reflects() ? "hi2 == max(hi, f - lo)" : "hi2 == max(hi, hi + f)";
    const std::string_view beside =
        reflects() ? "(f == 2*hi + 1 or f == 2*lo - 1)" : "(f != 0 and abs(f) <= hi - lo + 1)";
    return {.name = "grows",
            .statement = "a step joins the interval and its image, which adjoin or overlap",
            .source = "induction over s",
            .variables = "s parity pw rho lo hi f s2 parity2 pw2 lo2 hi2",
            .hypotheses = facts + Sentences{f_is_, lo2, hi2, "s2 == s + 1", "pw2 == 2*pw", "parity2 == 1 - parity"},
            .goal = keep(
                fmt::format("{} and (3*lo2 == {} and 3*hi2 == {})", beside, reach.lo.text("2"), reach.hi.text("2"))),
            .mutant = {hi2, keep(fmt::format("{} + 1", hi2))}};
  }

  Obligation odd(const Sentences& facts) const {
    return {.name = "odd",
            .statement = "f(s) is odd",
            .source = "lemma A.1",
            .variables = "s parity pw rho lo hi f",
            .hypotheses = facts + Sentences{f_is_},
            .goal = "f mod 2 == 1",
            .mutant = {"f mod 2 == 1", "f mod 2 == 0"}};
  }

  Obligation covers(const Sentences& facts) {
    const std::string_view end = rule_.steps ? keep(fmt::format("s == ({})", rule_.steps->text())) : "p <= pw";
    return {.name = "covers",
            .statement = "all steps together reach every residue mod p",
            .source = "appendix A.2 (ii) of the Swing paper, for an interval",
            .variables = "s parity pw rho lo hi p d m t e",
            .hypotheses = facts + Sentences{"p >= 1", "d - lo == m + t", "0 <= t and t < p", "e == lo + t", end},
            .goal = "lo <= e and e <= hi and d - e == m",
            .mutant = {"0 <= t and t < p", "0 <= t and t <= 2*p"}};
  }

  Obligation steps_defined() {
    const std::string_view goal = keep(fmt::format("({}) >= 0", rule_.steps->text()));
    return {.name = "steps-defined",
            .statement = "the number of steps is at least 0 for every p",
            .source = "the user's formula",
            .variables = "p",
            .hypotheses = {"p >= 1"},
            .goal = goal,
            .mutant = {goal, keep(fmt::format("({}) < 0", rule_.steps->text()))}};
  }

  const PeerRule& rule_;
  std::unique_ptr<PeerProof> proof_;
  PeerFamily family_ = {};
  std::string f_;
  std::string_view f_is_;  // of the texts
};

}  // namespace

std::string_view family_theorem(const PeerProof& proof) {
  switch (*proof.family) {
    case PeerFamily::reflection: return proof.added == 0 ? "reflection_once" : "moved_reflection_once";
    case PeerFamily::mixed: return "mixed_once";
    case PeerFamily::shift: return "shift_once";
    case PeerFamily::exclusive_or: return "xor_once";
  }
  return "";
}

std::unique_ptr<PeerProof> prove_peers(const PeerRule& rule) {
  return ProofWriter(rule).write();
}

}  // namespace onceover::proofs
