#include "verifier/term_parts.h"

#include <vector>

namespace onceover {

std::set<Term> parts_of(const TermTable& terms, Term root) {
  std::set<Term> parts;
  std::vector<Term> to_visit{root};
  while (!to_visit.empty()) {
    const Term term = to_visit.back();
    to_visit.pop_back();
    if (term == Term::nothing || !parts.insert(term).second || terms.is_leaf(term)) continue;
    to_visit.push_back(terms.first(term));
    to_visit.push_back(terms.second(term));
  }
  return parts;
}

Term first_of_its_own(const TermTable& terms, Term root, Term other) {
  const auto parts = parts_of(terms, root), others = parts_of(terms, other);
  const auto own = std::find_if(parts.begin(), parts.end(), [&](Term t) { return others.count(t) == 0; });
  return own == parts.end() ? root : *own;
}

}  // namespace onceover
