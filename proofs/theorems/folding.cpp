// Kolmakov and Zhang's folding of distributed vectors.

#include "proofs/theorem.h"

namespace onceover::proofs {

namespace {

/// N vectors, f = floor(N/2) and c = ceil(N/2).
const Sentences fold{"n >= 2", "n == 2*f or n == 2*f + 1", "c == n - f"};

}  // namespace

Theorem folding_theorem() {
  return {
      .id = "folding",
      .title = "Folding N vectors into ceil(N/2) until one is left adds every contribution once",
      .source = "Kolmakov and Zhang, sections 7 to 9; equations 20, 21 and 23 corrected",
      .assumes =
          "p is any number. Vector k is k places to the right of its owners. A step with N vectors sends the vectors "
          "ceil(N/2) .. N-1 by floor(N/2) places to the left. With removed steps the vectors 0 .. M-1 are asked for, "
          "and "
          "the same steps serve each of them. A rank then keeps two sums of a vector, where they differ: one that "
          "rested as the vector asked for, and one that moves.",
      .concludes =
          "After ceil(log2 p) steps vector 0 has every rank's contribution exactly once. A step with N vectors sends "
          "floor(N/2) of them, and all steps together send p-1 (equation 25). With removed steps, every vector that is "
          "asked for has every contribution exactly once, too, and a step sends at most M-1 vectors more.",
      .argument =
          "A step keeps or sends each vector, once (fold-partition), and what it sends lands on a place that is kept "
          "(fold-lands). So the sums of a step are disjoint, and none is lost. N halves (fold-halves). For each vector "
          "k that is asked for the N vectors are k, which rests if N is odd, and k+1 .. k+N-1, which move. What moves "
          "is the same sum for every k, so one message carries it. Each sum finds what it adds (sums-moving, "
          "sums-resting). Where a vector asked for has no sum that moves, it needs none later (sums-shrink). In a "
          "product of groups one factor follows the other, and works on the sums that the last one left. Without "
          "removed steps a rank sends each block once, after it has received everything for it, as time-reversal "
          "requires.",
      .solver_part =
          "In one folding, what moves lands on a place that is kept (fold-*), and each sum finds what it adds (sums-*)",
      .words_part = "The induction over the foldings, with and without removed steps; products of groups",
      .uses = {"time-reversal", "torus-products"},
      .rows = {"generalized"},
      .domain = "every p, group and number of removed steps",
      .obligations = {
          {.name = "fold-lands",
           .statement = "what is sent lands on a place that is kept, and not on vector 0 if N is odd",
           .source = "equations 19 and 20",
           .variables = "n f c j",
           .hypotheses = fold + Sentences{"c <= j and j <= n - 1"},
           .goal = "0 <= j - f and j - f <= c - 1 and (n == 2*f or j - f >= 1)",
           .mutant = {"c <= j and j <= n - 1", "f <= j and j <= n - 1"}},
          {.name = "fold-partition",
           .statement = "each kept place gets one vector, except vector 0 if N is odd",
           .source = "equations 21 to 23",
           .variables = "n f c x",
           .hypotheses = fold + Sentences{"0 <= x and x <= c - 1"},
           .goal = "0 <= x and x <= n - 1 and (c <= x + f and x + f <= n - 1) == (n == 2*f or x >= 1)",
           .mutant = {"c == n - f", "c == f"}},
          {.name = "fold-count",
           .statement = "a step sends floor(N/2) vectors",
           .source = "equation 25",
           .variables = "n f c sent",
           .hypotheses = fold + Sentences{"sent == n - c"},
           .goal = "sent == f",
           .mutant = {"sent == n - c", "sent == n + c"}},
          {.name = "fold-ends",
           .statement = "two vectors become one",
           .source = "equation 24",
           .variables = "n f c",
           .hypotheses = fold + Sentences{"n == 2"},
           .goal = "c == 1",
           .mutant = {"n == 2", "n == 3"}},
          {.name = "fold-halves",
           .statement = "a step turns 2^k < N <= 2^(k+1) into 2^(k-1) < N <= 2^k",
           .source = "equation 18",
           .variables = "n f c v",
           .hypotheses = fold + Sentences{"v >= 1", "2*v < n and n <= 4*v"},
           .goal = "v < c and c <= 2*v",
           .mutant = {"2*v < n and n <= 4*v", "2*v <= n and n <= 4*v"}},
          {.name = "sums-moving",
           .statement = "a sum that moves, of the vectors 1 .. M+N-2, meets another one",
           .source = "sections 8 and 9",
           .variables = "n f c t m",
           .hypotheses = fold + Sentences{"t >= 1", "1 <= m and m <= t + c - 2"},
           .goal = "m <= t + n - 2 and 1 <= m + f and m + f <= t + n - 2",
           .mutant = {"1 <= m and m <= t + c - 2", "1 <= m and m <= t + c - 1"}},
          {.name = "sums-resting",
           .statement = "if N is even, the sum of a vector that is asked for meets one that moves",
           .source = "sections 8 and 9",
           .variables = "n f c t m",
           .hypotheses = fold + Sentences{"n == 2*f", "t >= 1", "0 <= m and m <= t - 1"},
           .goal = "1 <= m + f and m + f <= t + n - 2",
           .mutant = {"0 <= m and m <= t - 1", "0 <= m and m <= t"}},
          {.name = "sums-shrink",
           .statement = "what moves after the next step is among what moves after this one",
           .source = "sections 8 and 9",
           .variables = "c d t m",
           .hypotheses = {"c >= 2", "2*d == c or 2*d == c + 1", "t >= 1", "1 <= m", "m <= t + d - 2"},
           .goal = "m <= t + c - 2",
           .mutant = {"m <= t + d - 2", "m <= t + d"}},
      }};
}

}  // namespace onceover::proofs
