// One question to Z3, within limits. Only sources of this folder include it: it shows Z3's types.
#pragma once

#include <z3++.h>

#include <functional>

#include "proofs/query.h"

namespace onceover::proofs {

/// Asks the solver that `filled` makes and gives its sentences. A stop interrupts it; so may the limits, and then the
/// reply is `unknown`. The model has numbers as decimals and truth values as "true" and "false".
Reply checked(const std::function<z3::solver(z3::context&)>& filled, unsigned work = solver_work,
              unsigned milliseconds = solver_milliseconds);

}  // namespace onceover::proofs
