// A formula is compared with the shapes of three families, node by node; nothing is rearranged. What stands in the
// place of f(s) is then written as a sentence for solvers. These know no functions, so parity, 2^s and rho(s) become
// variables.
//
// Example: even(r) ? r - pow2(s + 1) : r + pow2(s + 1) is a reflection, for even and odd ranks move by one f(s) to
// opposite sides; an even one by -(2*pw).
//
// Each look goes from a node to its operands, which stand before it, so it ends. A formula has at most 4096 bytes:
// O(nodes) comparisons, and each node's text is copied once for each node above it.

#include "proofs/peer_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/result.h"
#include "schedules/numbers.h"

namespace onceover::proofs {

namespace {

using Kind = Formula::Kind;
using Number = std::int64_t;

/// The formula as a tree, and its patterns.
class Pattern {
 public:
  explicit Pattern(const Formula& formula) : nodes_(formula.nodes()), root_(static_cast<int>(nodes_.size()) - 1) {}

  std::optional<PeerForm> form() const {
    const Formula::Node& root = node(root_);
    if (root.kind == Kind::choose) return reflection(root);
    if (root.kind == Kind::exclusive_or)
      for (const std::size_t side : {0, 1})
        if (is_rank(root.operand[side]) && depends_on_step_only(root.operand[1 - side]))
          return PeerForm{PeerFamily::exclusive_or, text(root.operand[1 - side])};
    if (const auto offset = rank_plus(root_)) return PeerForm{PeerFamily::shift, text(*offset)};
    return std::nullopt;
  }

 private:
  static constexpr Number rank = 0, step = 1;  // in peer_variables()

  /// What is added to the rank, or subtracted from it.
  struct Offset {
    int step_part;  // the node of f(s)
    bool subtracted;
  };

  std::optional<std::string> text(const Offset& offset) const {
    const auto f = text(offset.step_part);
    return f ? std::optional((offset.subtracted ? "-" : "") + *f) : std::nullopt;
  }

  /// The node as a sentence's text.
  std::optional<std::string> text(int n) const {
    const Formula::Node& here = node(n);
    auto operand = [&](std::size_t k) { return text(here.operand[k]); };
    auto joined = [&](std::string_view between) -> std::optional<std::string> {
      const auto a = operand(0), b = operand(1);
      return a && b ? std::optional(fmt::format("({} {} {})", *a, between, *b)) : std::nullopt;
    };
    auto called = [&](std::string_view function) -> std::optional<std::string> {
      const auto a = operand(0);
      return a ? std::optional(fmt::format("{}({})", function, *a)) : std::nullopt;
    };
    switch (here.kind) {
      case Kind::number: return fmt::format("{}", here.value);
      case Kind::variable: return here.value == step ? std::optional<std::string>("s") : std::nullopt;
      case Kind::negate: return called("-");
      case Kind::logical_not: return called("not ");
      case Kind::add: return joined("+");
      case Kind::subtract: return joined("-");
      case Kind::multiply: return joined("*");
      case Kind::equal: return joined("==");
      case Kind::unequal: return joined("!=");
      case Kind::less: return joined("<");
      case Kind::less_equal: return joined("<=");
      case Kind::greater: return joined(">");
      case Kind::greater_equal: return joined(">=");
      case Kind::logical_and: return joined("and");
      case Kind::logical_or: return joined("or");
      case Kind::absolute: return called("abs");
      case Kind::choose: {
        const auto c = operand(0), a = operand(1), b = operand(2);
        return c && a && b ? std::optional(fmt::format("({} ? {} : {})", *c, *a, *b)) : std::nullopt;
      }
      case Kind::even:
      case Kind::odd:
        if (!is_step(here.operand[0])) return std::nullopt;
        return here.kind == Kind::even ? "(parity == 0)" : "(parity == 1)";
      case Kind::rho: return is_step(here.operand[0]) ? std::optional<std::string>("rho") : std::nullopt;
      case Kind::delta: return is_step(here.operand[0]) ? std::optional<std::string>("abs(rho)") : std::nullopt;
      case Kind::pow2: return power_of_two(here.operand[0]);
      case Kind::shift_left: return is_number(here.operand[0], 1) ? power_of_two(here.operand[1]) : std::nullopt;
      default: return std::nullopt;
    }
  }

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

