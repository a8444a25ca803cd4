// cvc5, run as a program of its own.
#pragma once

#include <optional>

#include "proofs/prove.h"

namespace onceover::cli {

/// cvc5, which reads scripts on its standard input; nothing if it isn't installed.
std::optional<Solver> cvc5();

}  // namespace onceover::cli
