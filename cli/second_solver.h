// cvc5, run as a program of its own.
#pragma once

#include <optional>
#include <string>

#include "proofs/query.h"

namespace onceover::cli {

/// cvc5, which reads scripts on its standard input; nothing if it isn't installed.
std::optional<Solver> cvc5();

/// Gives cvc5, which must be installed, an SMT-LIB script that ends with (check-sat). It doesn't learn which answer is
/// expected.
Reply ask_cvc5(const std::string& script);

}  // namespace onceover::cli
