// Names are as in the schedule's question; a counter's values are c0, c1, ..
//
// Example: at most 1 of a, b, c. Pairs: -a -b; -a -c; -b -c. At most 2 of a, b, c by a counter: s(i,j) means that more
// than j of the first i+1 are true. a -> s(0,0); b -> s(1,0); s(0,0) -> s(1,0); b and s(0,0) -> s(1,1);
// not (c and s(1,1)).

#include "proofs/clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/stop.h"

namespace onceover::proofs {

namespace {

constexpr std::size_t most_for_pairs = 6;

}  // namespace

Clauses::Clauses() {
  add({variable("yes")});
}

Literal Clauses::variable(std::string name) {
  names_.push_back(std::move(name));
  return static_cast<Literal>(names_.size());
}

void Clauses::add(std::vector<Literal> clause) {
  if (!clauses_.empty()) {
    if (std::find(clause.begin(), clause.end(), truth()) != clause.end()) return;
    std::erase(clause, falsehood());
  }
  size_ += clause.size();
  clauses_.push_back(std::move(clause));
}

void Clauses::imply(std::span<const Literal> all, Literal then) {
  std::vector<Literal> clause{then};
  for (const Literal literal : all) clause.push_back(-literal);
  add(std::move(clause));
}

void Clauses::at_most(const std::vector<Literal>& literals, int most) {
  const auto n = literals.size();
  const auto limit = static_cast<std::size_t>(std::max(most, 0));
  if (n <= limit) return;
  if (limit == 0)
    for (const Literal literal : literals) add({-literal});
  else if (limit == 1 && n <= most_for_pairs)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) add({-literals[i], -literals[j]});
  else {
    std::vector<Literal> before(limit, falsehood());  // more than j of those so far
    for (std::size_t i = 0; i < n; ++i) {
      add({-literals[i], -before[limit - 1]});
      if (i + 1 == n) break;
      std::vector<Literal> now;
      for (std::size_t j = 0; j < limit; ++j) {
        now.push_back(j <= i ? variable(fmt::format("c{}", names_.size())) : falsehood());
        if (j > i) continue;
        add({-before[j], now[j]});
        add({-literals[i], j == 0 ? falsehood() : -before[j - 1], now[j]});
      }
      before = std::move(now);
    }
  }
}

std::string Clauses::text_of(Literal literal) const {
  const std::string& name = names_[static_cast<std::size_t>(std::abs(literal)) - 1];
  return literal > 0 ? name : fmt::format("(not {})", name);
}

std::string Clauses::smtlib(const std::string& comment) const {
  std::string text = comment + "(set-logic QF_UF)\n";
  const auto out = std::back_inserter(text);
  for (const std::string& name : names_) fmt::format_to(out, "(declare-const {} Bool)\n", name);
  for (const auto& clause : clauses_) {
    if (clause.size() == 1) {
      fmt::format_to(out, "(assert {})\n", text_of(clause[0]));
      continue;
    }
    text += clause.empty() ? "(assert false" : "(assert (or";
    for (const Literal literal : clause) fmt::format_to(out, " {}", text_of(literal));
    text += clause.empty() ? ")\n" : "))\n";
  }
  return text + "(check-sat)\n";
}

}  // namespace onceover::proofs
