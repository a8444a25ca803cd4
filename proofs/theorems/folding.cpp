// Kolmakov and Zhang's folding of distributed vectors.

#include "proofs/sentences.h"
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
          "ceil(N/2) .. N-1 by floor(N/2) places to the left. With removed steps, vectors carry the classes 0 .. N-1. "
          "Each position takes the vectors that it lacks from some position of the class that its own class meets.",
      .concludes =
          "After ceil(log2 p) steps vector 0 has every rank's contribution exactly once. A step with N vectors sends "
          "floor(N/2) of them, and all steps together send p-1 (equation 25). With removed steps, every position that "
          "is asked for has every contribution exactly once, too.",
      .argument =
          "A step keeps or sends each vector, once (fold-partition), and what it sends lands on a place that is kept "
          "(fold-lands). So the sums of a step are disjoint, and none is lost. N halves (fold-halves). With classes, "
          "partners meet each other (class-partners). A class afterwards is the disjoint union of two partners, or the "
          "class that rests (class-union). So a position of class c holds the vectors of its class, each once, and all "
          "vectors when one class is left. In a product of groups one factor follows the other, and works on the sums "
          "that the last one left. Without removed steps a rank sends each block once, after it has received "
          "everything for it, as time-reversal requires.",
      .solver_part =
          "In one folding, what moves lands on a place that is kept (fold-*). Classes meet in pairs (class-*)",
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
          {.name = "class-partners",
           .statement =
               "the middle class rests if N is odd; every other class has a partner, and is its partner's partner",
           .source = "sections 8 and 9, with one value a rank and block",
           .variables = "n f c k partner back",
           .hypotheses =
               fold + Sentences{"0 <= k and k < n", "n == 2*f or k != f", "partner == (k < c ? k + c : k - c)",
                                "back == (partner < c ? partner + c : partner - c)"},
           .goal = "0 <= partner and partner < n and partner != k and back == k",
           .mutant = {"n == 2*f or k != f", "n == 2*f or k != f + 1"}},
          {.name = "class-union",
           .statement =
               "a class and its partner become one class, which no third class joins; a resting class stays alone",
           .source = "sections 8 and 9",
           .variables = "n f c k j after_k after_j",
           .hypotheses = fold + Sentences{"0 <= k and k < n", "0 <= j and j < n", "after_k == (k < c ? k : k - c)",
                                          "after_j == (j < c ? j : j - c)"},
           .goal = "0 <= after_k and after_k < c and (after_k == after_j) == (k == j or k == j + c or j == k + c)",
           .mutant = {"after_j == (j < c ? j : j - c)", "after_j == (j < c ? j : j - f)"}},
      }};
}

}  // namespace onceover::proofs
