// Z3, behind a function.
#pragma once

#include "proofs/query.h"

namespace onceover::proofs {

/// Units of work (Z3's rlimit, the same on every machine) that one query may take.
inline constexpr unsigned solver_work = 20'000'000;

/// Milliseconds after which a query is given up in any case: some of Z3's procedures don't count their work.
inline constexpr unsigned solver_milliseconds = 5'000;

/// Asks Z3. May be called on several threads at once.
Reply ask_z3(const Query& query, unsigned work = solver_work, unsigned milliseconds = solver_milliseconds);

/// "Z3 4.8.12".
std::string z3_version();

}  // namespace onceover::proofs
