// Queries as SMT-LIB 2, for other solvers.
#pragma once

#include "proofs/query.h"

namespace onceover::proofs {

/// The query as a script that ends with (check-sat). `expected`, if not unknown, is stated as its status, which a
/// solver may check.
/// Throws std::length_error if a sentence would be longer than a megabyte: abs, min and max write their operands
/// several times, so nested ones grow fast.
std::string smtlib(const Query& query, Answer expected);

}  // namespace onceover::proofs
