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
      .title = "Folding N vectors into ceil(N/2) until one is left",
      .source = "Kolmakov and Zhang, sections 7 to 9; equations 20, 21 and 23 corrected",
      .assumes =
          "any p; vector k is k places to the right of its owners; a step with N vectors sends those from ceil(N/2) on "
          "floor(N/2) "
          "places to the left. With removed steps: vectors carry classes 0 .. N-1, each position takes what it lacks "
          "from some "
          "position of the class that its own meets",
      .concludes =
          "after ceil(log2 p) steps vector 0 has every rank's contribution exactly once, and floor(N/2) vectors were "
          "sent in a "
          "step, p-1 in all (equation 25). With removed steps every position that is asked for has, too",
      .argument =
          "Each vector is kept or sent, once (fold-partition), onto a place that is kept (fold-lands): so the sums of "
          "a step are disjoint and "
          "none is lost. N halves (fold-halves). Classes: partners meet each other (class-partners), and the class "
          "afterwards is the union "
          "of the two, disjoint, or the one that rests (class-union); so a position of class c holds the vectors of "
          "its class, each once, "
          "and with one class left all of them. Products of groups: one factor after the other, each on the sums that "
          "the last one left; without removed steps each block is sent once, after all that is received of it, as "
          "time-reversal asks.",
      .solver_part =
          "one folding: what moves lands on a place that is kept (fold-*), and classes meet in pairs (class-*)",
      .words_part = "the induction over the foldings, with and without removed steps; products of groups",
      .uses = {"time-reversal", "torus-products"},
      .rows = {"generalized"},
      .domain = "every p, group and number of removed steps",
      .obligations = {
          {.name = "fold-lands",
           .statement = "what is sent lands on a place that is kept, and not on vector 0 where N is odd",
           .source = "equations 19 and 20",
           .variables = "n f c j",
           .hypotheses = fold + Sentences{"c <= j and j <= n - 1"},
           .goal = "0 <= j - f and j - f <= c - 1 and (n == 2*f or j - f >= 1)",
           .mutant = {"c <= j and j <= n - 1", "f <= j and j <= n - 1"}},
          {.name = "fold-partition",
           .statement = "a kept place gets one vector, but vector 0 where N is odd",
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
           .statement = "2^k < N <= 2^(k+1) becomes 2^(k-1) < N <= 2^k",
           .source = "equation 18",
           .variables = "n f c v",
           .hypotheses = fold + Sentences{"v >= 1", "2*v < n and n <= 4*v"},
           .goal = "v < c and c <= 2*v",
           .mutant = {"2*v < n and n <= 4*v", "2*v <= n and n <= 4*v"}},
          {.name = "class-partners",
           .statement =
               "the middle class rests where N is odd; of all others, partners are each other's, and are classes",
           .source = "sections 8 and 9, with one value a rank and block",
           .variables = "n f c k partner back",
           .hypotheses =
               fold + Sentences{"0 <= k and k < n", "n == 2*f or k != f", "partner == (k < c ? k + c : k - c)",
                                "back == (partner < c ? partner + c : partner - c)"},
           .goal = "0 <= partner and partner < n and partner != k and back == k",
           .mutant = {"n == 2*f or k != f", "n == 2*f or k != f + 1"}},
          {.name = "class-union",
           .statement =
               "a class and its partner are one class afterwards, no third one is; the resting class keeps to itself",
           .source = "sections 8 and 9",
           .variables = "n f c k j after_k after_j",
           .hypotheses = fold + Sentences{"0 <= k and k < n", "0 <= j and j < n", "after_k == (k < c ? k : k - c)",
                                          "after_j == (j < c ? j : j - c)"},
           .goal = "0 <= after_k and after_k < c and (after_k == after_j) == (k == j or k == j + c or j == k + c)",
           .mutant = {"after_j == (j < c ? j : j - c)", "after_j == (j < c ? j : j - f)"}},
      }};
}

}  // namespace onceover::proofs
