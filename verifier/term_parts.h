// What two terms have in common, and where they differ.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "verifier/terms.h"

namespace onceover::verifier {

/// All terms below a root, itself included. O(n log n) for n of them, whatever is shared.
std::set<Term> parts_of(const TermTable& terms, Term root);

/// The first sum, in the order of numbers, that goes into `root` but not into `other`; `root` if there is none.
Term first_of_its_own(const TermTable& terms, Term root, Term other);

/// The sum written out, as far down as it fits into a few lines; what is deeper as "..".
std::string term_text(const TermTable& terms, Term term, const std::function<std::string(Term)>& leaf_text);

}  // namespace onceover::verifier
