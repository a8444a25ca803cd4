// Reads a promise that the user states. Without [k] all elements of a result are owed alike, so one evaluation for each
// rank suffices; with it, each element is evaluated, and equal neighbours become one run.
//
// Example: out[r] = sum(in[q] for q <= r), which is a scan. For rank 2 of 4, `q <= r` holds for the ranks 0, 1 and 2.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result.h"
#include "schedules/formula.h"
#include "verifier/promise.h"

namespace onceover::verifier {

namespace {

constexpr Rank most_ranks = 4096;
constexpr std::int64_t most_elements = 1 << 20;
constexpr std::int64_t most_contributions = 1 << 24;

constexpr std::array<std::string_view, 5> variables{"r", "p", "root", "k", "q"};
enum Variable : std::size_t { of_rank, of_ranks, of_root, of_element, of_giver };
using Values = std::array<std::int64_t, variables.size()>;

template <class T>
using Stated = tl::expected<T, std::string>;

/// Reads a formula, which may be about some of the variables only.
Stated<Formula> formula(std::string_view text, bool by_element, bool by_giver) {
  auto parsed = Formula::parse("promise", text, variables);
  if (!parsed) return tl::unexpected(parsed.error().render());
  if (!by_element && parsed->mentions(of_element))
    return tl::unexpected(fmt::format("'{}' is about k, which needs out[r][k]", text));
  if (!by_giver && parsed->mentions(of_giver))
    return tl::unexpected(fmt::format("'{}' is about q, which only the condition of a sum may be", text));
  return *std::move(parsed);
}

Stated<std::int64_t> value(const Formula& formula, const Values& values) {
  const auto found = formula.evaluate(values);
  if (!found)
    return tl::unexpected(fmt::format("'{}' has no value for r = {}, k = {}: {}", formula.text(), values[of_rank],
                                      values[of_element], found.error().reason));
  return *found;
}

/// Is each value of the node 0 or 1, because it compares or joins comparisons?
bool is_condition(const Formula& formula, int node) {
  using Kind = Formula::Kind;
  const Formula::Node& n = formula.nodes()[static_cast<std::size_t>(node)];
  switch (n.kind) {
    case Kind::equal:
    case Kind::unequal:
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
    case Kind::even:
    case Kind::odd: return true;
    case Kind::logical_and:
    case Kind::logical_or: return is_condition(formula, n.operand[0]) && is_condition(formula, n.operand[1]);
    case Kind::logical_not: return is_condition(formula, n.operand[0]);
    default: return false;
  }
}

/// Takes a text apart, word by word, and skips blanks before each.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    skip_blanks();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  /// What stands between '[' and its ']', which may contain other brackets; nothing if there is no '['.
  std::optional<std::string_view> index() {
    if (!take("[")) return std::nullopt;
    int open = 1;
    for (std::size_t k = 0; k < text_.size(); ++k) {
      open += text_[k] == '[' ? 1 : text_[k] == ']' ? -1 : 0;
      if (open > 0) continue;
      const std::string_view inside = text_.substr(0, k);
      text_.remove_prefix(k + 1);
      return inside;
    }
    return std::nullopt;
  }

  std::string_view rest() {
    skip_blanks();
    return text_;
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size())); }

  std::string_view text_;
};

struct Statement {
  bool sums = false;
  bool by_element = false;
  std::optional<Formula> giver = {};      // without a sum
  std::optional<Formula> condition = {};  // of a sum; none: all ranks
  std::optional<Formula> element = {};    // none: the same element
};

tl::unexpected<std::string> bad_form() {
  return tl::unexpected(
      std::string("expected out[r] = in[A] or out[r] = sum(in[q] for C), where A and C are formulas; with [k] after "
                  "out[r], in[..] may be followed by [B]"));
}

/// Reads "for C)", the end of a sum. No formula if C is `all q`.
Stated<std::optional<Formula>> read_condition(Words words, bool by_element) {
  if (!words.take("for")) return bad_form();
  std::string_view text = words.rest();
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  if (text.empty() || text.back() != ')') return bad_form();
  text.remove_suffix(1);
  if (Words all(text); all.take("all ") && all.take("q") && all.rest().empty()) return std::nullopt;
  Formula condition = TRY(formula(text, by_element, true));
  if (!is_condition(condition, static_cast<int>(condition.nodes().size()) - 1))
    return tl::unexpected(fmt::format("'{}' must be a comparison, or several joined by and, or, not", text));
  return condition;
}

Stated<Statement> read(std::string_view text) {
  Words words(text);
  Statement s;
  if (!words.take("out") || !words.take("[") || !words.take("r") || !words.take("]")) return bad_form();
  s.by_element = words.take("[");
  if (s.by_element && !(words.take("k") && words.take("]"))) return bad_form();
  if (!words.take("=")) return bad_form();
  s.sums = words.take("sum");
  if ((s.sums && !words.take("(")) || !words.take("in")) return bad_form();
  const auto giver = words.index(), element = words.index();
  if (!giver || (element && !s.by_element)) return bad_form();
  if (element) s.element = TRY(formula(*element, true, false));
  if (s.sums) {
    if (Words name(*giver); !name.take("q") || !name.rest().empty()) return bad_form();
    s.condition = TRY(read_condition(words, s.by_element));
  } else {
    if (!words.rest().empty()) return bad_form();
    s.giver = TRY(formula(*giver, s.by_element, false));
  }
  return s;
}

Stated<std::vector<Rank>> givers(const Statement& s, Values values) {
  const auto ranks = static_cast<Rank>(values[of_ranks]);
  std::vector<Rank> found;
  if (!s.sums) {
    const std::int64_t giver = TRY(value(*s.giver, values));
    if (giver < 0 || giver >= ranks)
      return tl::unexpected(
          fmt::format("there is no rank {}, which rank {} is to get data from", giver, values[of_rank]));
    return std::vector{static_cast<Rank>(giver)};
  }
  for (Rank q = 0; q < ranks; ++q) {
    values[of_giver] = q;
    if (!s.condition || TRY(value(*s.condition, values)) != 0) found.push_back(q);
  }
  return found;
}

}  // namespace

tl::expected<Promise, std::string> Promise::stated(std::string_view text, Rank ranks, Rank root, std::int64_t count) {
  const Statement s = TRY(read(text));
  const std::int64_t evaluated = s.by_element ? count : std::min<std::int64_t>(count, 1);
  if (ranks > most_ranks || count > most_elements || evaluated * ranks * (s.sums ? ranks : 1) > most_contributions)
    return tl::unexpected(fmt::format("{} ranks with {} elements are too many for a stated promise", ranks, count));
  Promise promise(Promised::stated, ranks);
  for (Rank r = 0; r < ranks; ++r)
    for (std::int64_t k = 0; k < evaluated; ++k) {
      const Values values{r, ranks, root, k, 0};
      const std::int64_t element = s.element ? TRY(value(*s.element, values)) : k;
      if (element < 0 || element >= count)
        return tl::unexpected(fmt::format("there is no element {} for element {} of rank {}", element, k, r));
      promise.list(r, TRY(givers(s, values)), k, s.by_element ? 1 : count, element);
    }
  if (promise.lists_.empty()) return tl::unexpected(std::string("it promises nothing to any rank"));
  return promise;
}

}  // namespace onceover::verifier
