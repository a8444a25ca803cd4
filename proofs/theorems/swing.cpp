// Swing with p = 2^L: every sequence of steps leads somewhere else. Lemmas A.1 to A.4 and theorem A.5.
//
// The idea: after s steps an even rank has heard of an interval lo .. hi of 2^s offsets (swing_intervals.h). rho(s)
// reflects it onto its neighbour on one side, so the next one is an interval, too, and has each integer once. Only for
// the last one, it remains to show that its integers are different ranks.
//
// Example: 0..0, 0..1, -2..1, -2..5: with p = 8, the last one has each residue once.
//
// The lemmas of the paper are proved beside that; the intervals say more. These are data: they end, and
// cost, when `prove` gives them to a solver.

#include <fmt/format.h>

#include <algorithm>

#include "proofs/theorem.h"
#include "proofs/theorems/swing_intervals.h"

namespace onceover::proofs {

namespace {

/// The intervals of the first steps, a line each; the part that the step before added as +.
std::string intervals_drawn() {
  constexpr int steps = 6;
  constexpr int left = -10;
  constexpr int right = 21;
  std::string picture;
  int rho = 1;
  int lo = 0, hi = 0;
  int old_lo = 0, old_hi = 0;
  for (int s = 0; s < steps; ++s) {
    std::string line;
    for (int x = left; x <= right; ++x) line += x < lo || x > hi ? '.' : x < old_lo || x > old_hi ? '+' : '#';
    picture += fmt::format("    s = {}  {}  {:3} .. {:<2}  rho = {}\n", s, line, lo, hi, rho);
    old_lo = lo, old_hi = hi;
    lo = std::min(old_lo, rho - old_hi);
    hi = std::max(old_hi, rho - old_lo);
    rho = 1 - 2 * rho;
  }
  return picture;
}

}  // namespace

Theorem step_sequences_theorem() {
  return {
      .id = "step-sequences",
      .title = "Swing with p = 2^L: exactly one sequence of steps leads from each rank to each other rank",
      .source = "Swing paper, appendix A.1: lemmas A.1 to A.4, theorem A.5, footnote 2",
      .assumes =
          "p = 2^L. At step s = 0 .. L-1 an even rank r exchanges with rank r + rho(s) mod p, and an odd rank r with "
          "rank r - rho(s) mod p.",
      .concludes = "After L steps every rank holds every rank's contribution exactly once.",
      .argument =
          "Induction over s. After s steps an even rank holds the contributions at the offsets lo .. hi, each once "
          "(interval-*, once-*). An odd rank holds those at the mirrored offsets (link-*, with lemma-a2 for the "
          "parity). After L steps the interval has 2^L = p integers, which are all residues mod p, each once (a5-*).",
      .solver_part =
          "The intervals begin with one offset and double (interval-*, once-*). Peers see them mirrored (link-*). The "
          "2^L integers of the last interval are all residues, each once (a5-*). Lemmas A.1 to A.4 hold",
      .kernel_part =
          "For p = 2^L each rank hears of each other one by exactly one sequence of steps (A5). So the schedule of "
          "whole "
          "vectors is exactly once (swing_latency_once)",
      .words_part =
          "In a sum of whole vectors, a rank's contribution occurs once for each sequence of steps that leads from "
          "that rank. A mirrored lane, with -rho, is the same with rank -r in place of rank r",
      .rows = {"swing-latency"},
      .covers = [](const std::vector<Rank>& shape) { return is_line(shape) && has_powers_of_two(shape); },
      .domain = "p = 2^a on a line",
      .picture = intervals_drawn,
      .obligations = {
          {.name = "multiple-gap",
           .statement = "a multiple of p other than 0 is at least p away from 0",
           .source = "used for 'mod p' throughout",
           .variables = "k p",
           .hypotheses = {"p > 0", "k != 0"},
           .goal = "k*p >= p or k*p <= -p",
           .mutant = {"k != 0", "k >= 0"}},
          {.name = "even-multiple",
           .statement = "if p is even, so is every multiple of p",
           .source = "lemma A.2",
           .variables = "k h",
           .hypotheses = {"h >= 1"},
           .goal = "k*(2*h) == 2*(k*h)",
           .mutant = {"k*(2*h) == 2*(k*h)", "k*(2*h) == 2*(k + h)"}},
          {.name = "rho-base",
           .statement = "rho(0) = 1 fits the closed form rho(s) = (1 - (-2)^(s+1)) / 3",
           .source = "equation 2",
           .variables = "rho np",
           .hypotheses = {"rho == 1", "np == -2"},
           .goal = "3*rho == 1 - np",
           .mutant = {"np == -2", "np == 2"}},
          {.name = "rho-step",
           .statement = "rho(s+1) = rho(s) + (-2)^(s+1) keeps the closed form, and equals 1 - 2 rho(s)",
           .source = "equation 2",
           .variables = "rho np rho2 np2",
           .hypotheses = {"3*rho == 1 - np", "rho2 == rho + np", "np2 == -2*np"},
           .goal = "3*rho2 == 1 - np2 and rho2 == 1 - 2*rho",
           .mutant = {"rho2 == rho + np", "rho2 == rho - np"}},
          {.name = "powers-base",
           .statement = "(-2)^1 = -2 * 2^0",
           .source = "equation 3",
           .variables = "parity np pw",
           .hypotheses = {"parity == 0", "np == -2", "pw == 1"},
           .goal = "np == (parity == 0 ? -2*pw : 2*pw)",
           .mutant = {"parity == 0", "parity == 1"}},
          {.name = "powers-step",
           .statement = "(-2)^(s+1) is -2 * 2^s for even s and 2 * 2^s for odd s",
           .source = "equation 3",
           .variables = "parity np pw parity2 np2 pw2",
           .hypotheses = {"parity == 0 or parity == 1", "pw >= 1", "np == (parity == 0 ? -2*pw : 2*pw)",
                          "parity2 == 1 - parity", "np2 == -2*np", "pw2 == 2*pw"},
           .goal = "np2 == (parity2 == 0 ? -2*pw2 : 2*pw2)",
           .mutant = {"np2 == -2*np", "np2 == 2*np"}},
          {.name = "delta-bound",
           .statement = "delta(s) = |rho(s)| is (2^(s+1) + 1) / 3 for even s and (2^(s+1) - 1) / 3 for odd s; it is at "
                        "most 2^s, and less from s = 1 on",
           .source = "equation 3",
           .variables = "parity rho np pw",
           .hypotheses = {"parity == 0 or parity == 1", "pw >= 1", "3*rho == 1 - np",
                          "np == (parity == 0 ? -2*pw : 2*pw)"},
           .goal = "3*abs(rho) == 2*pw + (parity == 0 ? 1 : -1) and abs(rho) <= pw and (pw < 2 or abs(rho) < pw)",
           .mutant = {"3*rho == 1 - np", "3*rho == 1 + np"}},
          {.name = "lemma-a1-base",
           .statement = "rho(0) is odd",
           .source = "lemma A.1",
           .variables = "rho",
           .hypotheses = {"rho == 1"},
           .goal = "rho mod 2 == 1",
           .mutant = {"rho == 1", "rho == 2"}},
          {.name = "lemma-a1-step",
           .statement = "rho(s+1) = 1 - 2 rho(s) is odd",
           .source = "lemma A.1",
           .variables = "rho rho2",
           .hypotheses = {"rho2 == 1 - 2*rho"},
           .goal = "rho2 mod 2 == 1",
           .mutant = {"rho2 == 1 - 2*rho", "rho2 == 1 - rho"}},
          {.name = "lemma-a2",
           .statement = "for even p, the peer of an even rank is odd, and the peer of an odd rank is even",
           .source = "lemma A.2",
           .variables = "p h rho r g m n",
           .hypotheses = {"p == 2*h", "h >= 1", "rho mod 2 == 1", "0 <= r and r < p", "0 <= g and g < p", "m == 2*n",
                          "g == (r mod 2 == 0 ? r + rho : r - rho) + m"},
           .goal = "g mod 2 != r mod 2",
           .mutant = {"m == 2*n", "m == n"}},
          {.name = "pairs",
           .statement = "for even p, the peer of a rank's peer is the rank itself",
           .source = "section 3.1.1",
           .variables = "p h rho r g r2 m m2 n n2",
           .hypotheses = {"p == 2*h", "h >= 1", "rho mod 2 == 1", "0 <= r and r < p", "0 <= r2 and r2 < p", "m == 2*n",
                          "m2 == 2*n2", "g == (r mod 2 == 0 ? r + rho : r - rho) + m",
                          "r2 == (g mod 2 == 0 ? g + rho : g - rho) + m2",
                          "m + m2 == 0 or m + m2 >= p or m + m2 <= -p"},
           .goal = "r2 == r",
           .mutant = {"rho mod 2 == 1", "rho mod 2 == 0"}},
          {.name = "no-shared-peer",
           .statement = "for even p, two ranks with the same peer are the same rank",
           .source = "appendix A.2 (ii), which prints g = s",
           .variables = "p h rho r g m n",
           .hypotheses = {"p == 2*h", "h >= 1", "rho mod 2 == 1", "0 <= r and r < p", "0 <= g and g < p",
                          "(r mod 2 == 0 ? r + rho : r - rho) + m == (g mod 2 == 0 ? g + rho : g - rho)", "m == 2*n",
                          "m == 0 or m >= p or m <= -p"},
           .goal = "r == g",
           .mutant = {"m == 0 or m >= p or m <= -p", "m == 0 or m >= 2 or m <= -2"}},
          {.name = "lemma-a3",
           .statement = "each hop changes the parity, so an odd number of hops ends on a rank of the other parity",
           .source = "lemma A.3",
           .variables = "r x j x2",
           .hypotheses = {"j >= 0", "x mod 2 == (r + j) mod 2", "x2 mod 2 != x mod 2"},
           .goal = "x2 mod 2 == (r + j + 1) mod 2 and ((j + 1) mod 2 == 0 or x2 mod 2 != r mod 2)",
           .mutant = {"x2 mod 2 != x mod 2", "x2 mod 2 == x mod 2"}},
          {.name = "lemma-a4-base",
           .statement = "the empty sum of powers of -2 is less than 2^0 in size",
           .source = "lemma A.4",
           .variables = "t pw",
           .hypotheses = {"t == 0", "pw == 1"},
           .goal = "-pw < t and t < pw",
           .mutant = {"t == 0", "t == 1"}},
          {.name = "lemma-a4-step",
           .statement = "a sum of different powers of -2 below n is less than 2^n in size",
           .source = "lemma A.4",
           .variables = "t pw np t2",
           .hypotheses = {"pw >= 1", "-pw < t and t < pw", "np == pw or np == -pw", "t2 == t or t2 == t + np"},
           .goal = "-2*pw < t2 and t2 < 2*pw",
           .mutant = {"t2 == t or t2 == t + np", "t2 == t or t2 == t + 2*np"}},
          {.name = "base-minus-two",
           .statement = "equal sums of powers of -2 have the same lowest digit, and what remains is equal, too",
           .source = "theorem A.5, case i",
           .variables = "b c t u",
           .hypotheses = {"b == 0 or b == 1", "c == 0 or c == 1", "b - 2*t == c - 2*u"},
           .goal = "b == c and t == u",
           .mutant = {"b == 0 or b == 1", "b == 0 or b == 2"}},
          {.name = "signed-power-step",
           .statement = "(-2)^a is 2^a for even a and -2^a for odd a",
           .source = "footnote 2",
           .variables = "parity q pw parity2 q2 pw2",
           .hypotheses = {"parity == 0 or parity == 1", "q == (parity == 0 ? pw : -pw)", "parity2 == 1 - parity",
                          "q2 == -2*q", "pw2 == 2*pw", "pw >= 1"},
           .goal = "q2 == (parity2 == 0 ? pw2 : -pw2)",
           .mutant = {"q2 == -2*q", "q2 == 2*q"}},
          {.name = "footnote-2",
           .statement = "2^a is (-2)^a for even a, and (-2)^(a+1) + (-2)^a for odd a",
           .source = "footnote 2",
           .variables = "parity q pw",
           .hypotheses = {"parity == 0 or parity == 1", "q == (parity == 0 ? pw : -pw)", "pw >= 1"},
           .goal = "pw == (parity == 1 ? -2*q + q : q)",
           .mutant = {"q == (parity == 0 ? pw : -pw)", "q == (parity == 0 ? -pw : pw)"}},
          {.name = "interval-base",
           .statement = "before the first step a rank holds its own contribution only: the interval 0 .. 0",
           .source = "key lemma, stronger than A.5",
           .variables = "parity rho pw lo hi",
           .hypotheses = {"parity == 0", "rho == 1", "pw == 1", "lo == 0", "hi == 0"},
           .goal = "hi - lo + 1 == pw and rho == 2*hi + 1 and lo == -2*hi",
           .mutant = {"rho == 1", "rho == 3"}},
          {.name = "interval-step",
           .statement = "one more step gives an interval of twice as many integers, and the next rho mirrors it to the "
                        "place beside it",
           .source = "key lemma",
           .variables = "parity rho pw lo hi parity2 rho2 pw2 lo2 hi2",
           .hypotheses = interval + next_interval,
           .goal = "lo2 <= 0 and 0 <= hi2 and hi2 - lo2 + 1 == pw2 and (parity2 == 0 ? rho2 == 2*hi2 + 1 and lo2 == "
                   "-2*hi2 : "
                   "rho2 == 2*lo2 - 1 and hi2 == 1 - 2*lo2)",
           .mutant = {"rho2 == 1 - 2*rho", "rho2 == 1 + 2*rho"}},
          {.name = "once-base",
           .statement = "before the first step a rank holds the contribution at offset 0 once, and no other",
           .source = "key lemma",
           .variables = "x lo hi",
           .hypotheses = {"lo == 0", "hi == 0"},
           .goal = "(x == 0) == (lo <= x and x <= hi)",
           .mutant = {"hi == 0", "hi == 1"}},
          {.name = "once-step",
           .statement = "after one more step a rank holds each x of the next interval once: it held x itself, or its "
                        "peer held rho - x, never both",
           .source = "key lemma; theorem A.5",
           .variables = "parity rho pw lo hi parity2 rho2 pw2 lo2 hi2 x",
           .hypotheses = interval + next_interval,
           .goal = "(lo <= x and x <= hi) + (lo <= rho - x and rho - x <= hi) == (lo2 <= x and x <= hi2)",
           .mutant = {"lo2 == min(lo, rho - hi)", "lo2 == min(lo, rho - hi) - 1"}},
          {.name = "link-even",
           .statement = "the peer of an even rank sees the mirrored offsets, up to a multiple of p",
           .source = "key lemma",
           .variables = "r g q rho m",
           .hypotheses = {"g == r + rho + m"},
           .goal = "g - q == rho - (q - r) + m",
           .mutant = {"g == r + rho + m", "g == r - rho + m"}},
          {.name = "link-odd",
           .statement = "the peer of an odd rank sees the mirrored offsets, too",
           .source = "key lemma",
           .variables = "r g q rho m",
           .hypotheses = {"g == r - rho + m"},
           .goal = "q - g == rho - (r - q) - m",
           .mutant = {"g == r - rho + m", "g == r + rho + m"}},
          {.name = "a5-unique",
           .statement = "for p = 2^L, no two integers of the last interval are the same rank",
           .source = "theorem A.5",
           .variables = "parity rho pw lo hi p e1 e2 m",
           .hypotheses = interval + Sentences{"p == pw", "lo <= e1 and e1 <= hi", "lo <= e2 and e2 <= hi",
                                              "e1 == e2 + m", "m == 0 or m >= p or m <= -p"},
           .goal = "e1 == e2",
           .mutant = {"p == pw", "p == pw - 1"}},
          {.name = "a5-exists",
           .statement = "for p = 2^L, every rank is an integer of the last interval",
           .source = "theorem A.5",
           .variables = "parity rho pw lo hi p d m t e",
           .hypotheses = interval + Sentences{"p == pw", "d - lo == m + t", "0 <= t and t < p", "e == lo + t"},
           .goal = "lo <= e and e <= hi and d - e == m",
           .mutant = {"p == pw", "p == pw + 1"}},
      }};
}

}  // namespace onceover::proofs
