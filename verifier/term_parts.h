// What two terms have in common, and where they differ.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "verifier/terms.h"

namespace onceover::verifier {

/// All terms below a root, itself included. O(n log n) for n of them, whatever is shared.
std::set<Term> parts_of(const TermTable& terms, Term root);

/// How often each leaf counts in a term, at most `most` times. The number is passed down from sums to their parts, the
/// largest sum first: sums are numbered after their parts, so when a sum's turn comes, all ways to it are known.
/// Written out, the term may be exponentially long; this is O(n log n) for its n parts.
std::map<Term, std::uint64_t> leaf_counts(const TermTable& terms, Term root, std::uint64_t most);

/// Of a term in which a leaf counts twice or more, a sum both sides of which have it: the first on the way down.
Term first_doubling(const TermTable& terms, Term root, Term leaf);

/// The first sum, in the order of numbers, that goes into `root` but not into `other`; `root` if there is none.
Term first_of_its_own(const TermTable& terms, Term root, Term other);

/// The sum written out, as far down as it fits into a few lines; what is deeper as "..".
std::string term_text(const TermTable& terms, Term term, const std::function<std::string(Term)>& leaf_text);

}  // namespace onceover::verifier
