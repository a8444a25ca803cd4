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
      .title = "Swing with even p: each rank is reached, at most twice",
      .source = "Swing paper, appendix A.2, whose argument for property ii does not show it",
      .assumes = "p even, 2^(L-1) < p <= 2^L; peers as in step-sequences",
      .concludes =
          "within L steps every rank hears of every rank; of 2^L - p of them by two sequences of steps, one of which "
          "uses "
          "the last step; it hears of itself again from 3p <= 2^(L+1) - 1 on",
      .argument =
          "The interval after L steps (step-sequences, which needs p even only) has 2^L >= p integers: every residue "
          "is "
          "among them (cover-*), none three times, since 2^L < 2p (at-most-twice).",
      .solver_part =
          "that the last interval has every residue, none three times, and one of two only since the last step; how "
          "many it has twice",
      .kernel_part =
          "for every even p some sequence of L steps leads from each rank to each (cover), and the reduce-scatter by "
          "the rule of covering-peers brings every contribution to its owner (reduce_scatter)",
      .words_part = "that what is shown of the integers of an interval holds of the ranks that are heard of twice",
      .uses = {"step-sequences"},
      .rows = {},
      .domain = "even p",
      .obligations = {
          {.name = "cover-even",
           .statement = "every residue has an integer in the interval",
           .source = "appendix A.2 (ii)",
           .variables = "parity rho pw half lo hi p h d m t e",
           .hypotheses = interval + even_ranks + Sentences{"d - lo == m + t", "0 <= t and t < p", "e == lo + t"},
           .goal = "lo <= e and e <= hi and d - e == m",
           .mutant = {"half < p and p <= pw", "half < p and p <= pw + 2"}},
          {.name = "at-most-twice",
           .statement = "no residue has three",
           .source = "appendix A.2",
           .variables = "parity rho pw half lo hi p h e m m2",
           .hypotheses = interval + even_ranks + Sentences{"m >= p", "m2 >= p", "lo <= e and e <= hi"},
           .goal = "not (lo <= e + m + m2 and e + m + m2 <= hi)",
           .mutant = {"half < p and p <= pw", "p <= pw"}},
          {.name = "second-last-distinct",
           .statement = "before the last step nothing has come twice",
           .source = "appendix A.2, 'holds until the second-last step'",
           .variables = "parity rho pw lo hi p h e1 e2 m",
           .hypotheses = interval + Sentences{"p == 2*h", "h >= 1", "pw < p and p <= 2*pw", "lo <= e1 and e1 <= hi",
                                              "lo <= e2 and e2 <= hi", "e1 == e2 + m", "m == 0 or m >= p or m <= -p"},
           .goal = "e1 == e2",
           .mutant = {"pw < p and p <= 2*pw", "p < pw"}},
          {.name = "one-in-last-step",
           .statement = "of two integers for one rank exactly one is new in the last step",
           .source = "section 3.2",
           .variables = "parity rho pw lo hi parity2 rho2 pw2 lo2 hi2 p h e m",
           .hypotheses = interval + next_interval +
                         Sentences{"p == 2*h", "h >= 1", "pw < p and p <= pw2", "m >= p", "lo2 <= e and e <= hi2",
                                   "lo2 <= e + m and e + m <= hi2"},
           .goal = "(lo <= e and e <= hi) + (lo <= e + m and e + m <= hi) == 1",
           .mutant = {"m >= p", "m >= 1"}},
          {.name = "duplicate-count",
           .statement = "2^L - p ranks are heard of twice",
           .source = "section 3.2",
           .variables = "parity rho pw half lo hi p h e n",
           .hypotheses = interval + even_ranks + Sentences{"n == hi - p - lo + 1"},
           .goal = "n == pw - p and (lo <= e and e <= hi and lo <= e + p and e + p <= hi) == (lo <= e and e <= hi - p)",
           .mutant = {"n == hi - p - lo + 1", "n == hi + p - lo + 1"}},
          {.name = "own-block-returns",
           .statement = "a rank hears of itself again exactly when 3p <= 2^(L+1) - 1",
           .source = "not in the paper",
           .variables = "parity rho pw half lo hi p h",
           .hypotheses = interval + even_ranks,
           .goal = "(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= 2*pw - 1)",
           .mutant = {"(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= 2*pw - 1)",
                      "(lo <= p and p <= hi or lo <= -p and -p <= hi) == (3*p <= pw)"}},
          {.name = "hops-powers-of-two",
           .statement = "p = 2^L: delta(s) is at most p/2, so it is the number of hops",
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
               "the offsets that an even rank's data has reached: mirrored for even ones, as heard for odd ones",
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
