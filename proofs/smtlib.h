// Queries as SMT-LIB 2, for other solvers and for Z3, and the answers that it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proofs/query.h"

namespace onceover::proofs {

/// The query as a script that ends with (check-sat). `expected`, if not unknown, is stated as its status, which a
/// solver may check.
/// Throws std::length_error if a sentence would be longer than a megabyte: abs, min and max write their operands
/// several times, so nested ones grow fast.
std::string smtlib(const Query& query, Answer expected);

// Where Z3 is another program's, such as a page's, it prints its answer: here is what is asked then, and what the
// answer says.

/// Asks Z3 a script of SMT-LIB 2 in any logic that ends with (check-sat), within the usual limits.
Reply ask_z3_script(const std::string& script);

/// The query as a script of SMT-LIB 2 for Z3, with limits as in ask_z3, that ends by asking for the answer, for why
/// there is none, and for the values of the variables.
/// Throws std::length_error as smtlib does.
std::string asking_script(const Query& query, unsigned work, unsigned milliseconds);

/// The same for sentences that are a script already; it asks for no values.
std::string asking_script(std::string_view sentences, unsigned work, unsigned milliseconds);

/// What such an answer says. The first line must be the answer, and every other line what was asked for behind it:
/// anything else, such as a message of an error, or a part of an answer, is `unknown`, with its beginning as the
/// reason. With `satisfiable`, each variable must have a value. Who can't ask says "no answer: " and why. O(printed).
Reply reply_of(std::string_view printed, const std::vector<std::string>& variables);

}  // namespace onceover::proofs
