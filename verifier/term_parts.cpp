#include "verifier/term_parts.h"

#include <vector>

namespace onceover::verifier {

namespace {

constexpr std::size_t shown_characters = 300;

using LeafText = std::function<std::string(Term)>;

/// The sum written out, down to `depth` levels.
std::string expression(const TermTable& terms, Term term, int depth, const LeafText& leaf_text) {
  if (term == Term::nothing) return "nothing";
  if (terms.is_leaf(term)) return leaf_text(term);
  if (depth == 0) return "..";
  auto side = [&](Term t) {
    const std::string text = expression(terms, t, depth - 1, leaf_text);
    return terms.is_leaf(t) || text == ".." ? text : "(" + text + ")";
  };
  return side(terms.first(term)) + "+" + side(terms.second(term));
}

}  // namespace

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

std::string term_text(const TermTable& terms, Term term, const LeafText& leaf_text) {
  int depth = 1;
  while (depth < 12 && expression(terms, term, depth + 1, leaf_text).size() <= shown_characters) ++depth;
  return expression(terms, term, depth, leaf_text);
}

}  // namespace onceover::verifier
