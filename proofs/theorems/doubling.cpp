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
// These are data: they end, and cost, when `prove` gives them to a solver.

#include "proofs/theorem.h"

namespace onceover::proofs {

Theorem recursive_doubling_theorem() {
  return {
      .id = "recursive-doubling",
      .title = "Exchanges with rank r xor 2^s cover all ranks, each once",
      .source = "Swing paper, sections 2.3.2 and 2.3.3; Thakur, Rabenseifner and Gropp",
      .assumes = "p = 2^a. At step s rank r exchanges with rank r xor 2^s. The values of s may come in any order.",
      .concludes =
          "After the steps 0 .. s-1 rank r holds the contributions of the 2^s ranks of its aligned block, each once. "
          "After all steps it holds every rank's. The reduce-scatter and the allgather follow by covering-peers and "
          "time-reversal.",
      .argument =
          "Induction over s (doubling-*). Let r = U + b 2^s + t with 0 <= t < 2^s and U a multiple of 2^(s+1). Then r "
          "xor 2^s is U + (1-b) 2^s + t. In another order of the bits, the same holds for ranks with renamed bits.",
      .solver_part = "Aligned blocks of ranks double (doubling-*)",
      .kernel_part =
          "The schedules along r xor 2^s, near or far ranks first (doubling_once), their tori (halving_torus_once), "
          "and "
          "whole vectors (recursive_doubling_once)",
      .words_part = "That Z3's sentences make the theorem; orders of the s other than near or far ranks first",
      .uses = {"covering-peers", "time-reversal"},
      .rows = {"recursive-doubling", "rabenseifner", "recursive-halving-doubling"},
      .covers = has_powers_of_two,
      .domain = "p = 2^a, and tori with such sides",
      .obligations = {
          {.name = "doubling-base",
           .statement = "before the first step a rank's block is the rank itself",
           .source = "section 2.3.2",
           .variables = "r q t size",
           .hypotheses = {"size == 1", "0 <= t and t < size"},
           .goal = "(r - t <= q and q <= r - t + size - 1) == (q == r)",
           .mutant = {"size == 1", "size == 2"}},
          {.name = "doubling-step",
           .statement = "a rank's block and its peer's block make up the next block, each rank once",
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
          "p is any number. Block b starts at rank b+1 and makes p-1 hops to the right, one after the other. Each rank "
          "adds its contribution. Or all blocks go to the left.",
      .concludes =
          "Block b arrives at rank b with every rank's contribution exactly once. Each rank on the way sends it once, "
          "after it arrived.",
      .argument =
          "After t hops the block is at rank b+1+t with the offsets 1 .. t+1 (around-step). After p-1 hops it is at "
          "rank b+p = b with the offsets 1 .. p, which are all residues mod p, each once (around-once, around-all).",
      .solver_part =
          "Each hop adds the next offset (around-step). The p offsets at the end are all ranks, each once "
          "(around-once, around-all)",
      .kernel_part =
          "The schedules of ranks r + 1 in p-1 steps (ring_once), and of rings both ways along other cycles "
          "(rings_once)",
      .words_part = "That Z3's sentences make the theorem; hops that lie several steps apart",
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
           .statement = "no two of the offsets 1 .. p are the same rank",
           .source = "section 2.3.1",
           .variables = "p o1 o2 m",
           .hypotheses = {"p >= 1", "1 <= o1 and o1 <= p", "1 <= o2 and o2 <= p", "o1 == o2 + m",
                          "m == 0 or m >= p or m <= -p"},
           .goal = "o1 == o2",
           .mutant = {"1 <= o1 and o1 <= p", "1 <= o1 and o1 <= p + 1"}},
          {.name = "around-all",
           .statement = "every rank is one of the offsets 1 .. p",
           .source = "section 2.3.1",
           .variables = "p d m t",
           .hypotheses = {"p >= 1", "d - 1 == m + t", "0 <= t and t < p"},
           .goal = "1 <= 1 + t and 1 + t <= p and d - (1 + t) == m",
           .mutant = {"0 <= t and t < p", "0 <= t and t <= p"}},
      }};
}

Theorem bruck_theorem() {
  return {.id = "bruck",
          .title = "Bruck's allgather is exactly once for every p, with near or far ranks first",
          .source = "PAT paper, section 2",
          .assumes =
              "p is any number, and L = ceil(log2 p). Near ranks first: at step k rank r sends the blocks at "
              "displacements 0 .. min(2^k, p-2^k)-1 to rank r + 2^k. Far ranks first: for k = L-1 .. 0 it sends those "
              "at the multiples of 2^(k+1) below p - 2^k.",
          .concludes =
              "Every rank ends with every block, and receives each foreign block once. The reduce-scatter is the time "
              "reversal.",
          .argument =
              "Near ranks first: after k steps a rank has the blocks at displacements 0 .. min(2^k, p)-1 (near-step, "
              "near-end). Far ranks first: before the step of 2^k it has those at the multiples of 2^(k+1) below p "
              "(far-step). Displacements below p are different ranks (below-p).",
          .solver_part =
              "Each step adds the next displacements, near ranks first (near-*) and far ranks first (far-step). They "
              "are different ranks (below-p)",
          .kernel_part = "The schedules of both collectives, near or far ranks first (bruck_once)",
          .words_part = "That Z3's sentences make the theorem",
          .uses = {"time-reversal"},
          .rows = {"bruck"},
          .domain = "every p",
          .obligations = {
              {.name = "near-step",
               .statement = "a rank's displacements and those that arrive make up the next ones, each once",
               .source = "section 2",
               .variables = "w p w2 o c",
               .hypotheses = {"1 <= w and w < p", "c == min(w, p - w)", "w2 == min(2*w, p)"},
               .goal = "(0 <= o and o < w) + (0 <= o - w and o - w < c) == (0 <= o and o < w2)",
               .mutant = {"c == min(w, p - w)", "c == w"}},
              {.name = "near-end",
               .statement = "the number of displacements is min(2^k, p), so it is p after L steps",
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
               .statement = "the multiples of w below p are those of 2w and those of 2w plus w, each once",
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
          .title = "PAT runs the far-first trees in another order, with a bound for the blocks held",
          .source = "PAT paper, section 3",
          .assumes =
              "p is any number, and the aggregation is A = 2^a. The edges are those of bruck's far-first trees. The "
              "top a dimensions run all at once. Then the A subtrees run in parallel, depth first and far edges first.",
          .concludes =
              "Every rank ends with every block, and receives each foreign block once. For p = 2^L and A < p, a rank "
              "holds at most A (L - a) - 1 blocks for other ranks.",
          .argument =
              "The trees are those of bruck, and an edge comes after the edge above it. So a rank holds what it sends. "
              "A rank holds a block for others while the block has edges left below. On the way down to the current "
              "edge, there is one such block for each level that is not done. For a node finishes a far edge, with all "
              "below it, before its next edge (held-step). So a subtree of 2^m displacements has at most m such blocks "
              "(held-base), and A subtrees have A m. One of these blocks is the rank's own (held-total).",
          .solver_part = "The numbers of blocks held add up along an edge and over the subtrees (held-*)",
          .words_part = "Every block arrives once. With a node's edges in this order, a rank holds what is added up",
          .uses = {"bruck"},
          .rows = {"pat"},
          .domain = "every p and A",
          .obligations = {
              {.name = "held-base",
               .statement = "in a subtree of one displacement no block is held",
               .source = "section 3",
               .variables = "levels held",
               .hypotheses = {"levels == 0", "held == 0"},
               .goal = "held <= levels",
               .mutant = {"held == 0", "held == 1"}},
              {.name = "held-step",
               .statement = "an edge to a subtree of half the size adds at most one held block, the root's",
               .source = "section 3",
               .variables = "levels below held_below held",
               .hypotheses = {"below <= levels - 1", "held_below <= below", "held <= held_below + 1"},
               .goal = "held <= levels",
               .mutant = {"below <= levels - 1", "below <= levels"}},
              {.name = "held-total",
               .statement = "A subtrees hold A times as many blocks, less the rank's own",
               .source = "section 3",
               .variables = "trees levels each held",
               .hypotheses = {"trees >= 1", "0 <= each and each <= levels", "held == trees*each - 1"},
               .goal = "held <= trees*levels - 1",
               .mutant = {"held == trees*each - 1", "held == trees*each + 1"}},
          }};
}

}  // namespace onceover::proofs
