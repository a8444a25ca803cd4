#include "proofs/smtlib.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "proofs/lowering.h"

namespace onceover::proofs {

namespace {

constexpr std::size_t most_characters = 1 << 20;

/// Formulas as SMT-LIB's terms.
class SmtTerms {
 public:
  using Int = std::string;
  using Bool = std::string;

  explicit SmtTerms(const std::vector<std::string>& names) : names_(names) {}

  Int number(std::int64_t n) { return n >= 0 ? fmt::format("{}", n) : fmt::format("(- {})", -n); }
  Int variable(std::size_t k) { return names_[k]; }
  Int negate(const Int& a) { return call("-", a); }
  Int add(const Int& a, const Int& b) { return call("+", a, b); }
  Int subtract(const Int& a, const Int& b) { return call("-", a, b); }
  Int multiply(const Int& a, const Int& b) { return call("*", a, b); }
  Int divide(const Int& a, const Int& b) { return call("div", a, b); }
  Int modulo(const Int& a, const Int& b) { return call("mod", a, b); }
  Int choose(const Bool& c, const Int& a, const Int& b) { return call("ite", c, a, b); }
  Bool truth(bool b) { return b ? "true" : "false"; }
  Bool equal(const Int& a, const Int& b) { return call("=", a, b); }
  Bool less(const Int& a, const Int& b) { return call("<", a, b); }
  Bool less_equal(const Int& a, const Int& b) { return call("<=", a, b); }
  Bool logical_not(const Bool& a) { return call("not", a); }
  Bool logical_and(const Bool& a, const Bool& b) { return call("and", a, b); }
  Bool logical_or(const Bool& a, const Bool& b) { return call("or", a, b); }
  Bool same(const Bool& a, const Bool& b) { return call("=", a, b); }
  Bool choose_bool(const Bool& c, const Bool& a, const Bool& b) { return call("ite", c, a, b); }

 private:
  template <class... Operands>
  static std::string call(std::string_view function, const Operands&... operands) {
    std::string text = fmt::format("({}", function);
    ((text += " ", text += operands), ...);
    if (text.size() > most_characters) throw std::length_error("a sentence is too long for SMT-LIB");
    return text + ")";
  }

  const std::vector<std::string>& names_;
};

}  // namespace

std::string smtlib(const Query& query, Answer expected) {
  std::string text = fmt::format("; {}\n; {}\n", query.name, query.comment);
  if (expected != Answer::unknown) text += fmt::format("(set-info :status {})\n", name(expected));
  text += fmt::format("(set-logic {})\n", is_linear(query) ? "QF_LIA" : "QF_NIA");
  for (const std::string& variable : query.variables) text += fmt::format("(declare-const {} Int)\n", variable);
  SmtTerms terms(query.variables);
  Lowering<SmtTerms> lowering(terms);
  for (const Formula& sentence : query.sentences)
    text += fmt::format("; {}\n(assert {})\n", sentence.text(), lowering.sentence(sentence));
  return text + "(check-sat)\n";
}

// An answer has three parts, in this order:
//
//   sat                          unsat                             unknown
//   (:reason-unknown "")         (:reason-unknown "")              (:reason-unknown "canceled")
//   ((x 2)                       (error "line 9 ..")               (error "line 9 ..")
//    (y (- 3)))
//
// Z3 says an error where there are no values. Where the sentences themselves have one, it comes first, in the place of
// the answer.

namespace {

constexpr std::string_view reason_key = "(:reason-unknown \"";
constexpr std::string_view none = "no answer: ";
constexpr std::size_t most_said = 200;  // characters of an answer that is none

/// The line at the front of a text, which is taken off it; nothing if no line ends there.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
}

bool take(std::string_view& text, std::string_view front) {
  skip_blanks(text);
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

/// "7" or "(- 7)".
std::optional<std::string> take_number(std::string_view& text) {
  const bool is_negative = take(text, "(- ");
  skip_blanks(text);
  const std::string digits(text.substr(0, text.find_first_not_of("0123456789")));
  text.remove_prefix(digits.size());
  if (digits.empty() || (is_negative && !take(text, ")"))) return std::nullopt;
  return is_negative ? fmt::format("(- {})", digits) : digits;
}

/// "((x 2) (y (- 3)))", in the order of the variables.
std::optional<std::map<std::string, std::string>> values_in(std::string_view text,
                                                            const std::vector<std::string>& variables) {
  std::map<std::string, std::string> values;
  if (!variables.empty() && !take(text, "(")) return std::nullopt;
  for (const std::string& variable : variables) {
    if (!take(text, "(" + variable + " ")) return std::nullopt;
    const auto value = take_number(text);
    if (!value || !take(text, ")")) return std::nullopt;
    values[variable] = *value;
  }
  if (!variables.empty() && !take(text, ")")) return std::nullopt;
  skip_blanks(text);
  return text.empty() ? std::optional(values) : std::nullopt;
}

/// Nothing, or one line that refuses values.
bool has_no_values(std::string_view text) {
  return text.empty() || (text.starts_with("(error \"") && text.find('\n') == text.size() - 1);
}

/// The reply, if every part of the answer is as it should be.
std::optional<Reply> well_formed_reply(std::string_view text, const std::vector<std::string>& variables) {
  const auto answer = take_line(text), reason = take_line(text);
  if (!answer || !reason || !reason->starts_with(reason_key) || !reason->ends_with("\")")) return std::nullopt;
  if (*answer == "sat") {
    const auto values = values_in(text, variables);
    return values ? std::optional(Reply{Answer::satisfiable, "", *values}) : std::nullopt;
  }
  if (!has_no_values(text)) return std::nullopt;
  if (*answer == "unsat") return Reply{Answer::unsatisfiable};
  const std::string_view why = reason->substr(reason_key.size(), reason->size() - reason_key.size() - 2);
  return *answer == "unknown" ? std::optional(Reply{Answer::unknown, std::string(why)}) : std::nullopt;
}

std::string with_limits(std::string_view script, unsigned work, unsigned milliseconds) {
  return fmt::format("(set-option :timeout {})\n(set-option :rlimit {})\n{}(get-info :reason-unknown)\n", milliseconds,
                     work, script);
}

}  // namespace

std::string asking_script(const Query& query, unsigned work, unsigned milliseconds) {
  const std::string script = with_limits(smtlib(query, Answer::unknown), work, milliseconds);
  if (query.variables.empty()) return script;
  return script + fmt::format("(get-value ({}))\n", fmt::join(query.variables, " "));
}

std::string asking_script(std::string_view sentences, unsigned work, unsigned milliseconds) {
  return with_limits(sentences, work, milliseconds);
}

Reply reply_of(std::string_view printed, const std::vector<std::string>& variables) {
  if (auto reply = well_formed_reply(printed, variables)) return *std::move(reply);
  const std::string_view said = printed.substr(0, std::min(printed.find('\n'), most_said));
  if (said.starts_with(none)) return {Answer::unknown, std::string(said.substr(none.size()))};
  return {Answer::unknown, said.empty() ? "there was no answer" : fmt::format("it answered '{}'", said)};
}

}  // namespace onceover::proofs
