// Swing with an even number of ranks: every rank is reached. It replaces the argument of appendix A.2.
//
// Example: p = 6 has three steps, after which the interval is -2..5. Of its 8 integers, -2 and 4 are one rank, and so
// are -1 and 5: 2^3 - 6 = 2 ranks are heard of twice.

#include "proofs/theorem.h"
#include "proofs/theorems/swing_intervals.h"

namespace onceover::proofs {

namespace {

/// p is even, and 2^(L-1) < p <= 2^L with pw = 2^L.
const Sentences even_ranks{"p == 2*h", "h >= 1", "pw == 2*half", "half < p and p <= pw"};

}  // namespace

Theorem even_cover_theorem() {
  return {
      .id = "even-cover",
      .title = "Swing with even p: every rank reaches every rank, by at most two sequences of steps",
      .source = "Swing paper, appendix A.2; its argument for property ii does not prove this",
      .assumes = "p is even, and 2^(L-1) < p <= 2^L. Peers are those of step-sequences.",
      .concludes =
          "Within L steps every rank's contribution reaches every rank. The contributions of 2^L - p ranks reach a "
          "rank by two sequences of steps, and exactly one of the two uses the last step. A rank's own contribution "
          "returns to it exactly when 3p <= 2^(L+1) - 1.",
      .argument =
          "The intervals of step-sequences need only that p is even. After L steps the interval has 2^L >= p integers, "
          "so every residue mod p is among them (cover-even). No residue occurs three times, since 2^L < 2p "
          "(at-most-twice).",
      .solver_part =
          "The last interval has every residue, and none three times. Of two integers for one residue, exactly one is "
          "new in the last step. Exactly 2^L - p residues occur twice",
      .kernel_part =
          "For every even p each rank hears of each other one once or twice (even_cover). So Swing's peers cover "
          "(swing_covers)",
      .words_part =
          "What Z3 shows about the integers of an interval also holds for the ranks whose contributions arrive by two "
          "sequences",
      .uses = {"step-sequences"},
      .rows = {},
      .domain = "even p",
      .obligations = {
          {.name = "cover-even",
           .statement = "the last interval has an integer for every residue mod p",
           .source = "appendix A.2 (ii)",
           .variables = "parity rho pw half lo hi p h d m t e",
           .hypotheses = interval + even_ranks + Sentences{"d - lo == m + t", "0 <= t and t < p", "e == lo + t"},
           .goal = "lo <= e and e <= hi and d - e == m",
           .mutant = {"half < p and p <= pw", "half < p and p <= pw + 2"}},
          {.name = "at-most-twice",
           .statement = "no residue has three integers in the last interval",
           .source = "appendix A.2",
           .variables = "parity rho pw half lo hi p h e m m2",
           .hypotheses = interval + even_ranks + Sentences{"m >= p", "m2 >= p", "lo <= e and e <= hi"},
           .goal = "not (lo <= e + m + m2 and e + m + m2 <= hi)",
           .mutant = {"half < p and p <= pw", "p <= pw"}},
          {.name = "second-last-distinct",
           .statement = "before the last step no two integers of the interval are the same rank",
           .source = "appendix A.2, 'holds until the second-last step'",
           .variables = "parity rho pw lo hi p h e1 e2 m",
           .hypotheses = interval + Sentences{"p == 2*h", "h >= 1", "pw < p and p <= 2*pw", "lo <= e1 and e1 <= hi",
                                              "lo <= e2 and e2 <= hi", "e1 == e2 + m", "m == 0 or m >= p or m <= -p"},
           .goal = "e1 == e2",
           .mutant = {"pw < p and p <= 2*pw", "p < pw"}},
          {.name = "one-in-last-step",
           .statement = "of two integers for one rank, exactly one is new in the last step",
           .source = "section 3.2",
           .variables = "parity rho pw lo hi parity2 rho2 pw2 lo2 hi2 p h e m",
           .hypotheses = interval + next_interval +
                         Sentences{"p == 2*h", "h >= 1", "pw < p and p <= pw2", "m >= p", "lo2 <= e and e <= hi2",
                                   "lo2 <= e + m and e + m <= hi2"},
           .goal = "(lo <= e and e <= hi) + (lo <= e + m and e + m <= hi) == 1",
           .mutant = {"m >= p", "m >= 1"}},
          {.name = "duplicate-count",
           .statement = "the contributions of 2^L - p ranks reach a rank by two sequences of steps",
           .source = "section 3.2",
           .variables = "parity rho pw half lo hi p h e n",
           .hypotheses = interval + even_ranks + Sentences{"n == hi - p - lo + 1"},
           .goal = "n == pw - p and (lo <= e and e <= hi and lo <= e + p and e + p <= hi) == (lo <= e and e <= hi - p)",
           .mutant = {"n == hi - p - lo + 1", "n == hi + p - lo + 1"}},
          {.name = "own-block-returns",
           .statement = "a rank's own contribution returns to it exactly when 3p <= 2^(L+1) - 1",
           .source = "not in the paper",
           .variables = "parity rho pw half lo hi p h",
           .hypotheses = interval + even_ranks,
           .goal = "(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= 2*pw - 1)",
           .mutant = {"(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= 2*pw - 1)",
                      "(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= pw)"}},
          {.name = "hops-powers-of-two",
           .statement = "for p = 2^L, delta(s) is at most p/2, so it is the number of hops",
           .source = "appendix A; false for some other even p",
           .variables = "parity rho np pw p",
           .hypotheses = {"parity == 0 or parity == 1", "pw >= 1", "3*rho == 1 - np",
                          "np == (parity == 0 ? -2*pw : 2*pw)", "p >= 2*pw"},
           .goal = "2*abs(rho) <= p",
           .mutant = {"p >= 2*pw", "p >= pw"}},
          {.name = "send-set-parity",
           .statement = "the predecessor of an offset has the other parity",
           .source = "section 3.1.1",
           .variables = "y rho",
           .hypotheses = {"rho mod 2 == 1"},
           .goal = "(y + rho) mod 2 != y mod 2 and (y - rho) mod 2 != y mod 2",
           .mutant = {"rho mod 2 == 1", "rho mod 2 == 0"}},
          {.name = "send-set-step",
           .statement =
               "an even rank's data has reached an odd offset y if y is in the interval, and an even offset y if -y is",
           .source = "section 3.1.1",
           .variables = "parity rho pw lo hi parity2 rho2 pw2 lo2 hi2 y odd e f",
           .hypotheses =
               interval + next_interval +
               Sentences{"odd == 0 or odd == 1", "e == (odd == 0 ? -y : y)", "f == (odd == 0 ? y + rho : rho - y)"},
           .goal = "(lo <= e and e <= hi) + (lo <= f and f <= hi) == (lo2 <= e and e <= hi2)",
           .mutant = {"f == (odd == 0 ? y + rho : rho - y)", "f == (odd == 0 ? y - rho : rho - y)"}},
      }};
}

}  // namespace onceover::proofs
