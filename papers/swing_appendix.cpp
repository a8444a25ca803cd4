// Claims of the Swing paper: its lemmas.
#include <fmt/format.h>

#include "papers/claim.h"
#include "papers/swing_parts.h"
#include "papers/swing_searches.h"

namespace onceover::papers {

namespace {

constexpr std::string_view peer_of_r = "(even(r) ? r + rho(s) : r - rho(s)) mod p";

}  // namespace

std::vector<Claim> swing_appendix_claims() {
  const std::vector<Variable> ranks_and_steps{{"p", "2", "40"}, {"r", "0", "p-1"}, {"s", "0", "log2(p-1)+1"}};
  return {
      {.id = "swing-hops",
       .paper = Paper::swing,
       .place = "table 1, appendix A",
       .statement = "Ranks that exchange at step s are delta(s) hops apart.",
       .says = {numbers({{"p", "2", "1024"}, {"s", "0", "log2(p-1)"}}, "min(delta(s), p - delta(s)) == delta(s)",
                        "even(p) && p > 2")},
       .correct = "min(delta(s), p - delta(s)) hops; the other way around the ring may be shorter where p isn't a "
                  "power of two.",
       .corrected = {numbers({{"a", "1", "40"}, {"s", "0", "a-1"}}, "min(delta(s), pow2(a) - delta(s)) == delta(s)")}},
      {.id = "swing-lemma-a1",
       .paper = Paper::swing,
       .place = "lemma A.1",
       .statement = "rho(s) is odd.",
       .says = {numbers({{"s", "0", "58"}}, "odd(rho(s))")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.1",
       .words = "the induction over s",
       .coq = {"Swing.rho_odd"}},
      {.id = "swing-lemma-a2",
       .paper = Paper::swing,
       .place = "lemma A.2",
       .statement = "For even p even ranks exchange with odd ones, and odd ones with even ones.",
       .says = {numbers(ranks_and_steps, fmt::format("even(r) != even({})", peer_of_r), "even(p)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.2",
       .coq = {"Swing.pi_parity"}},
      {.id = "swing-lemma-a3",
       .paper = Paper::swing,
       .place = "lemma A.3",
       .statement = "For even p a rank of the other parity is reached by an odd number of steps, one of the same by an "
                    "even number.",
       .says = {numbers({{"p", "2", "40"}, {"r", "0", "p-1"}, {"s", "0", "5"}, {"t", "s+1", "6"}},
                        "even(r) == even((even(r) ? r + rho(s) - rho(t) : r - rho(s) + rho(t)) mod p)", "even(p)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.3",
       .words = "the induction over the steps"},
      {.id = "swing-lemma-a4",
       .paper = Paper::swing,
       .place = "lemma A.4",
       .statement = "A sum of distinct powers of -2 below (-2)^a lies strictly between -2^a and 2^a.",
       // Which powers are in the sum are the digits of `bits`; 43690 has ones at the odd places, whose powers are
       // negative.
       .says = {numbers({{"a", "1", "16"}, {"bits", "0", "pow2(a)-1"}}, "abs((bits xor 43690) - 43690) < pow2(a)")},
       .theorems = {"step-sequences"},
       .lemma = "lemma A.4",
       .words = "the induction over the powers"},
      {.id = "swing-theorem-a5",
       .paper = Paper::swing,
       .place = "theorem A.5",
       .statement = "For p = 2^a each rank reaches all others in log2 p steps.",
       .says = {schedules({.algorithm = "swing", .ranks = "2^1..2^10", .collective = "reduce-scatter"},
                          {"exactly-once"})},
       .theorems = {"step-sequences"},
       .coq = {"Swing.cover", "Swing.unique"}},
      {.id = "swing-footnote-2",
       .paper = Paper::swing,
       .place = "footnote 2",
       .statement = "For odd a, 2^a = (-2)^(a+1) + (-2)^a.",
       .says = {numbers({{"a", "1", "59"}}, "pow2(a) == pow2(a+1) - pow2(a)", "odd(a)")}},
      {.id = "swing-a2-remaining",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "With p' the largest power of two below p, a rank has reached p'-1 others before the last step, "
                    "and p - p' - 1 remain.",
       .says = {search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power - 1; }); })},
       .correct = "p - p' remain.",
       .corrected = {search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power; }); })},
       .kind = ClaimKind::wording},
      {.id = "swing-a2-injective",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "Ranks r and g send to the same rank at step s if and only if g = s.",
       .says = {numbers({{"p", "2", "20"}, {"r", "0", "p-1"}, {"g", "0", "p-1"}, {"s", "0", "log2(p-1)"}},
                        fmt::format("({} == (even(g) ? g + rho(s) : g - rho(s)) mod p) == (g == s)", peer_of_r),
                        "even(p) && p > 2")},
       .correct = "If and only if g = r.",
       .corrected = {numbers({{"p", "2", "40"}, {"r", "0", "p-1"}, {"g", "0", "p-1"}, {"s", "0", "log2(p-1)"}},
                             fmt::format("({} == (even(g) ? g + rho(s) : g - rho(s)) mod p) == (g == r)", peer_of_r),
                             "even(p) && p > 2")},
       .kind = ClaimKind::wording},
      {.id = "swing-a2-reaches-all",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement = "If no two ranks send to the same rank in the last step, every rank has reached every other one.",
       .says = {schedules({.peer = "r xor 1", .ranks = "2,4,6,8", .collective = "reduce-scatter"}, {"exactly-once"})},
       .correct = "That doesn't follow: r xor 1 pairs all ranks at every step and reaches no third. The conclusion "
                  "holds for Swing, by theorem even-cover.",
       .corrected = {schedules(
           {.algorithm = "swing", .ranks = "6,10,12,14,18,20,22,24", .collective = "reduce-scatter"},
           {"exactly-once"})}},
      {.id = "swing-a2-odd-p",
       .paper = Paper::swing,
       .place = "appendix A.2",
       .statement =
           "For odd p the rule for even p may send two ranks to the same one, lemma A.2 does not hold, and some "
           "ranks may not reach all.",
       .says = {search("odd p = 5..257", odd_ranks_collide)},
       .correct = "So it is for every odd p from 5 on; for 3 all are reached."},
  };
}

}  // namespace onceover::papers
