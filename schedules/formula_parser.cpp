// The parser reads a formula from left to right with two stacks: operators and parentheses that are still open, and
// operands that no operator has taken yet. Before it opens an operator, it closes the open ones that bind at least as
// tightly, and these take their operands. So operands become nodes before the operator that uses them.
//
// Example: a + b * 2 == c. At * nothing closes, because + binds less tightly. At == first * closes, then +; at the end,
// ==. The nodes are a, b, 2, *, +, c, ==.
//
// c ? a : b is treated as one operator. The ? opens an entry that only a colon ends, and the colon turns it into the
// operator that binds least and groups to the right. Comparisons are the only operators that don't close each other:
// they don't chain.
//
// Each token opens at most one entry, and each entry closes once: O(bytes), for a fixed number of variables.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/sentences.h"
#include "base/text.h"
#include "schedules/formula.h"

namespace onceover::schedules {

namespace {

using Kind = Formula::Kind;
using Number = std::int64_t;

constexpr std::size_t most_bytes = 4096;

constexpr int binds_choose = 0;
constexpr int binds_comparison = 3;
constexpr int binds_prefix = 8;

/// What others call a variable or a function.
struct OtherName {
  std::string_view other;
  std::string_view ours;
};

constexpr std::array other_names{
    OtherName{"rank", "r"},    OtherName{"me", "r"},         OtherName{"i", "r"},      OtherName{"id", "r"},
    OtherName{"step", "s"},    OtherName{"round", "s"},      OtherName{"k", "s"},      OtherName{"n", "p"},
    OtherName{"N", "p"},       OtherName{"P", "p"},          OtherName{"ranks", "p"},  OtherName{"size", "p"},
    OtherName{"nranks", "p"},  OtherName{"world_size", "p"}, OtherName{"nprocs", "p"}, OtherName{"R", "r"},
    OtherName{"S", "s"},       OtherName{"log", "log2"},     OtherName{"lg", "log2"},  OtherName{"pow", "pow2"},
    OtherName{"exp2", "pow2"},
};

}  // namespace

/// A parser with a stack of open entries: operators that wait for their right operand, parentheses and calls.
class FormulaParser {
 public:
  FormulaParser(std::string_view name, std::string_view text, std::span<const std::string_view> variables,
                Formula::Numbers numbers)
      : name_(name), text_(text), variables_(variables), has_fractions_(numbers == Formula::Numbers::fractions) {
    formula_.text_ = text;
  }

  tl::expected<Formula, SourceError> parse() {
    if (text_.size() > most_bytes)
      return tl::unexpected(
          source_error(name_, text_, most_bytes, fmt::format("a formula has at most {} bytes", most_bytes)));
    for (next(); !error_ && !done_; next()) {
      if (wants_operand_)
        read_operand();
      else
        read_operator();
    }
    if (error_) return tl::unexpected(*error_);
    return std::move(formula_);
  }

 private:
  struct Token {
    enum class Kind { number, name, symbol, end };
    Kind kind;
    std::string_view text;
    std::size_t offset;
  };

  /// An open entry.
  struct Open {
    enum class Kind { infix, prefix, parenthesis, call, condition, otherwise };
    Kind kind;
    Formula::Kind makes;
    int binds;
    std::size_t offset;
    int arguments = 0;  // call: how many the function takes
    int seen = 0;       // call: how many commas were read
  };

  void next() {
    std::size_t at = token_.offset + token_.text.size();
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\n')) ++at;
    if (at == text_.size()) {
      token_ = {Token::Kind::end, text_.substr(at), at};
      return;
    }
    std::size_t end = at + 1;
    if (is_in_name(text_[at])) {
      while (end < text_.size() && (is_in_name(text_[end]) || is_point(at, end))) ++end;
    } else {
      const std::string_view two = text_.substr(at, 2);
      if (std::any_of(formula_operators.begin(), formula_operators.end(),
                      [&](const FormulaOperator& i) { return i.text == two; }))
        end = at + 2;
    }
    const auto kind = is_digit(text_[at])     ? Token::Kind::number
                      : is_in_name(text_[at]) ? Token::Kind::name
                                              : Token::Kind::symbol;
    token_ = {kind, text_.substr(at, end - at), at};
  }

  /// Is the character at `at` the point of a decimal that began at `begin`?
  bool is_point(std::size_t begin, std::size_t at) const {
    return has_fractions_ && is_digit(text_[begin]) && text_[at] == '.';
  }

  void read_operand() {
    if (token_.kind == Token::Kind::number) return read_number();
    if (token_.text == "-") return open({Open::Kind::prefix, Kind::negate, binds_prefix, token_.offset});
    if (token_.text == "!" || token_.text == "not")
      return open({Open::Kind::prefix, Kind::logical_not, binds_prefix, token_.offset});
    if (token_.text == "(") return open({Open::Kind::parenthesis, {}, -1, token_.offset});
    if (token_.kind == Token::Kind::name) return read_name();
    if (token_.text == "*" && token_.offset > 0 && text_[token_.offset - 1] == '*')
      return fail(token_.offset - 1, "no operator '**'; write pow2(x) for 2^x");
    expected("a number, a name, '-', 'not' or '('");
  }

