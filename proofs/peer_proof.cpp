// What the steps before s reach is an interval lo .. hi of offsets (reflections, shifts), or all numbers of s bits
// (xor).
//
// Example: f(s) = rho(s) = 1, -1, 3, .. reflected: 0..0, then 0..1 (1 = 2 hi + 1), then -2..1 (-1 = 2 lo - 1), then
// -2..5. The values for s = 0, 1, .. give lo and hi as (a 2^s + b s + c) / 3, for even and for odd s; the solver shows
// that they hold for all s.

#include "proofs/peer_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "schedules/numbers.h"

namespace onceover::proofs {

namespace {

using Kind = Formula::Kind;
using Number = std::int64_t;

constexpr int observed_steps = 40;

/// Values beyond this are none that f(s) has in the first steps.
constexpr Number most_observed = Number{1} << 45;

/// Sentences are no longer than formulas may be.
constexpr std::size_t longest_sentence = 4000;

/// The formula as a tree, and its patterns.
class Pattern {
 public:
  explicit Pattern(const Formula& formula) : nodes_(formula.nodes()), root_(static_cast<int>(nodes_.size()) - 1) {}

  struct Match {
    PeerFamily family;
    int step_part;  // the node of f(s)
    bool subtracted;
  };

  std::optional<Match> match() const {
    const Formula::Node& root = node(root_);
    if (root.kind == Kind::choose) return reflection(root);
    if (root.kind == Kind::exclusive_or)
      for (const std::size_t side : {0, 1})
        if (is_rank(root.operand[side]) && depends_on_step_only(root.operand[1 - side]))
          return Match{PeerFamily::exclusive_or, root.operand[1 - side], false};
    if (auto shift = rank_plus(root_)) return Match{PeerFamily::shift, shift->step_part, shift->subtracted};
    return std::nullopt;
  }

  /// The node as a sentence's text, with the variables of a step: s, parity, pw = 2^s and rho, followed by `suffix`.
  /// Nothing if it has functions that these don't express.
  std::optional<std::string> text(int n, std::string_view suffix) const {
    const Formula::Node& here = node(n);
    auto operand = [&](std::size_t k) { return text(here.operand[k], suffix); };
    auto joined = [&](std::string_view between) -> std::optional<std::string> {
      const auto a = operand(0), b = operand(1);
      return a && b ? std::optional(fmt::format("({} {} {})", *a, between, *b)) : std::nullopt;
    };
    auto called = [&](std::string_view function) -> std::optional<std::string> {
      const auto a = operand(0);
      return a ? std::optional(fmt::format("{}({})", function, *a)) : std::nullopt;
    };
    switch (here.kind) {
      case Kind::number:
        return fmt::format("{}", here.value);
      case Kind::variable:
        return here.value == step ? std::optional(fmt::format("s{}", suffix)) : std::nullopt;
      case Kind::negate:
        return called("-");
      case Kind::logical_not:
        return called("not ");
      case Kind::add:
        return joined("+");
      case Kind::subtract:
        return joined("-");
      case Kind::multiply:
        return joined("*");
      case Kind::equal:
        return joined("==");
      case Kind::unequal:
        return joined("!=");
      case Kind::less:
        return joined("<");
      case Kind::less_equal:
        return joined("<=");
      case Kind::greater:
        return joined(">");
      case Kind::greater_equal:
        return joined(">=");
      case Kind::logical_and:
        return joined("and");
      case Kind::logical_or:
        return joined("or");
      case Kind::absolute:
        return called("abs");
      case Kind::choose: {
        const auto c = operand(0), a = operand(1), b = operand(2);
        return c && a && b ? std::optional(fmt::format("({} ? {} : {})", *c, *a, *b)) : std::nullopt;
      }
      case Kind::even:
      case Kind::odd:
        if (!is_step(here.operand[0])) return std::nullopt;
        return fmt::format("(parity{} == {})", suffix, here.kind == Kind::even ? 0 : 1);
      case Kind::rho:
        return is_step(here.operand[0]) ? std::optional(fmt::format("rho{}", suffix)) : std::nullopt;
      case Kind::delta:
        return is_step(here.operand[0]) ? std::optional(fmt::format("abs(rho{})", suffix)) : std::nullopt;
      case Kind::pow2:
        return power_of_two(here.operand[0], suffix);
      case Kind::shift_left:
        return is_number(here.operand[0], 1) ? power_of_two(here.operand[1], suffix) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  static constexpr Number rank = 0, step = 1;  // in peer_variables()

  struct Shift {
    int step_part;
    bool subtracted;
  };

  const Formula::Node& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  bool is_rank(int n) const { return node(n).kind == Kind::variable && node(n).value == rank; }
  bool is_step(int n) const { return node(n).kind == Kind::variable && node(n).value == step; }
  bool is_number(int n, Number value) const { return node(n).kind == Kind::number && node(n).value == value; }

  bool depends_on_step_only(int n) const {
    const Formula::Node& here = node(n);
    if (here.kind == Kind::variable) return here.value == step;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Formula::operand_count(here.kind)); ++k)
      if (!depends_on_step_only(here.operand[k])) return false;
    return true;
  }

