// A limit is evaluated node by node over fractions. A node may have no value, for one of two reasons: it is undefined,
// which is a mistake in the limit (division by 0), or a measure is missing. Both pass on to the nodes that need this
// one, and to no others. From left to right, `and`, `or` and `? :` need only the side that they take.
//
// Example: p < 8 or congestion <= 2 passes at p = 7, even if congestion is unknown. The other way round it is unknown.
//
// log2 is the only function whose value may not be a fraction. So floor(log2(x)) and ceil(log2(x)) count as one
// function each, which has a value for every whole x > 0 of 64 bits.
//
// The sorts of a limit are checked once (`sorted`), so that a number is never taken for a truth value. Judging costs
// O(nodes) operations, whose results have a numerator and a denominator below 2^128.

#include "subjects/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/rows.h"
#include "subjects/run.h"

namespace onceover::subjects {

namespace {

using Kind = Formula::Kind;
using Whole = std::int64_t;

bool is_comparison(Kind kind) {
  switch (kind) {
    case Kind::equal:
    case Kind::unequal:
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal: return true;
    default: return false;
  }
}

bool is_connective(Kind kind) {
  return kind == Kind::logical_and || kind == Kind::logical_or || kind == Kind::logical_not;
}

/// Which nodes are truth values rather than numbers, or the first node with an operand of the wrong sort. So a limit
/// such as "steps" or "steps + 1 or 1" can't hold by accident.
struct Sorting {
  std::vector<bool> is_truth;
  std::optional<std::size_t> wrong_at = {};  // offset in the text
};

Sorting sorted(const Formula& formula) {
  Sorting sorting;
  for (const Formula::Node& node : formula.nodes()) {
    auto truth = [&](std::size_t k) { return sorting.is_truth[static_cast<std::size_t>(node.operand[k])]; };
    const auto operands = static_cast<std::size_t>(Formula::operand_count(node.kind));
    bool fits = true;
    if (node.kind == Kind::choose) {
      fits = truth(0) && truth(1) == truth(2);
      sorting.is_truth.push_back(truth(1));
    } else {
      for (std::size_t k = 0; k < operands; ++k) fits = fits && truth(k) == is_connective(node.kind);
      sorting.is_truth.push_back(is_comparison(node.kind) || is_connective(node.kind) || node.kind == Kind::even ||
                                 node.kind == Kind::odd);
    }
    if (!fits && !sorting.wrong_at) sorting.wrong_at = node.offset;
  }
  return sorting;
}

constexpr const char* too_large = "the value does not fit in 128 bits";

/// A node's value, or why it has none.
struct Value {
  Rational number = 0;
  std::string undefined = {};  // an error in the formula for these measures
  std::string missing = {};    // a measure that isn't known

  bool is_known() const { return undefined.empty() && missing.empty(); }
};

Value no_value(std::string why) {
  return {.undefined = std::move(why)};
}

Value bounded(Rational number) {
  const Rational most = power_of_two(128);
  if (abs(number.numerator()) >= most || number.denominator() >= most) return no_value(too_large);
  return {.number = std::move(number)};
}

/// The value of an operator over whole numbers, for fractions that are whole.
Value of_whole_numbers(Kind kind, const Rational& a, const Rational& b) {
  const auto first = a.whole();
  const auto second = b.whole();
  if (!first || !second)
    return no_value(fmt::format("a whole number of 64 bits is needed here, not {}", number_text(first ? b : a)));
  const auto value = Formula::apply(kind, *first, *second);
  if (!value) return no_value(value.error());
  return {.number = *value};
}

/// Is x 2^exponent?
bool is_power(const Rational& exponent, const Rational& x) {
  return power_of_two(static_cast<unsigned>(*exponent.whole())) == x;
}

Value log2_of(const Rational& x) {
  const Value rounded = of_whole_numbers(Kind::log2, x, 0);
  if (!rounded.is_known() || is_power(rounded.number, x)) return rounded;
  return no_value(fmt::format("log2({0}) is no fraction; write ceil(log2(x)) or floor(log2(x))", number_text(x)));
}

/// ceil or floor of log2(x), for which log2(x) itself needs no value.
Value rounded_log2(Kind kind, const Rational& x) {
  const Value below = of_whole_numbers(Kind::log2, x, 0);
  if (!below.is_known() || kind == Kind::floor) return below;
  const bool is_exact = is_power(below.number, x);
  return {.number = below.number + (is_exact ? 0 : 1)};
}

Value apply(Kind kind, const Rational& a, const Rational& b) {
  switch (kind) {
    case Kind::negate: return {.number = -a};
    case Kind::absolute: return {.number = abs(a)};
    case Kind::add: return bounded(a + b);
    case Kind::subtract: return bounded(a - b);
    case Kind::multiply: return bounded(a * b);
    case Kind::divide: return b == 0 ? no_value("division by 0") : bounded(a / b);
    case Kind::floor: return {.number = a.floor()};
    case Kind::ceil: return {.number = -(-a).floor()};
    case Kind::minimum: return {.number = std::min(a, b)};
    case Kind::maximum: return {.number = std::max(a, b)};
    case Kind::equal: return {.number = a == b};
    case Kind::unequal: return {.number = a != b};
    case Kind::less: return {.number = a < b};
    case Kind::less_equal: return {.number = a <= b};
    case Kind::greater: return {.number = a > b};
    case Kind::greater_equal: return {.number = a >= b};
    case Kind::logical_not: return {.number = a == 0};
    case Kind::log2: return log2_of(a);
    default: return of_whole_numbers(kind, a, b);
  }
}

/// The values of all nodes, operands first.
class Evaluation {
 public:
  Evaluation(const Formula& formula, const Measures& measures) : nodes_(formula.nodes()), measures_(measures) {
    for (const Formula::Node& node : nodes_) values_.push_back(value_of(node));
  }

