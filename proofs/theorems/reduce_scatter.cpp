// From peers to schedules: the reduce-scatter of any peer function whose paths cover, its reversal, odd ranks,
// products. So a theorem about an algorithm needs to speak of its peers only.
//
// The idea: a contribution is a token that sits on one rank at a time. A rank sends a block at one step only, and all
// that it holds of it, so tokens never split. What may become of a token in a step are a few cases, and each is a
// sentence; the induction over the steps is said in words, and checked by Coq for covering-peers.
//
// Example: peers r + 1, then r + 2, of 3 ranks. Rank 1 sends block 2 at step 0, for 1 + 1 = 2. Rank 0 sends it at step
// 1, for 0 + 2 = 2; at step 0 it would give it to rank 1, which can't pass it on. Both tokens end on rank 2.
//
// These are data: they end, and cost, when `prove` gives them to a solver.

#include "proofs/theorem.h"

namespace onceover::proofs {

// Predicates at the few places where a sentence needs them are variables that are 0 or 1:
//   reach_t   x can send the block on with steps t, t+1, .. to its owner q
//   reach_n   the same from step t + 1 on
//   via_n     the peer of x at step t can, from step t + 1 on
//   last      the last step at which x can send the block towards q; below t: none from t on
// and is_q tells whether x is q itself.

Theorem covering_peers_theorem() {
  return {.id = "covering-peers",
          .title = "The reduce-scatter along any peers whose paths cover all ranks is exactly once",
          .source = "Swing paper, section 3.2, made precise",
          .assumes =
              "pi(r, s) is any peer function by which every rank has a path of steps to every other rank; peers need "
              "not be mutual. At step t rank x sends block q to its peer under three conditions. The block is not its "
              "own; the peer is q or can pass the block on to q later; and x has no later step at which it can send "
              "the block towards q.",
          .concludes =
              "Rank q ends with every rank's contribution to block q exactly once. Each rank sends each foreign block "
              "exactly once, after it has received everything for that block. It never sends its own block.",
          .argument =
              "Follow one contribution as a token, which sits on one rank x at a time. The invariant before step t: x "
              "= q, or x can still reach q and has a step for it at t or later. Each step keeps the invariant "
              "(token-*), and at the end x = q. A rank sends a block at one step only, the last that leads to q, and "
              "sends all that it holds of the block. So tokens never split.",
          .solver_part =
              "In one step a token moves to a rank that can pass it on, or stays where it can still reach the owner "
              "(token-*). The owner keeps its own contribution (owner-keeps)",
          .kernel_part =
              "The routes of such peers are valid (last_chance_valid). So their schedules are exactly once "
              "(covering_peers_once)",
          .words_part = "That Z3's sentences make the theorem: sums move as tokens do",
          .rows = {},
          .domain = "all p for which the paths cover all ranks",
          .obligations = {
              {.name = "last-step-exists",
               .statement = "a rank that can reach the owner has a step at which it can send",
               .source = "section 3.2",
               .variables = "t is_q reach_t reach_n via_n last",
               .hypotheses = {"is_q == 0", "reach_t == (reach_n or via_n)", "reach_n == 0 or last >= t + 1",
                              "via_n == 0 or last >= t", "reach_t == 1"},
               .goal = "last >= t",
               .mutant = {"via_n == 0 or last >= t", "via_n == 0 or last >= t - 1"}},
              {.name = "reach-monotone",
               .statement = "a rank that can reach the owner later can also reach it now",
               .source = "definition",
               .variables = "reach_t reach_n via_n",
               .hypotheses = {"reach_t == (reach_n or via_n)", "reach_n == 1"},
               .goal = "reach_t == 1",
               .mutant = {"reach_t == (reach_n or via_n)", "reach_t == (reach_n and via_n)"}},
              {.name = "token-moves",
               .statement = "a token on its rank's last step moves to the peer, which is the owner or can pass it on",
               .source = "section 3.2",
               .variables = "t is_q last y_is_q y_reach_n y_last",
               .hypotheses = {"is_q == 0", "last == t", "last != t or y_reach_n == 1",
                              "y_is_q != 0 or y_reach_n == 0 or y_last >= t + 1"},
               .goal = "y_is_q != 0 or y_reach_n == 1 and y_last >= t + 1",
               .mutant = {"last == t", "last >= t"}},
              {.name = "token-stays",
               .statement = "any other token stays, on the owner or on a rank that can still reach it",
               .source = "section 3.2",
               .variables = "t is_q reach_t reach_n last",
               .hypotheses = {"is_q != 0 or reach_t == 1 and last >= t", "is_q != 0 or last != t",
                              "last <= t or reach_n == 1"},
               .goal = "is_q != 0 or reach_n == 1 and last >= t + 1",
               .mutant = {"is_q != 0 or last != t", "is_q != 0 or last != t + 1"}},
              {.name = "token-ends",
               .statement = "after the last step every token is on the owner",
               .source = "section 3.2",
               .variables = "steps is_q reach last",
               .hypotheses = {"is_q != 0 or reach == 1 and last >= steps", "is_q != 0 or last < steps"},
               .goal = "is_q != 0",
               .mutant = {"is_q != 0 or last < steps", "is_q != 0 or last <= steps"}},
              {.name = "owner-keeps",
               .statement = "the owner's own contribution stays, since no rank sends its own block",
               .source = "not in the paper",
               .variables = "is_q last t moves",
               .hypotheses = {"is_q == 1", "moves == (is_q == 0 and last == t)"},
               .goal = "moves == 0",
               .mutant = {"moves == (is_q == 0 and last == t)", "moves == (last == t)"}},
          }};
}

Theorem time_reversal_theorem() {
  return {
      .id = "time-reversal",
      .title = "Backwards in time, a reduce-scatter is an allgather; both together are an allreduce",
      .source = "Swing paper, section 3.1.1; PAT paper, section 3",
      .assumes =
          "Take a reduce-scatter in which each rank sends each foreign block exactly once, after it has received "
          "everything for that block, as in covering-peers. Or take an allgather in which each rank receives each "
          "foreign block exactly once, before it sends it on. Run its steps backwards, and swap senders and receivers.",
      .concludes =
          "Each becomes the other. The reduce-scatter, run backwards with copies, brings every rank every foreign "
          "block once, from a rank that holds the owner's value. The allgather, run backwards with sums, brings every "
          "rank's sum to the owner once.",
      .argument =
          "In a reduce-scatter rank x sends block q at one step to rank y, which is q or sends the block later. "
          "Backwards, later becomes earlier, so y has the block when x receives it (holds-before). In an allgather the "
          "transfers of a block form a tree, and the owner is its root. Backwards, each rank has the sum of its "
          "subtree before it sends (sums-before). So every contribution goes up the tree once.",
      .solver_part =
          "Backwards, what a rank sends arrives before the step at which it sends (holds-before, sums-before)",
      .kernel_part =
          "Valid routes backwards are an allgather (allgather_once), and both together an allreduce (allreduce_once)",
      .words_part = "That Z3's sentences make the theorem. An allgather becomes a reduce-scatter",
      .uses = {"covering-peers"},
      .rows = {},
      .domain = "as for covering-peers",
      .obligations = {
          {.name = "holds-before",
           .statement = "backwards, the sender has the block before it sends it",
           .source = "section 3.1.1",
           .variables = "t x_last y_is_q y_reach_n y_last",
           .hypotheses = {"t == x_last", "y_reach_n == 1", "y_is_q != 0 or y_reach_n == 0 or y_last >= t + 1"},
           .goal = "y_is_q != 0 or y_last > x_last",
           .mutant = {"y_is_q != 0 or y_reach_n == 0 or y_last >= t + 1",
                      "y_is_q != 0 or y_reach_n == 0 or y_last >= t"}},
          {.name = "sums-before",
           .statement = "backwards, what a rank passed on comes back before the rank sends",
           .source = "PAT paper, section 3",
           .variables = "steps got passed sends comes",
           .hypotheses = {"passed >= got + 1", "sends == steps - 1 - got", "comes == steps - 1 - passed"},
           .goal = "comes < sends",
           .mutant = {"passed >= got + 1", "passed >= got"}},
      }};
}

Theorem odd_ranks_theorem() {
  return {
      .id = "odd-ranks",
      .title = "Odd p: the last rank exchanges directly with the others, which run as for p-1",
      .source = "Swing paper, section 3.2 and figure 4",
      .assumes =
          "p is odd. The first p-1 ranks run a reduce-scatter for p-1 ranks in L steps, 2^L >= p-1. In it each rank "
          "sends each foreign block exactly once, after it has received everything for that block. At each step rank "
          "p-1 exchanges one block with half of the ranks that remain, rounded up. In the last step it exchanges one "
          "with each rank that remains.",
      .concludes = "The whole is such a reduce-scatter for p ranks, in the same L steps. Each rank sends p-1 blocks.",
      .argument =
          "Rank p-1 sends its contribution to block q < p-1 straight to rank q, once, and the others' schedule never "
          "contains it. Each other rank sends its contribution to block p-1 straight to rank p-1, once. The last step "
          "takes all ranks that remain. These are at most two (halving, from p-1 <= 2^L), so the last step is no "
          "busier than the first.",
      .solver_part = "At most half of the ranks remain after each step (halving)",
      .words_part =
          "Everything else: the last rank's exchanges and the others' reduce-scatter do not disturb each other",
      .uses = {"covering-peers", "even-cover"},
      .rows = {},
      .domain = "odd p",
      .obligations = {
          {.name = "halving",
           .statement = "a step leaves at most v of at most 2v ranks",
           .source = "section 3.2",
           .variables = "m v f",
           .hypotheses = {"v >= 1", "m == 2*f or m == 2*f + 1", "f >= 0", "m <= 2*v"},
           .goal = "f <= v",
           .mutant = {"m <= 2*v", "m <= 2*v + 2"}},
      }};
}

Theorem torus_products_theorem() {
  return {
      .id = "torus-products",
      .title = "Reduce-scatters along the dimensions of a torus make one of the torus, in any interleaving",
      .source = "Swing paper, sections 4.1 and 4.2; bucket: section 2.3.4, Jain and Sabharwal, section 4",
      .assumes =
          "Along each dimension there is a reduce-scatter in which each coordinate sends each foreign block exactly "
          "once, after it has received everything for that block, and never sends its own. A coordinate is responsible "
          "for a block until it has sent it. At a step in dimension w a rank sends the blocks whose w-coordinate that "
          "dimension's reduce-scatter sends, and whose other coordinates it is still responsible for.",
      .concludes =
          "The whole is a correct reduce-scatter of the torus, whatever the order of the dimensions' steps. Each rank "
          "sends each foreign block exactly once, after it has received everything for that block.",
      .argument =
          "Follow one contribution as a token, which has a coordinate in each dimension. The invariant: where the "
          "token sits, each coordinate is still responsible for the block's. A step in dimension w moves the token as "
          "that dimension's reduce-scatter moves the w-th coordinate, since the other coordinates are responsible. The "
          "token arrives where it can go on, since what arrives is yet to be sent or is at home. A rank that sent a "
          "block in dimension w is no longer responsible for it there. It sends the block in no dimension again, and "
          "no rank at its place in dimension w sends it more of the block. So each coordinate ends on the owner's, "
          "whatever the order. A reduce-scatter that sends a block twice may be correct alone, but is wrong in a "
          "product. Take three ranks and block 0: rank 1 sends to rank 0, receives rank 2's contribution by a copy, "
          "and sends again. A step in another dimension before the second send leaves the block out, since rank 1 has "
          "passed it on. For intervals the box of offsets grows along one side (product-step, box-step-right, "
          "box-step-left). Lanes are separate blocks. A mirrored lane is the same with -rho.",
      .solver_part =
          "Arithmetic only. Sums distribute over the other dimensions. A box of offsets grows along one side at a "
          "time. A ring over d coordinates sends d-1 of d parts",
      .words_part =
          "The theorem itself: tokens move in each dimension as they do alone. Lanes, too: a mirrored lane, with -rho, "
          "is the same with coordinate -c in place of c. With waiting=spread, bucket's messages are cut: when a token "
          "moves depends on its offset along a dimension that is yet to be done. The tokens of a block that meet have "
          "the same",
      .uses = {"covering-peers", "odd-ranks", "time-reversal", "even-cover", "ring"},
      .rows = {"swing", "bucket"},
      .domain = "every p and every torus",
      .obligations = {
          {.name = "product-step",
           .statement = "adding in one dimension distributes over the others",
           .source = "section 4.1",
           .variables = "a1 a2 rest c1 c2",
           .hypotheses = {"c1 == a1*rest", "c2 == a2*rest"},
           .goal = "c1 + c2 == (a1 + a2)*rest",
           .mutant = {"c2 == a2*rest", "c2 == a2 + rest"}},
          {.name = "box-step-right",
           .statement = "a step extends a box of coordinates along one side to the right, each point once",
           .source = "section 4.1",
           .variables = "lo hi hi2 rho x in_rest",
           .hypotheses = {"lo <= hi", "rho == 2*hi + 1", "hi2 == rho - lo", "in_rest == 0 or in_rest == 1"},
           .goal = "(lo <= x and x <= hi and in_rest) + (lo <= rho - x and rho - x <= hi and in_rest) == (lo <= x "
                   "and x <= hi2 and "
                   "in_rest)",
           .mutant = {"rho == 2*hi + 1", "rho == 2*hi"}},
          {.name = "box-step-left",
           .statement = "a step extends a box of coordinates along one side to the left, each point once",
           .source = "section 4.1",
           .variables = "lo hi lo2 rho x in_rest",
           .hypotheses = {"lo <= hi", "rho == 2*lo - 1", "lo2 == rho - hi", "in_rest == 0 or in_rest == 1"},
           .goal = "(lo <= x and x <= hi and in_rest) + (lo <= rho - x and rho - x <= hi and in_rest) == (lo2 <= x "
                   "and x <= hi and "
                   "in_rest)",
           .mutant = {"rho == 2*lo - 1", "rho == 2*lo"}},
          {.name = "bucket-bytes",
           .statement = "a ring over d coordinates sends d-1 of d parts and leaves one",
           .source = "section 2.3.4",
           .variables = "m d u sent",
           .hypotheses = {"d >= 1", "m == d*u", "sent == (d - 1)*u"},
           .goal = "sent + u == m",
           .mutant = {"sent == (d - 1)*u", "sent == d*u + 1"}},
      }};
}

}  // namespace onceover::proofs