  bool same(int a, int b) const {
    const Formula::Node &x = node(a), &y = node(b);
    if (x.kind != y.kind || x.value != y.value) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Formula::operand_count(x.kind)); ++k)
      if (!same(x.operand[k], y.operand[k])) return false;
    return true;
  }

  std::optional<Shift> rank_plus(int n) const {
    const Formula::Node& here = node(n);
    if (here.kind != Kind::add && here.kind != Kind::subtract) return std::nullopt;
    if (is_rank(here.operand[0]) && depends_on_step_only(here.operand[1]))
      return Shift{here.operand[1], here.kind == Kind::subtract};
    if (here.kind == Kind::add && is_rank(here.operand[1]) && depends_on_step_only(here.operand[0]))
      return Shift{here.operand[0], false};
    return std::nullopt;
  }

  /// 1: true for even ranks, 0: for odd ones; nothing: something else.
  std::optional<bool> asks_even(int n) const {
    const Formula::Node& here = node(n);
    if ((here.kind == Kind::even || here.kind == Kind::odd) && is_rank(here.operand[0])) return here.kind == Kind::even;
    const bool is_rest = here.kind == Kind::equal && node(here.operand[0]).kind == Kind::modulo &&
                         is_rank(node(here.operand[0]).operand[0]) && is_number(node(here.operand[0]).operand[1], 2);
    if (is_rest && is_number(here.operand[1], 0)) return true;
    if (is_rest && is_number(here.operand[1], 1)) return false;
    return std::nullopt;
  }

  std::optional<Match> reflection(const Formula::Node& root) const {
    const auto asked = asks_even(root.operand[0]);
    const auto a = rank_plus(root.operand[1]), b = rank_plus(root.operand[2]);
    if (!asked || !a || !b || a->subtracted == b->subtracted || !same(a->step_part, b->step_part)) return std::nullopt;
    return Match{PeerFamily::reflection, a->step_part, *asked ? a->subtracted : b->subtracted};
  }

  /// 2^s or 2^(s + k) for a small k.
  std::optional<std::string> power_of_two(int exponent, std::string_view suffix) const {
    if (is_step(exponent)) return fmt::format("pw{}", suffix);
    const Formula::Node& here = node(exponent);
    if (here.kind != Kind::add) return std::nullopt;
    for (const std::size_t side : {0, 1}) {
      const Formula::Node& k = node(here.operand[1 - side]);
      if (is_step(here.operand[side]) && k.kind == Kind::number && k.value >= 0 && k.value <= 20)
        return fmt::format("({}*pw{})", Number{1} << k.value, suffix);
    }
    return std::nullopt;
  }

  std::span<const Formula::Node> nodes_;
  int root_;
};

/// Coefficients of 3 x(s) = a 2^s + b s + c, for even and for odd s.
struct Fit {
  std::array<std::array<Number, 3>, 2> of_parity;