  /// Makes a decimal the division of whole numbers that it stands for.
  void read_decimal(std::size_t point) {
    const std::string_view fraction = token_.text.substr(point + 1);
    const std::string digits = std::string(token_.text.substr(0, point)) + std::string(fraction);
    constexpr std::size_t most_digits = 18;
    if (fraction.empty() || digits.size() > most_digits || !std::all_of(digits.begin(), digits.end(), is_digit))
      return fail(token_.offset,
                  fmt::format("expected a decimal such as 1.25, of at most {} digits, found {}", most_digits, found()));
    Number numerator = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), numerator);
    Number denominator = 1;
    for (std::size_t k = 0; k < fraction.size(); ++k) denominator *= 10;
    push({Kind::number, numerator, {}, token_.offset});
    push({Kind::number, denominator, {}, token_.offset});
    make(Kind::divide, 2, token_.offset);
  }

  void read_number() {
    if (const std::size_t point = token_.text.find('.'); point != std::string_view::npos) return read_decimal(point);
    const auto value = parse_whole<Number>(token_.text);
    if (!value) return fail(token_.offset, fmt::format("expected a whole number below 2^63, found {}", found()));
    push({Kind::number, *value, {}, token_.offset});
  }

  static const FormulaFunction* find_function(std::string_view name) {
    return std::find_if(formula_functions.begin(), formula_functions.end(),
                        [&](const FormulaFunction& f) { return f.name == name; });
  }

  bool is_variable(std::string_view name) const {
    return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
  }

  void read_name() {
    const auto variable = std::find(variables_.begin(), variables_.end(), token_.text);
    if (variable != variables_.end()) return push({Kind::variable, variable - variables_.begin(), {}, token_.offset});
    const auto* function = find_function(token_.text);
    if (function == formula_functions.end()) return unknown_name();
    const Token name = token_;
    next();
    if (token_.text != "(")
      return fail(token_.offset, fmt::format("expected '(' after {}, found {}", name.text, found()));
    open({Open::Kind::call, function->kind, -1, name.offset, Formula::operand_count(function->kind)});
  }

  void unknown_name() {
    const auto* other = std::find_if(other_names.begin(), other_names.end(), [&](const OtherName& each) {
      return each.other == token_.text &&
             (find_function(each.ours) != formula_functions.end() || is_variable(each.ours));
    });
    if (other != other_names.end())
      return fail(token_.offset, fmt::format("no variable or function {}; it is called {}", found(), other->ours));
    std::vector<std::string_view> known(variables_.begin(), variables_.end());
    for (const FormulaFunction& f : formula_functions) known.push_back(f.name);
    fail(token_.offset, fmt::format("no variable or function {}{}; there are {}", found(),
                                    suggestion(token_.text, known), fmt::join(known, ", ")));
  }

  void read_operator() {
    const auto* infix = std::find_if(formula_operators.begin(), formula_operators.end(),
                                     [&](const FormulaOperator& i) { return i.text == token_.text; });
    if (infix != formula_operators.end()) return read_infix(*infix);
    if (token_.text == "?") {
      close_tighter_than(binds_choose + 1);
      return open({Open::Kind::condition, Kind::choose, -1, token_.offset});
    }
    if (token_.text == ":") return read_colon();
    if (token_.text == ",") return read_comma();
    if (token_.text == ")") return read_closing();
    if (token_.kind == Token::Kind::end) return finish();
    if (token_.text == "^")
      return fail(token_.offset, "expected an operator, found '^'; write xor, or pow2(x) for 2^x");
    if (token_.text == ".")
      return fail(token_.offset, "expected an operator, found '.'; here numbers are whole, decimals are for limits");
    if (token_.text == "=") return fail(token_.offset, "expected an operator, found '='; write == to compare");
    expected("an operator");
  }

  void read_infix(const FormulaOperator& infix) {
    close_tighter_than(infix.binds + (infix.binds == binds_comparison ? 1 : 0));
    if (infix.binds == binds_comparison && !open_.empty() && open_.back().binds == binds_comparison)
      return fail(token_.offset, "comparisons do not chain; write a < b and b < c");
    open({Open::Kind::infix, infix.kind, infix.binds, token_.offset});
  }

  void read_colon() {
    close_tighter_than(binds_choose);
    if (open_.empty() || open_.back().kind != Open::Kind::condition)
      return fail(token_.offset, "':' without a '?' before it");
    open_.back().kind = Open::Kind::otherwise;
    open_.back().binds = binds_choose;
    wants_operand_ = true;
  }

  void read_comma() {
    close_tighter_than(binds_choose);
    if (open_.empty() || open_.back().kind != Open::Kind::call)
      return fail(token_.offset, open_.empty() || open_.back().kind == Open::Kind::parenthesis
                                     ? "',' outside a call"
                                     : "expected ':' for the '?' before it, found ','");
    Open& call = open_.back();
    if (++call.seen == call.arguments) return wrong_arguments(call, "more");
    wants_operand_ = true;
  }

  void read_closing() {
    close_tighter_than(binds_choose);
    if (open_.empty()) return fail(token_.offset, "')' without a '(' before it");
    const Open opened = open_.back();
    if (opened.kind == Open::Kind::condition) return expected("':' for the '?' before it");
    if (opened.kind == Open::Kind::call && opened.seen + 1 < opened.arguments) return wrong_arguments(opened, "fewer");
    open_.pop_back();
    if (opened.kind == Open::Kind::call) make(opened.makes, opened.arguments, opened.offset);
  }

  void finish() {
    close_tighter_than(binds_choose);
    if (!open_.empty())
      return expected(open_.back().kind == Open::Kind::condition ? "':' for the '?' before it" : "')'");
    done_ = true;
  }

  void wrong_arguments(const Open& call, std::string_view how_many) {
    fail(token_.offset, fmt::format("{} arguments than the {} that the function takes", how_many, call.arguments));
  }

  void open(Open what) {
    open_.push_back(what);
    wants_operand_ = true;
  }

  /// Closes the open operators that bind at least so tightly, and gives them their operands.
  void close_tighter_than(int binds) {
    while (!open_.empty() && open_.back().binds >= binds) {
      const Open op = open_.back();
      open_.pop_back();
      make(op.makes, op.kind == Open::Kind::prefix ? 1 : op.kind == Open::Kind::otherwise ? 3 : 2, op.offset);
    }
  }

  void make(Kind kind, int operands, std::size_t offset) {
    if (!has_fractions_ && (kind == Kind::floor || kind == Kind::ceil)) return round(kind, offset);
    Formula::Node node{kind, 0, {}, offset};
    const std::size_t first = operands_.size() - static_cast<std::size_t>(operands);
    std::copy(operands_.begin() + static_cast<std::ptrdiff_t>(first), operands_.end(), node.operand.begin());
    operands_.resize(first);
    push(node);
  }

  void push(Formula::Node node) {
    bool is_rounded = node.kind == Kind::divide || node.kind == Kind::log2;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Formula::operand_count(node.kind)); ++k)
      is_rounded = is_rounded || is_rounded_[static_cast<std::size_t>(node.operand[k])];
    formula_.nodes_.push_back(node);
    is_rounded_.push_back(is_rounded);
    operands_.push_back(static_cast<int>(formula_.nodes_.size()) - 1);
    wants_operand_ = false;
  }

  /// Applies floor or ceil to the last operand, over whole numbers.
  void round(Kind kind, std::size_t offset) {
    const auto of = static_cast<std::size_t>(operands_.back());
    Formula::Node& node = formula_.nodes_[of];
    bool is_direct = (node.kind == Kind::divide || node.kind == Kind::log2) && is_rounded_[of];
    for (std::size_t k = 0; k < static_cast<std::size_t>(Formula::operand_count(node.kind)); ++k)
      is_direct = is_direct && !is_rounded_[static_cast<std::size_t>(node.operand[k])];
    if (!is_direct && is_rounded_[of])
      return fail(
          offset,
          "numbers are whole here: the / or log2 inside has already rounded down; write ceil(a / b), ceil(log2(x)), "
          "floor(a / b) or floor(log2(x))");
    if (is_direct && kind == Kind::ceil) node.kind = node.kind == Kind::divide ? Kind::divide_up : Kind::log2_up;
    is_rounded_[of] = false;
    wants_operand_ = false;
  }

  /// The token in quotes; of a long one only the beginning.
  std::string found() const {
    constexpr std::size_t most_shown = 60;
    if (token_.kind == Token::Kind::end) return "the end";
    const bool is_long = token_.text.size() > most_shown;
    return fmt::format("'{}{}'", token_.text.substr(0, most_shown), is_long ? ".." : "");
  }

  void expected(std::string_view what) { fail(token_.offset, fmt::format("expected {}, found {}", what, found())); }

  void fail(std::size_t offset, std::string_view message) { error_ = source_error(name_, text_, offset, message); }

  std::string_view name_;
  std::string_view text_;
  std::span<const std::string_view> variables_;
  bool has_fractions_;
  Formula formula_;
  Token token_{Token::Kind::symbol, {}, 0};
  std::vector<Open> open_;
  std::vector<int> operands_;
  std::vector<bool> is_rounded_;  // by node: has it a division or log2 outside any floor or ceil?
  bool wants_operand_ = true;
  bool done_ = false;
  std::optional<SourceError> error_;
};

tl::expected<Formula, SourceError> Formula::parse(std::string_view name, std::string_view text,
                                                  std::span<const std::string_view> variables, Numbers numbers) {
  return FormulaParser(name, text, variables, numbers).parse();
}

}  // namespace onceover::schedules
