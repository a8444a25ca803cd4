// What two terms have in common, and where they differ.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "verifier/terms.h"

namespace onceover::verifier {

/// All terms below a root, including the root. O(n log n) for n of them, however often they are shared.
std::set<Term> parts_of(const TermTable& terms, Term root);

/// How often each leaf counts in a term, up to `most`. Counts pass down from sums to their parts, the largest sum
/// first. Sums are numbered after their parts, so when a sum's turn comes all paths to it are counted. Written out, the
/// term may be exponentially long; this takes O(n log n) for its n parts.
std::map<Term, std::uint64_t> leaf_counts(const TermTable& terms, Term root, std::uint64_t most);

/// For a term in which a leaf counts at least twice: the first sum on the way down whose two sides both contain the
/// leaf.
Term first_doubling(const TermTable& terms, Term root, Term leaf);

/// The sum with the lowest number that is part of `root` but not of `other`; `root` if there is none.
Term first_of_its_own(const TermTable& terms, Term root, Term other);

/// The sum as text, as deep as fits into a few lines; deeper parts are "..".
std::string term_text(const TermTable& terms, Term term, const std::function<std::string(Term)>& leaf_text);

}  // namespace onceover::verifier
