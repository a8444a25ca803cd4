// Queries as SMT-LIB 2, for other solvers.
#pragma once

#include "proofs/query.h"

namespace onceover {

/// The query as a script that ends with (check-sat). `expected`, if not unknown, is stated as its status, which a
/// solver may check.
std::string smtlib(const Query& query, Answer expected);

}  // namespace onceover