  std::string text(std::string_view suffix) const {
    const std::array names{fmt::format("*pw{}", suffix), fmt::format("*s{}", suffix), std::string()};
    auto part = [&](const std::array<Number, 3>& k) {
      std::string sum;
      for (std::size_t n = 0; n < 3; ++n)
        if (k[n] != 0) sum += fmt::format("{}{}{}", sum.empty() ? "" : " + ", k[n], names[n]);
      return sum.empty() ? "0" : sum;
    };
    if (of_parity[0] == of_parity[1]) return fmt::format("({})", part(of_parity[0]));
    return fmt::format("(parity{} == 0 ? {} : {})", suffix, part(of_parity[0]), part(of_parity[1]));
  }

  Number at(int s) const {
    const auto& k = of_parity[static_cast<std::size_t>(s % 2)];
    return k[0] * (Number{1} << s) + k[1] * s + k[2];
  }
};

/// The fit through x(0), x(1), .., if there is one with whole numbers that all of them meet.
std::optional<Fit> fit_of(const std::vector<Number>& x) {
  Fit fit{};
  for (const int first : {0, 1}) {
    // With s = first, first + 2, first + 4 the powers are w, 4w, 16w: second differences leave 9 a w.
    // Where no whole numbers fit, quotients are cut off, and what comes of them is not x.
    const auto s = static_cast<std::size_t>(first);
    const Number w = Number{1} << first;
    const Number y0 = 3 * x[s], y1 = 3 * x[s + 2], y2 = 3 * x[s + 4];
    const Number second = y2 - 2 * y1 + y0;
    const Number a = second / (9 * w);
    const Number b = (y1 - y0 - 3 * a * w) / 2;
    fit.of_parity[s] = {a, b, y0 - a * w - b * first};
  }
  for (std::size_t s = 0; s < x.size(); ++s)
    if (fit.at(static_cast<int>(s)) != 3 * x[s]) return std::nullopt;
  return fit;
}

/// What f(s) is for the first steps.
std::vector<Number> observed(const Formula& formula, bool subtracted) {
  std::vector<Number> values;
  for (Number s = 0; s < observed_steps; ++s) {
    const std::array<Number, 3> variables{0, s, Number{1} << 61};
    const auto value = formula.evaluate(variables);
    if (!value || *value > most_observed || *value < -most_observed) break;
    values.push_back(subtracted ? -*value : *value);
  }
  return values;
}

struct Intervals {
  std::vector<Number> lo{0};
  std::vector<Number> hi{0};
  std::string problem = {};
};

/// How the interval grows with values of +-f(s), as the family has it, as far as it does.
Intervals grow(PeerFamily family, const std::vector<Number>& signed_f) {
  Intervals grown;
  for (std::size_t s = 0; s < signed_f.size(); ++s) {
    const Number f = signed_f[s], lo = grown.lo.back(), hi = grown.hi.back();
    const bool grows =
        family == PeerFamily::reflection ? f == 2 * hi + 1 || f == 2 * lo - 1 : f != 0 && std::abs(f) <= hi - lo + 1;
    if (!grows) {
      grown.problem =
          family == PeerFamily::reflection
              ? fmt::format("at step {} f is {}; the offsets reached so far are {} .. {}, so f should be {} or {}", s,
                            f, lo, hi, 2 * hi + 1, 2 * lo - 1)
              : fmt::format(
                    "at step {} f is {}; the offsets reached so far are {} .. {}, so f should be at most {} in size, "
                    "and not 0",
                    s, f, lo, hi, hi - lo + 1);
      return grown;
    }
    grown.lo.push_back(std::min(lo, family == PeerFamily::reflection ? f - hi : lo + f));
    grown.hi.push_back(std::max(hi, family == PeerFamily::reflection ? f - lo : hi + f));
  }
  return grown;
}

/// Writes the theorem of one formula.
class ProofWriter {
 public:
  explicit ProofWriter(const PeerRule& rule)
      : rule_(rule), pattern_(rule.peer), proof_(std::make_unique<PeerProof>()) {}

