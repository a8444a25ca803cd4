// Formulas over whole numbers, such as the peer of rank r at step s among p ranks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"

namespace onceover::schedules {

/// A formula as a syntax tree, evaluated with 64-bit whole numbers and checked for overflow.
///
/// From loosest to tightest: c ? a : b, or (||), and (&&), comparisons (== != < <= > >=, giving 0 or 1), xor, shifts
/// (<< >>), + and -, * / and mod (%), then -x and not x (!x); parentheses; calls rho(s), delta(s), even(x), odd(x),
/// log2(x), pow2(x), abs(x), min(a, b), max(a, b), floor(x), ceil(x).
///
/// x / y rounds down and x mod y is in 0 .. y-1; both need y > 0. log2 rounds down. rho and delta are Swing's: rho(s) =
/// (1 - (-2)^(s+1)) / 3 and delta(s) = |rho(s)|. In c ? a : b, only the side that is chosen must have a value.
///
/// The operand of floor and ceil is a division or a log2, as in ceil(p / 2) or ceil(log2(p)), or contains neither and
/// is whole anyway. Any other operand is refused, because its divisions have been rounded down.
///
/// A formula over fractions has the same operators and functions, and decimals: 1.2 is 12 / 10. Its caller evaluates
/// it. There / is exact, and floor and ceil round any operand.
///
/// Invariant: every node comes after its operands; the last node is the root.
class Formula {
 public:
  enum class Kind {
    number,    // value
    variable,  // value: its position in the list of names
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    exclusive_or,
    shift_left,
    shift_right,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    choose,  // operands: condition, then, else
    rho,
    delta,
    even,
    odd,
    log2,
    pow2,
    absolute,
    minimum,
    maximum,
    floor,      // over fractions only
    ceil,       // over fractions only
    divide_up,  // ceil(a / b), over whole numbers only
    log2_up,    // ceil(log2(x)), over whole numbers only
  };

  /// The numbers that a formula is about.
  enum class Numbers : std::uint8_t { whole, fractions };

  /// How many operands an operator or a function takes; 0 for numbers and variables.
  static int operand_count(Kind kind);

  struct Node {
    Kind kind;
    std::int64_t value;          // number, variable
    std::array<int, 3> operand;  // operands, as positions in nodes()
    std::size_t offset;          // the place in the text
  };

  /// Why a formula has no value for some values of its variables.
  struct Undefined {
    std::size_t offset;
    std::string reason;
  };

  /// Parses a formula in these variables. `name` stands for the text in errors. At most 4096 bytes; O(bytes), without
  /// recursion.
  static tl::expected<Formula, SourceError> parse(std::string_view name, std::string_view text,
                                                  std::span<const std::string_view> variables,
                                                  Numbers numbers = Numbers::whole);

  /// An operator's result for whole numbers, or why it has none. Not for `choose`, `and` and `or`, which don't need all
  /// their operands.
  static tl::expected<std::int64_t, const char*> apply(Kind kind, std::int64_t a, std::int64_t b);

  /// The formula's value for these values of the variables, in the order of their names. O(nodes), without recursion.
  tl::expected<std::int64_t, Undefined> evaluate(std::span<const std::int64_t> values) const;

  /// Does the variable stand anywhere in the formula? O(nodes).
  bool mentions(int variable) const;

  const std::string& text() const { return text_; }
  std::span<const Node> nodes() const { return nodes_; }

 private:
  friend class FormulaParser;
  std::string text_;
  std::vector<Node> nodes_;
};

/// An operator between two operands; the higher `binds`, the tighter it binds.
struct FormulaOperator {
  std::string_view text;
  Formula::Kind kind;
  int binds;
};

/// The first text of a kind is how it is written.
inline constexpr std::array formula_operators{
    FormulaOperator{"or", Formula::Kind::logical_or, 1},    FormulaOperator{"||", Formula::Kind::logical_or, 1},
    FormulaOperator{"and", Formula::Kind::logical_and, 2},  FormulaOperator{"&&", Formula::Kind::logical_and, 2},
    FormulaOperator{"==", Formula::Kind::equal, 3},         FormulaOperator{"!=", Formula::Kind::unequal, 3},
    FormulaOperator{"<", Formula::Kind::less, 3},           FormulaOperator{"<=", Formula::Kind::less_equal, 3},
    FormulaOperator{">", Formula::Kind::greater, 3},        FormulaOperator{">=", Formula::Kind::greater_equal, 3},
    FormulaOperator{"xor", Formula::Kind::exclusive_or, 4}, FormulaOperator{"<<", Formula::Kind::shift_left, 5},
    FormulaOperator{">>", Formula::Kind::shift_right, 5},   FormulaOperator{"+", Formula::Kind::add, 6},
    FormulaOperator{"-", Formula::Kind::subtract, 6},       FormulaOperator{"*", Formula::Kind::multiply, 7},
    FormulaOperator{"/", Formula::Kind::divide, 7},         FormulaOperator{"mod", Formula::Kind::modulo, 7},
    FormulaOperator{"%", Formula::Kind::modulo, 7},
};

struct FormulaFunction {
  std::string_view name;
  Formula::Kind kind;
};

inline constexpr std::array formula_functions{
    FormulaFunction{"rho", Formula::Kind::rho},      FormulaFunction{"delta", Formula::Kind::delta},
    FormulaFunction{"even", Formula::Kind::even},    FormulaFunction{"odd", Formula::Kind::odd},
    FormulaFunction{"log2", Formula::Kind::log2},    FormulaFunction{"pow2", Formula::Kind::pow2},
    FormulaFunction{"abs", Formula::Kind::absolute}, FormulaFunction{"min", Formula::Kind::minimum},
    FormulaFunction{"max", Formula::Kind::maximum},  FormulaFunction{"floor", Formula::Kind::floor},
    FormulaFunction{"ceil", Formula::Kind::ceil},
};

/// The formula as a text with the parentheses that it needs. O(nodes).
std::string text_of(const Formula& formula, std::span<const std::string_view> variables);

/// Formulas over whole numbers that differ from this one in one part: in place of it there is a small formula (two
/// operators or functions at most), one of its own operands, or another operator. Those come first that change least,
/// counted in operators, functions, numbers and variables taken out and put in. Some may be equal in value. Some 1,000
/// for each node.
std::vector<Formula> neighbours(const Formula& formula, std::span<const std::string_view> variables);

}  // namespace onceover::schedules
