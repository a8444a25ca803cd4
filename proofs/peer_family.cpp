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

#include <span>

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

}  // namespace onceover::proofs