  /// The theorem, or why there is none.
  std::unique_ptr<PeerProof> write() {
    auto proof = attempt();
    const auto is_long = [](const std::string& text) { return text.size() > longest_sentence; };
    if (!proof->theorem || std::none_of(proof->texts.begin(), proof->texts.end(), is_long)) return proof;
    proof->theorem.reset();
    proof->problem = "f(s) or the number of steps is too long";
    return proof;
  }

 private:
  std::unique_ptr<PeerProof> attempt() {
    const auto match = pattern_.match();
    if (!match)
      return fail(
          "it is no reflection (even(r) ? r + f(s) : r - f(s)), no shift (r + f(s)) and no r xor f(s), as it is "
          "written; an f(s) of several terms takes parentheses");
    proof_->family = match->family;
    const auto f = pattern_.text(match->step_part, ""), f2 = pattern_.text(match->step_part, "2");
    if (!f || !f2) return fail("f(s) is no sum of multiples of s, 2^s, rho(s) and delta(s)");
    const std::string sign = match->subtracted ? "-" : "";
    f_ = sign + *f;
    if (match->family == PeerFamily::exclusive_or) return write_exclusive_or(observed(rule_.peer, false));
    return write_interval(match->family, observed(rule_.peer, false));
  }

  std::unique_ptr<PeerProof> fail(std::string why) {
    proof_->problem = std::move(why);
    return std::move(proof_);
  }

  std::string_view keep(std::string text) { return proof_->texts.emplace_back(std::move(text)); }

  /// What ties parity, 2^s and rho(s) together.
  std::vector<std::string_view> step_facts() {
    return {"s >= 0", "pw >= 1", "parity == 0 or parity == 1", "3*rho == (parity == 0 ? 1 + 2*pw : 1 - 2*pw)"};
  }

  static constexpr std::string_view step_names = "s parity pw rho";

  Theorem begin(PeerFamily family, std::string assumes, std::string concludes, std::string argument) {
    const std::string text = rule_.peer.text();
    return {.id = "formula",
            .title = keep(fmt::format("{}, for {}", text, domain(family))),
            .source = "the user's formula",
            .assumes = keep(std::move(assumes)),
            .concludes = keep(std::move(concludes)),
            .argument = keep(std::move(argument)),
            .solver_part = family == PeerFamily::exclusive_or
                               ? "the highest bit of f(s), for all s"
                               : "for all s and p: the offsets that the first s steps reach, and that all steps cover",
            .words_part = family == PeerFamily::exclusive_or
                              ? "that such numbers are independent, and so lead everywhere"
                              : "the induction over s, and that ranks at these offsets are reached",
            .uses = {"covering-peers", "time-reversal"},
            .domain = domain(family),
            .obligations = {}};
  }

  std::unique_ptr<PeerProof> write_exclusive_or(const std::vector<Number>& f) {
    if (rule_.steps) return fail("with xor the number of steps must be log2 p");
    for (std::size_t s = 0; s < f.size(); ++s) {
      const Number power = Number{1} << s;
      if (f[s] < power || f[s] >= 2 * power)
        return fail(fmt::format("at step {} f is {}, whose highest bit is not bit {}", s, f[s], s));
    }
    Theorem theorem = begin(
        PeerFamily::exclusive_or,
        fmt::format("p = 2^a; at step s = 0 .. a-1 rank r sends to r xor f(s), f(s) = {}", f_),
        "every rank reaches every other one; so the reduce-scatter, the allgather and the allreduce are exactly once",
        "The highest bit of f(s) is bit s (highest-bit), so f(0) .. f(a-1) are independent over GF(2) and their "
        "combinations are all numbers below 2^a: r xor one of them is any rank.");
    theorem.obligations.push_back({.name = "highest-bit",
                                   .statement = "2^s <= f(s) < 2^(s+1)",
                                   .source = "independence over GF(2)",
                                   .variables = step_names,
                                   .hypotheses = step_facts(),
                                   .goal = keep(fmt::format("pw <= {} and {} < 2*pw", f_, f_)),
                                   .mutant = {}});
    Obligation& highest_bit = theorem.obligations.back();
    highest_bit.mutant = {highest_bit.goal, keep(fmt::format("pw < {} and {} < 2*pw", f_, f_))};
    proof_->theorem = std::move(theorem);
    return std::move(proof_);
  }