  const Value& root() const { return values_.back(); }
  const Value& operand(const Formula::Node& node, std::size_t k) const {
    return values_[static_cast<std::size_t>(node.operand[k])];
  }

 private:
  Value value_of(const Formula::Node& node) const {
    if (node.kind == Kind::number) return {.number = node.value};
    if (node.kind == Kind::variable) return measured(metrics()[static_cast<std::size_t>(node.value)].name);
    if (node.kind == Kind::choose || node.kind == Kind::logical_and || node.kind == Kind::logical_or)
      return decided(node);
    const Value& a = operand(node, 0);
    if (node.kind == Kind::ceil || node.kind == Kind::floor) {
      const Formula::Node& of = nodes_[static_cast<std::size_t>(node.operand[0])];
      if (of.kind == Kind::log2 && operand(of, 0).is_known()) return rounded_log2(node.kind, operand(of, 0).number);
    }
    if (!a.is_known()) return a;
    if (Formula::operand_count(node.kind) == 1) return apply(node.kind, a.number, 0);
    const Value& b = operand(node, 1);
    return b.is_known() ? apply(node.kind, a.number, b.number) : b;
  }

  /// The value of an operator whose first operand decides whether it needs the others.
  Value decided(const Formula::Node& node) const {
    const Value& first = operand(node, 0);
    if (!first.is_known()) return first;
    const bool is_true = first.number != 0;
    if (node.kind == Kind::choose) return operand(node, is_true ? 1 : 2);
    return is_true == (node.kind == Kind::logical_or) ? first : operand(node, 1);
  }

  Value measured(std::string_view name) const {
    if (const auto known = measures_.known.find(name); known != measures_.known.end()) return {.number = known->second};
    const auto missing = measures_.missing.find(name);
    return {.missing = fmt::format("{} is not known{}", name,
                                   missing == measures_.missing.end() ? "" : ": " + missing->second)};
  }

