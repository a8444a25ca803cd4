#include "proofs/smtlib.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace onceover::proofs