  std::optional<Offset> rank_plus(int n) const {
    const Formula::Node& here = node(n);
    if (here.kind != Kind::add && here.kind != Kind::subtract) return std::nullopt;
    if (is_rank(here.operand[0]) && depends_on_step_only(here.operand[1]))
      return Offset{here.operand[1], here.kind == Kind::subtract};
    if (here.kind == Kind::add && is_rank(here.operand[1]) && depends_on_step_only(here.operand[0]))
      return Offset{here.operand[0], false};
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

  std::optional<PeerForm> reflection(const Formula::Node& root) const {
    const auto asked = asks_even(root.operand[0]);
    const auto a = rank_plus(root.operand[1]), b = rank_plus(root.operand[2]);
    if (!asked || !a || !b || a->subtracted == b->subtracted || !same(a->step_part, b->step_part)) return std::nullopt;
    return PeerForm{PeerFamily::reflection, text(*asked ? *a : *b)};
  }

  /// 2^s or 2^(s + k) for a small k.
  std::optional<std::string> power_of_two(int exponent) const {
    if (is_step(exponent)) return "pw";
    const Formula::Node& here = node(exponent);
    if (here.kind != Kind::add) return std::nullopt;
    for (const std::size_t side : {0, 1}) {
      const Formula::Node& k = node(here.operand[1 - side]);
      if (is_step(here.operand[side]) && k.kind == Kind::number && k.value >= 0 && k.value <= 20)
        return fmt::format("({}*pw)", Number{1} << k.value);
    }
    return std::nullopt;
  }

  std::span<const Formula::Node> nodes_;
  int root_;
};

}  // namespace

std::string_view name(PeerFamily family) {
  switch (family) {
    case PeerFamily::reflection: return "reflection";
    case PeerFamily::mixed: return "mixed reflection";
    case PeerFamily::shift: return "shift";
    case PeerFamily::exclusive_or: return "xor";
  }
  return "";
}

std::string_view domain(PeerFamily family, const PeerRule& rule) {
  switch (family) {
    case PeerFamily::reflection: return rule.odd == OddRanks::as_written ? "even p" : "every p";
    case PeerFamily::shift: return "every p";
    case PeerFamily::mixed: return "even p";
    case PeerFamily::exclusive_or: return "p = 2^a";
  }
  return "";
}

bool is_in_domain(PeerFamily family, const PeerRule& rule, Rank p) {
  switch (family) {
    case PeerFamily::reflection: return p % 2 == 0 || rule.odd != OddRanks::as_written;
    case PeerFamily::shift: return true;
    case PeerFamily::mixed: return p % 2 == 0;
    case PeerFamily::exclusive_or: return is_power_of_two(p);
  }
  return false;
}

std::optional<PeerForm> family_form(const Formula& peer) {
  return Pattern(peer).form();
}

// What the steps before s reach is an interval lo .. hi of offsets. A step joins it with its image: in a reflection
// offset d becomes f(s) - d, in a shift d + f(s). In a reflection the two must be side by side; in a shift they may
// overlap, too. So no gap is left.
//
// Example: f(s) = rho(s) = 1, -1, 3, .. reflected: 0..0, then 0..1 (1 = 2 hi + 1), then -2..1 (-1 = 2 lo - 1), then
// -2..5. The values for s = 0, 1, .. give lo and hi as (a 2^s + b s + c) / 3, for even and for odd s; the solver shows
// that they hold for all s.
//
// For even s and for odd s, three values determine a, b and c; the others only confirm them. It ends after 40 steps at
// most. In each the interval at most doubles, so no sum overflows.

namespace {

constexpr int observed_steps = 40;

/// Values beyond this are none that f(s) has in the first steps.
constexpr Number most_observed = Number{1} << 45;

/// Fewer values say too little.
constexpr std::size_t least_observed = 12;

/// The fit through x(0), x(1), .., if there is one with whole numbers that all of them meet.
std::optional<StepFit> fit_of(const std::vector<Number>& x) {
  StepFit fit{};
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

struct Intervals {
  std::vector<Number> lo{0};
  std::vector<Number> hi{0};
};

/// How the interval grows with the offsets, or at which step it doesn't.
tl::expected<Intervals, std::string> grow(PeerFamily family, const std::vector<Number>& offsets) {
  Intervals grown;
  for (std::size_t s = 0; s < offsets.size(); ++s) {
    const Number f = offsets[s], lo = grown.lo.back(), hi = grown.hi.back();
    const bool reflects = family == PeerFamily::reflection;
    if (reflects && f != 2 * hi + 1 && f != 2 * lo - 1)
      return tl::unexpected(
          fmt::format("at step {} f is {}; the offsets reached so far are {} .. {}, so f should be {} or {}", s, f, lo,
                      hi, 2 * hi + 1, 2 * lo - 1));
    if (!reflects && (f == 0 || std::abs(f) > hi - lo + 1))
      return tl::unexpected(fmt::format(
          "at step {} f is {}; the offsets reached so far are {} .. {}, so f should be at most {} in size, and not 0",
          s, f, lo, hi, hi - lo + 1));
    grown.lo.push_back(std::min(lo, reflects ? f - hi : lo + f));
    grown.hi.push_back(std::max(hi, reflects ? f - lo : hi + f));
  }
  return grown;
}

}  // namespace

std::string StepFit::text(std::string_view suffix) const {
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

std::int64_t StepFit::at(int s) const {
  const auto& k = of_parity[static_cast<std::size_t>(s % 2)];
  return k[0] * (Number{1} << s) + k[1] * s + k[2];
}

std::vector<std::int64_t> first_offsets(const Formula& peer) {
  std::vector<Number> values;
  for (Number s = 0; s < observed_steps; ++s) {
    const std::array<Number, 3> of_rank_0{0, s, Number{1} << 61};
    const auto value = peer.evaluate(of_rank_0);
    if (!value || *value > most_observed || *value < -most_observed) break;
    values.push_back(*value);
  }
  return values;
}

tl::expected<PeerReach, std::string> reach_of(PeerFamily family, const std::vector<std::int64_t>& offsets) {
  const auto grown = TRY(grow(family, offsets));
  if (grown.lo.size() < least_observed) return tl::unexpected(std::string("f(s) has no value at some early step"));
  const auto lo = fit_of(grown.lo), hi = fit_of(grown.hi);
  if (!lo || !hi)
    return tl::unexpected(
        std::string("the ends of the interval that s steps reach are not (a 2^s + b s + c) / 3 with whole a, b and c"));
  return PeerReach{*lo, *hi};
}

}  // namespace onceover::proofs
