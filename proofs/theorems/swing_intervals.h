// What an even rank has heard of after some steps of Swing, as sentences: an interval of offsets.
//
// The variables of the induction over the steps s: parity = s mod 2, rho = rho(s), pw = 2^s, lo and hi. A name with 2
// at its end is the same at s + 1.
#pragma once

#include "proofs/theorem.h"

namespace onceover::proofs {

/// The interval after s steps has 2^s integers, and rho(s) reflects it onto its neighbour on one side.
inline const Sentences interval{
    "parity == 0 or parity == 1",
    "pw >= 1",
    "lo <= 0 and 0 <= hi",
    "hi - lo + 1 == pw",
    "parity == 0 ? rho == 2*hi + 1 and lo == -2*hi : rho == 2*lo - 1 and hi == 1 - 2*lo",
};

/// One more step: an even rank's peer is odd and has heard of the mirror image.
inline const Sentences next_interval{
    "parity2 == 1 - parity", "rho2 == 1 - 2*rho", "pw2 == 2*pw", "lo2 == min(lo, rho - hi)", "hi2 == max(hi, rho - lo)",
};

}  // namespace onceover::proofs
