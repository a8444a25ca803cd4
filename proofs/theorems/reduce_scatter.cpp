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
// These are data: they end, and cost, when prove.h gives them to a solver.

#include "proofs/theorem.h"

namespace onceover::proofs {

// Predicates at the few places where a sentence needs them are variables that are 0 or 1:
//   reach_t   x can send the block on with steps t, t+1, .. to its owner q
//   reach_n   the same from step t + 1 on
//   via_n     the peer of x at step t can, from step t + 1 on
//   last      the last step at which x can send the block towards q; below t: none from t on
// and is_q tells whether x is q itself.

Theorem covering_peers_theorem() {
  return {
      .id = "covering-peers",
      .title = "The reduce-scatter along any peers whose paths cover is exactly once",
      .source = "Swing paper, section 3.2, made precise",
      .assumes =
          "any peer function pi(r, s), pairs or not, with which every rank has a path of steps to every other one; at "
          "step t "
          "rank x sends block q if it is not its own, its peer can pass it on to q later, and x itself has no later "
          "step "
          "that can",
      .concludes =
          "rank q ends with every rank's contribution to block q exactly once; each rank sends each foreign block "
          "exactly once, after all that it receives of it, and its own never",
      .argument =
          "Follow one contribution as a token: it sits on one rank x at a time. Invariant before step t: x = q, or x "
          "can still reach q "
          "and has a step for it at t or later. token-* keep it through the step, and at the end x = q. A rank sends a "
          "block at one "
          "step only, the last one that will do, and sends all that it holds of it, so tokens never split.",
      .solver_part = "what can become of a token in one step (token-*), and that the owner keeps its own",
      .kernel_part =
          "the induction, for any peers and one block: every contribution that can reach the owner ends there "
          "(exactly_once), a rank sends the block in one step only (sends_once), the owner in none "
          "(owner_sends_nothing)",
      .words_part = "that sums move as tokens do: a rank sends all that it holds of a block at once",
      .rows = {},
      .domain = "all p for which the paths cover",
      .obligations = {
          {.name = "last-step-exists",
           .statement = "a rank that can reach the owner has a step to send at",
           .source = "section 3.2",
           .variables = "t is_q reach_t reach_n via_n last",
           .hypotheses = {"is_q == 0", "reach_t == (reach_n or via_n)", "reach_n == 0 or last >= t + 1",
                          "via_n == 0 or last >= t", "reach_t == 1"},
           .goal = "last >= t",
           .mutant = {"via_n == 0 or last >= t", "via_n == 0 or last >= t - 1"}},
          {.name = "reach-monotone",
           .statement = "who can reach the owner later can do so now",
           .source = "definition",
           .variables = "reach_t reach_n via_n",
           .hypotheses = {"reach_t == (reach_n or via_n)", "reach_n == 1"},
           .goal = "reach_t == 1",
           .mutant = {"reach_t == (reach_n or via_n)", "reach_t == (reach_n and via_n)"}},
          {.name = "token-moves",
           .statement = "a token on its last step moves to the peer, which can pass it on",
           .source = "section 3.2",
           .variables = "t is_q last y_is_q y_reach_n y_last",
           .hypotheses = {"is_q == 0", "last == t", "last != t or y_reach_n == 1",
                          "y_is_q != 0 or y_reach_n == 0 or y_last >= t + 1"},
           .goal = "y_is_q != 0 or y_reach_n == 1 and y_last >= t + 1",
           .mutant = {"last == t", "last >= t"}},
          {.name = "token-stays",
           .statement = "any other token stays, and can still reach the owner",
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
           .statement = "the owner's own contribution stays, since nobody sends its own block",
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
      .title = "The allgather as the time reversal, and the allreduce as both",
      .source = "Swing paper, section 3.1.1; PAT paper, section 3",
      .assumes =
          "a reduce-scatter in which each rank sends each foreign block exactly once, after all that it receives "
          "of it, as in "
          "covering-peers; or an allgather in which each rank receives each foreign block exactly once, before it "
          "sends it on. "
          "Its steps backwards, senders and receivers swapped",
      .concludes =
          "the one becomes the other: backwards, copying, every rank receives every foreign block once from a rank "
          "that holds the "
          "owner's value; backwards, adding, every rank's sum reaches the owner once",
      .argument =
          "In a reduce-scatter x sends block q at one step to y, which is q or sends it later; backwards that is "
          "earlier, so y has the "
          "block when x receives it (holds-before). In an allgather the transfers of a block are a tree from its "
          "owner; backwards "
          "each rank has all of its subtree before it sends (sums-before), so every contribution goes up the tree "
          "once.",
      .solver_part = "the order of two steps, backwards (holds-before, sums-before)",
      .kernel_part =
          "by the rule of covering-peers, whom a rank sends a block to is its owner or sends it later (reversal_holds)",
      .words_part =
          "that copies along the reversed steps arrive everywhere; all of the way from an allgather to a "
          "reduce-scatter",
      .uses = {"covering-peers"},
      .rows = {},
      .domain = "as covering-peers",
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
           .statement = "backwards, what a rank passed on comes back before it sends",
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
      .title = "Odd p: the last rank beside the others",
      .source = "Swing paper, section 3.2 and figure 4",
      .assumes =
          "p odd; the first p-1 ranks run a reduce-scatter for p-1 in L steps, 2^L >= p-1, in which each rank sends "
          "each foreign block exactly once, after all that it receives of it; rank p-1 exchanges one block with half "
          "of the ranks that remain, rounded up, at each step, and with all that remain in the last one",
      .concludes = "the whole is such a reduce-scatter for p, in the same L steps, with p-1 blocks sent by each rank",
      .argument =
          "Rank p-1's contribution to block q < p-1 comes straight to q, once, and it never was in the others' "
          "schedule; block p-1 "
          "comes to it from each other rank straight, once. The last step takes all that remain; before it these are "
          "at most two "
          "(halving, from p-1 <= 2^L), so it is no busier than the first.",
      .solver_part = "that at most half of the ranks remain after each step (halving)",
      .words_part = "all else: that the last rank's exchanges and the others' reduce-scatter don't disturb each other",
      .uses = {"covering-peers", "even-cover"},
      .rows = {},
      .domain = "odd p",
      .obligations = {
          {.name = "halving",
           .statement = "of at most 2v ranks at most v remain",
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
      .title = "Products of reduce-scatters on tori, in any interleaving",
      .source = "Swing paper, sections 4.1 and 4.2; bucket: section 2.3.4, Jain and Sabharwal, section 4",
      .assumes =
          "along each dimension a reduce-scatter in which each coordinate sends each foreign block exactly once, after "
          "all that it receives of it, and its own never: it is responsible for a block until it has sent it. At a "
          "step in dimension w a rank sends the blocks whose w-coordinate that dimension's reduce-scatter sends and "
          "whose other coordinates it is still responsible for",
      .concludes =
          "the whole is a right reduce-scatter of the torus, whatever the order of the dimensions' steps, in which "
          "each rank sends each foreign block exactly once, after all that it receives of it",
      .argument =
          "Follow one contribution as a token: it has a coordinate in each dimension. Invariant: where it sits, each "
          "coordinate is still responsible for the block's. A step in dimension w moves it as that dimension's "
          "reduce-scatter moves the w-th coordinate, since the other ones are responsible; and to where it can go on, "
          "since what arrives is yet to be sent, or is at home. Whoever sent a block in dimension w is no longer "
          "responsible for it there: it sends it in no dimension again, and no rank in its place of dimension w sends "
          "it more of it. So each coordinate ends on the owner's, whatever the order. A reduce-scatter that sends a "
          "block twice may be right alone and is wrong in a product: with three ranks and block 0, rank 1 sends to 0, "
          "gets rank 2's by a copy, and sends again; a step in another dimension before that leaves the block out, "
          "since rank 1 has passed it on. For intervals the box grows along one side (product-step, box-step-right, "
          "box-step-left). Lanes are separate blocks; a mirrored lane is the same with -rho.",
      .solver_part =
          "arithmetic only: sums distribute over the other dimensions, boxes of offsets grow side by side, and "
          "what a ring sends",
      .words_part =
          "the theorem itself: that tokens move in each dimension as they do alone; lanes, and that a mirrored "
          "one, with -rho, is the same with coordinate -c for c",
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
           .statement = "a box of coordinates grows along one side to the right, each point once",
           .source = "section 4.1",
           .variables = "lo hi hi2 rho x in_rest",
           .hypotheses = {"lo <= hi", "rho == 2*hi + 1", "hi2 == rho - lo", "in_rest == 0 or in_rest == 1"},
           .goal = "(lo <= x and x <= hi and in_rest) + (lo <= rho - x and rho - x <= hi and in_rest) == (lo <= x "
                   "and x <= hi2 and "
                   "in_rest)",
           .mutant = {"rho == 2*hi + 1", "rho == 2*hi"}},
          {.name = "box-step-left",
           .statement = "and to the left",
           .source = "section 4.1",
           .variables = "lo hi lo2 rho x in_rest",
           .hypotheses = {"lo <= hi", "rho == 2*lo - 1", "lo2 == rho - hi", "in_rest == 0 or in_rest == 1"},
           .goal = "(lo <= x and x <= hi and in_rest) + (lo <= rho - x and rho - x <= hi and in_rest) == (lo2 <= x "
                   "and x <= hi and "
                   "in_rest)",
           .mutant = {"rho == 2*lo - 1", "rho == 2*lo"}},
          {.name = "bucket-bytes",
           .statement = "a ring over d coordinates sends d-1 parts of d and leaves one",
           .source = "section 2.3.4",
           .variables = "m d u sent",
           .hypotheses = {"d >= 1", "m == d*u", "sent == (d - 1)*u"},
           .goal = "sent + u == m",
           .mutant = {"sent == (d - 1)*u", "sent == d*u + 1"}},
      }};
}

}  // namespace onceover::proofs