  std::unique_ptr<PeerProof> write_interval(PeerFamily family, const std::vector<Number>& f) {
    const Intervals grown = grow(family, f);
    if (!grown.problem.empty()) return fail(grown.problem);
    if (grown.lo.size() < 12) return fail("f(s) has no value at some early step");
    const auto lo = fit_of(grown.lo), hi = fit_of(grown.hi);
    if (!lo || !hi)
      return fail("what the first steps reach is no multiple of 2^s and s that the tool knows how to write");
    const auto end = ending();
    if (!end) return fail("the number of steps is no expression that the solver knows");
    const bool reflects = family == PeerFamily::reflection;
    Theorem theorem = begin(
        family,
        fmt::format("{}; at step s {}, f(s) = {}; {}", reflects ? "p even" : "any p",
                    reflects ? "an even rank r sends to r + f(s), an odd one to r - f(s), mod p"
                             : "rank r sends to r + f(s) mod p",
                    f_, end->words),
        reflects ? "every rank reaches every other one; so the reduce-scatter, the allgather and the allreduce "
                   "are exactly once for even p, "
                   "and with the last rank apart (odd-ranks) for odd p"
                 : "every rank reaches every other one; so the reduce-scatter, the allgather and the allreduce "
                   "are exactly once",
        fmt::format("Within s steps the offsets lo .. hi are reached, 3 lo = {} and 3 hi = {} with pw = 2^s "
                    "(begin, grows). With all steps they "
                    "are p integers or more, so all residues (covers).{}",
                    lo->text(""), hi->text(""),
                    reflects ? " f(s) is odd, so peers have the other parity and mirrored offsets (odd): any even "
                               "number of ranks is paired, and of an odd one the last rank is apart."
                             : " To pair p-1 and p+1 ranks both, f(s) would have to be even and odd "
                               "(not-apart): so all p ranks run the formula."));
    if (reflects) theorem.uses.push_back("odd-ranks");
    const std::string interval = fmt::format("3*lo == {} and 3*hi == {}", lo->text(""), hi->text(""));
    const std::string interval2 = fmt::format("3*lo2 == {} and 3*hi2 == {}", lo->text("2"), hi->text("2"));
    const std::string f_is = fmt::format("f == {}", f_);
    auto facts = step_facts();
    facts.push_back(keep(interval));

    theorem.obligations.push_back({.name = "begin",
                                   .statement = "without a step a rank reaches itself",
                                   .source = "induction over s",
                                   .variables = "s parity pw rho lo hi",
                                   .hypotheses = {"s == 0", "parity == 0", "pw == 1", "rho == 1", "lo == 0", "hi == 0"},
                                   .goal = keep(interval),
                                   .mutant = {"hi == 0", "hi == 1"}});
    const std::string lo2 = reflects ? "lo2 == min(lo, f - hi)" : "lo2 == min(lo, lo + f)";
    const std::string hi2 = reflects ? "hi2 == max(hi, f - lo)" : "hi2 == max(hi, hi + f)";
    auto next = facts;
    for (const std::string& fact : {f_is, lo2, hi2}) next.push_back(keep(fact));
    for (const std::string_view fact : {"s2 == s + 1", "pw2 == 2*pw", "parity2 == 1 - parity"}) next.push_back(fact);
    const std::string beside = reflects ? "(f == 2*hi + 1 or f == 2*lo - 1)" : "f != 0 and abs(f) <= hi - lo + 1";
    theorem.obligations.push_back(
        {.name = "grows",
         .statement = "a step joins the interval and its image, which are side by side or overlap",
         .source = "induction over s",
         .variables = "s parity pw rho lo hi f s2 parity2 pw2 lo2 hi2",
         .hypotheses = next,
         .goal = keep(fmt::format("{} and {}", beside, interval2)),
         .mutant = {next[next.size() - 4], keep(hi2 + " + 1")}});
    if (reflects) {
      auto with_f = facts;
      with_f.push_back(keep(f_is));
      theorem.obligations.push_back({.name = "odd",
                                     .statement = "f(s) is odd",
                                     .source = "lemma A.1",
                                     .variables = "s parity pw rho lo hi f",
                                     .hypotheses = with_f,
                                     .goal = "f mod 2 == 1",
                                     .mutant = {"f mod 2 == 1", "f mod 2 == 0"}});
    }
    if (!reflects)
      theorem.obligations.push_back({.name = "not-apart",
                                     .statement = "f(s) isn't half of both p-1 = 2h and p+1, but for multiples of them",
                                     .source = "not in the papers",
                                     .variables = "f h u v",
                                     .hypotheses = {"f == h + 2*u"},
                                     .goal = "f != h + 1 + 2*v",
                                     .mutant = {"f != h + 1 + 2*v", "f != h + 2*v"}});
    auto at_end = facts;
    for (const std::string_view fact : {"p >= 1", "d - lo == m + t", "0 <= t and t < p", "e == lo + t"})
      at_end.push_back(fact);
    at_end.push_back(keep(end->hypothesis));
    theorem.obligations.push_back({.name = "covers",
                                   .statement = "with all steps every residue is an offset that is reached",
                                   .source = "appendix A.2 (ii) of the Swing paper, for an interval",
                                   .variables = "s parity pw rho lo hi p d m t e",
                                   .hypotheses = at_end,
                                   .goal = "lo <= e and e <= hi and d - e == m",
                                   .mutant = {"0 <= t and t < p", "0 <= t and t <= 2*p"}});
    if (rule_.steps)
      theorem.obligations.push_back({.name = "steps-defined",
                                     .statement = "there is a number of steps for every p",
                                     .source = "the user's formula",
                                     .variables = "p",
                                     .hypotheses = {"p >= 1"},
                                     .goal = keep(fmt::format("({}) >= 0", rule_.steps->text())),
                                     .mutant = {}});
    if (rule_.steps) {
      Obligation& defined = theorem.obligations.back();
      defined.mutant = {defined.goal, keep(fmt::format("({}) < 0", rule_.steps->text()))};
    }
    proof_->theorem = std::move(theorem);
    return std::move(proof_);
  }