  std::span<const Formula::Node> nodes_;
  const Measures& measures_;
  std::vector<Value> values_;
};

std::string_view symbol(Kind kind) {
  switch (kind) {
    case Kind::equal: return "==";
    case Kind::unequal: return "!=";
    case Kind::less: return "<";
    case Kind::less_equal: return "<=";
    case Kind::greater: return ">";
    default: return ">=";
  }
}

}  // namespace

tl::expected<Limit, SourceError> Limit::parse(std::string_view text, std::string_view name) {
  auto refused = [&](std::size_t offset, std::string_view why) {
    return tl::unexpected(source_error(name, text, offset, why));
  };
  const auto names = mapped(metrics(), &Metric::name);
  auto formula = TRY(Formula::parse(name, text, names, Formula::Numbers::fractions));
  const Sorting sorting = sorted(formula);
  if (sorting.wrong_at)
    return refused(*sorting.wrong_at, "this joins a number and what is true or false; write a comparison");
  if (!sorting.is_truth.back())
    return refused(0, "a limit is true or false; write a comparison, such as steps <= 2*ceil(log2(p))");
  Limit limit(std::move(formula));
  const auto is_measure = [](const Formula::Node& node) {
    return node.kind == Kind::variable &&
           metrics()[static_cast<std::size_t>(node.value)].source != Metric::Source::shape;
  };
  if (std::none_of(limit.formula_.nodes().begin(), limit.formula_.nodes().end(), is_measure))
    return refused(0, "a limit is about a metric, such as steps or congestion; there is none in it");
  if (const auto alone = limit.first_alone())
    return refused(alone->offset, fmt::format("{0} is for a comparison with {1}, as in {1} <= 1.1*{0}; {1} isn't here",
                                              alone->name, alone->beside));
  return limit;
}

/// The first metric that stands without the one with which it is compared.
std::optional<Limit::Alone> Limit::first_alone() const {
  const auto& nodes = formula_.nodes();
  const auto is_there = [&](std::string_view name) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Formula::Node& node) {
      return node.kind == Kind::variable && metrics()[static_cast<std::size_t>(node.value)].name == name;
    });
  };
  for (const Formula::Node& node : nodes) {
    if (node.kind != Kind::variable) continue;
    const Metric& metric = metrics()[static_cast<std::size_t>(node.value)];
    if (!metric.beside.empty() && !is_there(metric.beside)) return Alone{metric.name, metric.beside, node.offset};
  }
  return std::nullopt;
}

void Limit::add_to(Wanted& wanted) const {
  for (const Formula::Node& node : formula_.nodes())
    if (node.kind == Kind::variable) wanted.add(metrics()[static_cast<std::size_t>(node.value)]);
}

/// "steps = 7, p = 5": the known measures that the limit mentions.
std::string Limit::measures_text(const Measures& measures) const {
  std::vector<std::string> values;
  for (const Formula::Node& node : formula_.nodes()) {
    if (node.kind != Kind::variable) continue;
    const std::string_view name = metrics()[static_cast<std::size_t>(node.value)].name;
    const auto known = measures.known.find(name);
    if (known == measures.known.end()) continue;
    std::string value = fmt::format("{} = {}", name, number_text(known->second));
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

LimitFinding Limit::judge(const Measures& measures) const {
  const Evaluation evaluation(formula_, measures);
  const Value& value = evaluation.root();
  if (!value.undefined.empty()) return {Verdict::unknown, value.undefined, true};
  if (!value.missing.empty()) return {Verdict::unknown, value.missing};
  const bool holds = value.number != 0;
  const Formula::Node& root = formula_.nodes().back();
  std::string summary = measures_text(measures);
  if (is_comparison(root.kind))
    summary = fmt::format("{} {} {} {}: {}", number_text(evaluation.operand(root, 0).number), symbol(root.kind),
                          number_text(evaluation.operand(root, 1).number), holds ? "holds" : "does not hold", summary);
  return {holds ? Verdict::pass : Verdict::fail, std::move(summary)};
}

std::vector<JudgedLimit> judged(std::span<const Limit> limits, const Measures& measures) {
  std::vector<JudgedLimit> all;
  for (const Limit& limit : limits) all.push_back({limit.text(), limit.judge(measures)});
  return all;
}

Wanted wanted_by(std::span<const Limit> limits) {
  Wanted wanted;
  for (const Limit& limit : limits) limit.add_to(wanted);
  return wanted;
}

Result<Limit> parse_limit(const std::string& text) {
  auto limit = Limit::parse(text, "--limit");
  if (!limit) return usage_error(limit.error().render());
  return *std::move(limit);
}

Result<void> check(const LimitOptions& options) {
  if (is_given(options.network) && !wanted_by(options.limits).network)
    return usage_error(
        "--topology, --map, --ways, --routing and --network-ports are for a --limit on latency, bandwidth, congestion, "
        "time or bound");
  return {};
}

Result<void> judge_limits(Verification& run, const std::vector<Limit>& limits, const Measures& measures) {
  run.limits = judged(limits, measures);
  for (const JudgedLimit& limit : run.limits)
    if (limit.finding.is_undefined)
      return usage_error(fmt::format("--limit: '{}' has no value for p = {}: {}", limit.text, run.header.ranks,
                                     limit.finding.summary));
  return {};
}

}  // namespace onceover::subjects
