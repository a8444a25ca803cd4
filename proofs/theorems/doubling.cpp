// Recursive doubling and halving, ring, Bruck's trees and PAT's order of them: theorems about schedules in which what a
// rank has grows by a simple rule. Each is an induction: a sentence says what a step adds, others how it begins, or
// that in the end it is all ranks, each once.
//
// What a rank has is its aligned block of 2^s ranks (doubling), the offsets 1 .. t+1 (ring), or displacements: 0 ..
// min(2^k, p)-1 with near ranks first, multiples of 2^(k+1) below p with far ones first (Bruck). A condition is 1 where
// it holds, so (A) + (B) == (C) says that whatever is in C is in A or in B, and never in both: "each once".
//
// Example: Bruck's near order at p = 6. A rank has the displacements 0, then 0..1, then 0..3; the last step brings
// min(4, 6-4) = 2 more: 0..5.
//
// These are data: they end, and cost, when prove.h gives them to a solver.

#include "proofs/theorem.h"

namespace onceover::proofs {

Theorem recursive_doubling_theorem() {
  return {
      .id = "recursive-doubling",
      .title = "Exchanges with rank r xor 2^s cover all ranks, each once",
      .source = "Swing paper, sections 2.3.2 and 2.3.3; Thakur, Rabenseifner and Gropp",
      .assumes = "p = 2^a; at step s rank r exchanges with r xor 2^s, in any order of the s",
      .concludes =
          "after the steps 0 .. s-1 rank r has the 2^s ranks of its aligned block, each once; after all of them every "
          "rank. "
          "As a reduce-scatter or an allgather: covering-peers and time-reversal",
      .argument =
          "Induction over s (doubling-*). For r = U + b 2^s + t with 0 <= t < 2^s and U a multiple of 2^(s+1), r xor "
          "2^s is "
          "U + (1-b) 2^s + t. In another order of the bits the same holds of ranks with renamed bits.",
      .solver_part = "how aligned blocks of ranks double (doubling-*)",
      .kernel_part =
          "the reduce-scatter along r xor 2^s, s = 0, 1, .., by the rule of covering-peers brings every contribution "
          "to its owner (doubling)",
      .words_part =
          "the induction for whole vectors; other orders of the s; tori, whose coordinates are bits of the rank",
      .uses = {"covering-peers", "time-reversal"},
      .rows = {"recursive-doubling", "rabenseifner", "recursive-halving-doubling"},
      .covers = has_powers_of_two,
      .domain = "p = 2^a, and tori with such sides",
      .obligations = {
          {.name = "doubling-base",
           .statement = "before the first step a rank has itself",
           .source = "section 2.3.2",
           .variables = "r q t size",
           .hypotheses = {"size == 1", "0 <= t and t < size"},
           .goal = "(r - t <= q and q <= r - t + size - 1) == (q == r)",
           .mutant = {"size == 1", "size == 2"}},
          {.name = "doubling-step",
           .statement = "a rank's block and its peer's make up the next block, each rank of it once",
           .source = "section 2.3.2",
           .variables = "u size b t r g q",
           .hypotheses = {"size >= 1", "b == 0 or b == 1", "0 <= t and t < size", "r == u + t + (b ? size : 0)",
                          "g == u + t + (b ? 0 : size)"},
           .goal =
               "(r - t <= q and q < r - t + size) + (g - t <= q and q < g - t + size) == (u <= q and q < u + 2*size)",
           .mutant = {"g == u + t + (b ? 0 : size)", "g == u + t + (b ? size : 0)"}},
          {.name = "doubling-end",
           .statement = "the aligned block of p ranks begins with rank 0",
           .source = "section 2.3.2",
           .variables = "p r u t",
           .hypotheses = {"p >= 1", "0 <= r and r < p", "r == u + t", "0 <= t and t < p",
                          "u == 0 or u >= p or u <= -p"},
           .goal = "u == 0",
           .mutant = {"0 <= t and t < p", "0 <= t and t <= p"}},
      }};
}

Theorem ring_theorem() {
  return {
      .id = "ring",
      .title = "A block that goes around the ring meets every rank once",
      .source = "Swing paper, section 2.3.1",
      .assumes =
          "any p; block b starts at rank b+1 and goes p-1 hops to the right, one after the other, each rank adding its "
          "contribution; or all to the left",
      .concludes =
          "it arrives at rank b with every rank's contribution exactly once, and each rank sends it once, after it "
          "came",
      .argument =
          "After t hops it is at b+1+t with the offsets 1 .. t+1 (around-step); after p-1 hops at b+p = b with 1 .. p, "
          "which are "
          "all residues (around-once, around-all).",
      .solver_part = "the offsets that a block has met after each hop, and that p of them are all ranks once",
      .kernel_part =
          "the reduce-scatter along r + 1 in p-1 steps, by the rule of covering-peers, brings every contribution to "
          "its owner (ring)",
      .words_part =
          "the induction over the hops, which may go to the left and may lie several steps apart; other cycles through "
          "all ranks",
      .uses = {"time-reversal"},
      .rows = {"ring", "hamiltonian-ring"},
      .covers = is_line,
      .domain = "every p",
      .obligations = {
          {.name = "around-step",
           .statement = "the next rank adds the next offset",
           .source = "section 2.3.1",
           .variables = "t o",
           .hypotheses = {"t >= 0"},
           .goal = "(1 <= o and o <= t + 1) + (o == t + 2) == (1 <= o and o <= t + 2)",
           .mutant = {"t >= 0", "t >= -3"}},
          {.name = "around-once",
           .statement = "no two offsets are the same rank",
           .source = "section 2.3.1",
           .variables = "p o1 o2 m",
           .hypotheses = {"p >= 1", "1 <= o1 and o1 <= p", "1 <= o2 and o2 <= p", "o1 == o2 + m",
                          "m == 0 or m >= p or m <= -p"},
           .goal = "o1 == o2",
           .mutant = {"1 <= o1 and o1 <= p", "1 <= o1 and o1 <= p + 1"}},
          {.name = "around-all",
           .statement = "every rank is one of them",
           .source = "section 2.3.1",
           .variables = "p d m t",
           .hypotheses = {"p >= 1", "d - 1 == m + t", "0 <= t and t < p"},
           .goal = "1 <= 1 + t and 1 + t <= p and d - (1 + t) == m",
           .mutant = {"0 <= t and t < p", "0 <= t and t <= p"}},
      }};
}

Theorem bruck_theorem() {
  return {.id = "bruck",
          .title = "Bruck's allgather, near or far ranks first, for every p",
          .source = "PAT paper, section 2",
          .assumes =
              "any p, L = ceil(log2 p); near: at step k rank r sends the blocks at displacement 0 .. min(2^k, p-2^k)-1 "
              "to r + 2^k; far: "
              "the multiples of 2^(k+1) below p - 2^k, for k = L-1 .. 0",
          .concludes = "every rank ends with every block, each received once; the reduce-scatter is the time reversal",
          .argument =
              "Near: after k steps a rank has the displacements 0 .. min(2^k, p)-1 (near-step, near-end). Far: before "
              "the step of "
              "2^k it has the multiples of 2^(k+1) below p (far-step). Displacements below p are different ranks "
              "(below-p).",
          .solver_part =
              "the displacements that a step adds, near (near-*) and far (far-step), and that they are different ranks",
          .kernel_part = "near ranks first: every block comes exactly once (bruck_gathers)",
          .words_part = "the induction for far ranks first; the reduce-scatters",
          .uses = {"time-reversal"},
          .rows = {"bruck"},
          .domain = "every p",
          .obligations = {
              {.name = "near-step",
               .statement = "a rank's displacements and those that arrive are the next ones, each once",
               .source = "section 2",
               .variables = "w p w2 o c",
               .hypotheses = {"1 <= w and w < p", "c == min(w, p - w)", "w2 == min(2*w, p)"},
               .goal = "(0 <= o and o < w) + (0 <= o - w and o - w < c) == (0 <= o and o < w2)",
               .mutant = {"c == min(w, p - w)", "c == w"}},
              {.name = "near-end",
               .statement = "the number of displacements is min(2^k, p), so p after L steps",
               .source = "section 2",
               .variables = "pw p w w2",
               .hypotheses = {"pw >= 1", "p >= 1", "w == min(pw, p)", "w2 == min(2*w, p)"},
               .goal = "w2 == min(2*pw, p) and (pw < p or w == p)",
               .mutant = {"w == min(pw, p)", "w == min(pw, p) - 1"}},
              {.name = "below-p",
               .statement = "displacements below p are different ranks",
               .source = "section 2",
               .variables = "p o1 o2 m",
               .hypotheses = {"p >= 1", "0 <= o1 and o1 < p", "0 <= o2 and o2 < p", "o1 == o2 + m",
                              "m == 0 or m >= p or m <= -p"},
               .goal = "o1 == o2",
               .mutant = {"0 <= o1 and o1 < p", "0 <= o1 and o1 <= p"}},
              {.name = "far-step",
               .statement = "the multiples of w are those of 2w, and those of 2w plus w; below p, each once",
               .source = "section 2",
               .variables = "w p k e o",
               .hypotheses = {"w >= 1", "p >= 1", "k == 0 or k >= 2*w", "0 <= e and e < 2*w", "o == k + e"},
               .goal = "(e == 0 and 0 <= o and o < p) + (e == w and o - w >= 0 and o < p) == ((e == 0 or e == w) and 0 "
                       "<= o and o < p)",
               .mutant = {"k == 0 or k >= 2*w", "k == 0 or k >= -2*w"}},
          }};
}

Theorem pat_theorem() {
  return {.id = "pat",
          .title = "PAT: the far-first trees in another order, with a bound for the blocks held",
          .source = "PAT paper, section 3",
          .assumes =
              "p and aggregation A = 2^a; the edges of bruck's far-first trees, the top a dimensions all at once, then "
              "the A subtrees in "
              "parallel, depth first and far edges first",
          .concludes =
              "every rank ends with every block, each received once; at p = 2^L and A below p a rank holds at most "
              "A (L - a) - 1 blocks for others",
          .argument =
              "The trees are those of bruck, and an edge comes after the edge above it, so what is sent is held. A "
              "block is held for others "
              "while it has edges left below: on the way down to where the order is, one per level that has not been "
              "done, since a node's far "
              "edges are done with all below them before the next (held-step). A subtree of 2^m displacements so has "
              "at most m (held-base), A "
              "of them A m, and one of those is the rank's own (held-total).",
          .solver_part = "how the blocks held add up along an edge and over the subtrees (held-*)",
          .words_part = "that every block comes once, and that a node's edges in this order hold what is added up",
          .uses = {"bruck"},
          .rows = {"pat"},
          .domain = "every p and A",
          .obligations = {
              {.name = "held-base",
               .statement = "in a subtree of one displacement nothing is held",
               .source = "section 3",
               .variables = "levels held",
               .hypotheses = {"levels == 0", "held == 0"},
               .goal = "held <= levels",
               .mutant = {"held == 0", "held == 1"}},
              {.name = "held-step",
               .statement = "below an edge to a subtree of half the size, the root is one more",
               .source = "section 3",
               .variables = "levels below held_below held",
               .hypotheses = {"below <= levels - 1", "held_below <= below", "held <= held_below + 1"},
               .goal = "held <= levels",
               .mutant = {"below <= levels - 1", "below <= levels"}},
              {.name = "held-total",
               .statement = "A subtrees hold A times as many, less the rank's own block",
               .source = "section 3",
               .variables = "trees levels each held",
               .hypotheses = {"trees >= 1", "0 <= each and each <= levels", "held == trees*each - 1"},
               .goal = "held <= trees*levels - 1",
               .mutant = {"held == trees*each - 1", "held == trees*each + 1"}},
          }};
}

}  // namespace onceover::proofs
