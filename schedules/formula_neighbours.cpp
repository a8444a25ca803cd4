#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "schedules/formula.h"

namespace onceover::schedules {

namespace {

using Kind = Formula::Kind;
using Variables = std::span<const std::string_view>;

/// How tightly an operator binds: operands of one that binds less tightly need parentheses.
constexpr int loosest = 0, unary = 8, tightest = 9;

/// The first row of the kind; null if there is none.
template <class Rows>
const auto* row_of(const Rows& rows, Kind kind) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.kind == kind; });
  return found == rows.end() ? nullptr : &*found;
}

/// One part of a formula, and what is there instead: a formula, one of its own operands, or another operator.
struct PartChange {
  int node = -1;
  const Formula* by = nullptr;
  int operand = -1;
  Kind kind = Kind::number;
};

/// Writes a formula with one part changed.
class FormulaWriter {
 public:
  FormulaWriter(const Formula& formula, Variables names, const PartChange& change)
      : formula_(formula), names_(names), change_(change) {}

  /// The part at `node`, where an operator around it binds as tightly as `around`.
  std::string text(int node, int around) const {
    const bool is_changed = node == change_.node;
    if (is_changed && change_.by != nullptr) {
      const FormulaWriter other(*change_.by, names_, none);
      return other.text(static_cast<int>(change_.by->nodes().size()) - 1, around);
    }
    Formula::Node n = formula_.nodes()[static_cast<std::size_t>(node)];
    if (is_changed && change_.operand >= 0) return text(n.operand[static_cast<std::size_t>(change_.operand)], around);
    if (is_changed) n.kind = change_.kind;
    const auto [text, binds] = written(n);
    return binds < around ? fmt::format("({})", text) : text;
  }

 private:
  static constexpr PartChange none = {};

  struct Written {
    std::string text;
    int binds;
  };

  Written written(const Formula::Node& n) const {
    const auto operand = [&](int k, int around) { return text(n.operand[static_cast<std::size_t>(k)], around); };
    switch (n.kind) {
      case Kind::number: return {fmt::format("{}", n.value), tightest};
      case Kind::variable: return {std::string(names_[static_cast<std::size_t>(n.value)]), tightest};
      case Kind::negate: return {"-" + operand(0, unary), unary};
      case Kind::logical_not: return {"not " + operand(0, unary), unary};
      case Kind::choose:
        return {fmt::format("{} ? {} : {}", operand(0, 1), operand(1, loosest), operand(2, loosest)), loosest};
      case Kind::divide_up: return {fmt::format("ceil({} / {})", operand(0, 7), operand(1, 8)), tightest};
      case Kind::log2_up: return {fmt::format("ceil(log2({}))", operand(0, loosest)), tightest};
      default: break;
    }
    if (const FormulaOperator* o = row_of(formula_operators, n.kind))
      return {fmt::format("{} {} {}", operand(0, o->binds), o->text, operand(1, o->binds + 1)), o->binds};
    std::vector<std::string> operands;
    for (int k = 0; k < Formula::operand_count(n.kind); ++k) operands.push_back(operand(k, loosest));
    return {fmt::format("{}({})", row_of(formula_functions, n.kind)->name, fmt::join(operands, ", ")), tightest};
  }

  const Formula& formula_;
  Variables names_;
  const PartChange& change_;
};

std::string changed_text(const Formula& formula, Variables names, const PartChange& change) {
  return FormulaWriter(formula, names, change).text(static_cast<int>(formula.nodes().size()) - 1, loosest);
}

std::optional<Formula> parsed(const std::string& text, Variables names) {
  auto made = Formula::parse("formula", text, names);
  if (!made) return std::nullopt;
  return *std::move(made);
}

/// Numbers, variables, functions of these, and operators between two of them.
std::vector<Formula> small_formulas(Variables names) {
  std::vector<std::string> leaves{"1", "2", "3"};
  leaves.insert(leaves.end(), names.begin(), names.end());
  std::vector<std::string> terms = leaves;
  const auto add_functions = [&](const std::string& operand) {
    for (const std::string_view f : {"rho", "delta", "pow2", "log2"})
      terms.push_back(fmt::format("{}({})", f, operand));
  };
  for (const std::string_view name : names) add_functions(std::string(name));
  const std::vector<std::string> simple = terms;
  for (const std::string& a : leaves)
    for (const std::string& b : leaves)
      for (const std::string_view sign : {"+", "-"}) add_functions(fmt::format("{} {} {}", a, sign, b));
  for (const std::string& a : simple) terms.push_back(fmt::format("-{}", a));
  for (const std::string& a : simple)
    for (const std::string& b : simple)
      for (const std::string_view sign : {"+", "-", "*", "/", "mod"})
        terms.push_back(fmt::format("{} {} {}", a, sign, b));
  std::vector<Formula> made;
  for (const std::string& text : terms)
    if (auto formula = parsed(text, names)) made.push_back(*std::move(formula));
  return made;
}

/// The number of nodes in each part.
std::vector<std::size_t> sizes_of(const Formula& formula) {
  std::vector<std::size_t> sizes;
  for (const Formula::Node& n : formula.nodes()) {
    std::size_t size = 1;
    for (int k = 0; k < Formula::operand_count(n.kind); ++k)
      size += sizes[static_cast<std::size_t>(n.operand[static_cast<std::size_t>(k)])];
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace

std::string text_of(const Formula& formula, Variables variables) {
  return changed_text(formula, variables, {});
}

std::vector<Formula> neighbours(const Formula& formula, Variables variables) {
  struct Candidate {
    std::size_t out, in;  // nodes taken out, and put in
    PartChange change;
  };
  const std::vector<Formula> small = small_formulas(variables);
  const std::vector<std::size_t> sizes = sizes_of(formula);
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto node = static_cast<int>(k);
    const Formula::Node& n = formula.nodes()[k];
    for (int o = 0; o < Formula::operand_count(n.kind); ++o) {
      const auto operand = static_cast<std::size_t>(n.operand[static_cast<std::size_t>(o)]);
      candidates.push_back({sizes[k] - sizes[operand], 0, {.node = node, .operand = o}});
    }
    for (const Formula& by : small) candidates.push_back({sizes[k], by.nodes().size(), {.node = node, .by = &by}});
    if (row_of(formula_operators, n.kind) == nullptr) continue;
    for (const FormulaOperator& other : formula_operators)
      if (other.kind != n.kind && row_of(formula_operators, other.kind) == &other)
        candidates.push_back({1, 1, {.node = node, .kind = other.kind}});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.out + a.in, a.in) < std::pair(b.out + b.in, b.in);
  });
  std::vector<Formula> made;
  for (const Candidate& candidate : candidates)
    if (auto text = parsed(changed_text(formula, variables, candidate.change), variables))
      made.push_back(*std::move(text));
  return made;
}

}  // namespace onceover::schedules