  struct Ending {
    std::string words;
    std::string hypothesis;
  };

  /// What holds of s after the last step.
  std::optional<Ending> ending() {
    if (!rule_.steps) return Ending{"ceil(log2 p) steps", "p <= pw"};
    for (const Formula::Node& node : rule_.steps->nodes())
      if (node.kind == Kind::log2 || node.kind == Kind::divide || node.kind == Kind::modulo ||
          node.kind == Kind::pow2 || node.kind == Kind::shift_left || node.kind == Kind::shift_right ||
          node.kind == Kind::exclusive_or || node.kind == Kind::rho || node.kind == Kind::delta)
        return std::nullopt;
    return Ending{fmt::format("{} steps", rule_.steps->text()), fmt::format("s == ({})", rule_.steps->text())};
  }

  const PeerRule& rule_;
  Pattern pattern_;
  std::unique_ptr<PeerProof> proof_;
  std::string f_;
};

}  // namespace

std::string_view name(PeerFamily family) {
  switch (family) {
    case PeerFamily::reflection:
      return "reflection";
    case PeerFamily::shift:
      return "shift";
    case PeerFamily::exclusive_or:
      return "xor";
  }
  return "";
}

std::string_view domain(PeerFamily family) {
  switch (family) {
    case PeerFamily::reflection:
    case PeerFamily::shift:
      return "every p";
    case PeerFamily::exclusive_or:
      return "p = 2^a";
  }
  return "";
}

std::unique_ptr<PeerProof> prove_peers(const PeerRule& rule) {
  return ProofWriter(rule).write();
}

}  // namespace onceover::proofs
