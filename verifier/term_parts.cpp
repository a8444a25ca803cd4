#include "verifier/term_parts.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace onceover::verifier {

namespace {

constexpr std::size_t shown_characters = 300;

using LeafText = std::function<std::string(Term)>;

/// The sum as text, down to `depth` levels.
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

std::map<Term, std::uint64_t> leaf_counts(const TermTable& terms, Term root, std::uint64_t most) {
  std::map<Term, std::uint64_t> counts, open;
  if (root != Term::nothing) open.emplace(root, 1);
  while (!open.empty()) {
    const auto [term, times] = *open.rbegin();
    open.erase(std::prev(open.end()));
    if (terms.is_leaf(term)) {
      counts.emplace(term, times);
      continue;
    }
    for (const Term part : {terms.first(term), terms.second(term)}) {
      std::uint64_t& sum = open[part];
      sum = std::min(sum + times, most);
    }
  }
  return counts;
}

Term first_doubling(const TermTable& terms, Term root, Term leaf) {
  std::set<Term> have_it{leaf};
  auto has_it = [&](Term part) { return have_it.count(part) > 0; };
  for (const Term part : parts_of(terms, root))  // ascending, so parts come before the sums that have them
    if (!terms.is_leaf(part) && (has_it(terms.first(part)) || has_it(terms.second(part)))) have_it.insert(part);
  Term term = root;
  while (!has_it(terms.first(term)) || !has_it(terms.second(term)))
    term = has_it(terms.first(term)) ? terms.first(term) : terms.second(term);
  return term;
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
