// Claims of Kolmakov and Zhang, "A Generalization of the Allreduce Operation", 2020.
#include <fmt/format.h>

#include <numeric>

#include "papers/claim.h"
#include "papers/counts.h"
#include "papers/papers.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

/// Equation (37) against the number of removed steps that is fastest by (36) and (44), on the cluster of table 2.
ClaimFinding optimal_steps(int tolerance) {
  constexpr PointToPoint cluster{3e-5, 1e-8, 2e-10};
  for (const Rank p : {7, 15, 16, 31, 32, 63, 64, 127, 128})
    for (const double bytes : {425.0, 1024.0, 2048.0, 4096.0, 9216.0, 65536.0}) {
      int best = 0;
      int most = 0;
      while ((1 << most) < p) ++most;
      for (int r = 1; r <= most; ++r)
        if (time_of(kolmakov_zhang(p, r), p, cluster, bytes) < time_of(kolmakov_zhang(p, best), p, cluster, bytes))
          best = r;
      const int said = kolmakov_zhang_best(p, cluster, bytes);
      if (std::abs(said - best) > tolerance)
        return {.refutation =
                    Refutation{fmt::format("P = {}, {:.0f} bytes", p, bytes),
                               fmt::format("(37) says {}, rounded; {} is faster by (36) and (44)", said, best)}};
    }
  return {};
}

/// An abelian group, as the orders of cyclic factors.
using Group = std::vector<Rank>;

Rank order_of(const Group& group) {
  return std::accumulate(group.begin(), group.end(), Rank{1}, std::multiplies<>());
}

/// The order of the element with that number.
Rank order_of(const Group& group, Rank element) {
  Rank order = 1;
  for (const Rank factor : group) {
    order = std::lcm(order, factor / std::gcd(factor, element % factor));
    element /= factor;
  }
  return order;
}

/// Vectors that can be added to others in one step, at most: an element of order m moves the places around in circles
/// of m, and of m neighbours in a circle m/2 can be sent onto the next one.
Rank most_pairs(const Group& group) {
  Rank most = 0;
  for (Rank element = 0; element < order_of(group); ++element) {
    const Rank m = order_of(group, element);
    most = std::max(most, order_of(group) / m * (m / 2));
  }
  return most;
}

/// Steps of a reduction that folds by one element of the group in each, at least.
int least_steps(const Group& group) {
  const Rank most = most_pairs(group);
  int steps = 0;
  for (Rank vectors = order_of(group); vectors > 1; ++steps) vectors -= std::min(most, vectors / 2);
  return steps;
}

/// Calls visit(group) for all abelian groups of that order, as products of cyclic groups whose orders are powers of
/// primes, the primes growing and the powers of each.
void for_each_group(Rank order, Group& group, const std::function<void(const Group&)>& visit) {
  if (order == 1) return visit(group);
  Rank prime = 2;
  while (order % prime != 0) ++prime;
  const Rank least = group.empty() || group.back() % prime != 0 ? prime : group.back();
  for (Rank factor = least; order % factor == 0; factor *= prime) {
    group.push_back(factor);
    for_each_group(order / factor, group, visit);
    group.pop_back();
  }
}

/// Are the ceil(log2 P) steps of (25) enough for every group, as far as counting tells?
ClaimFinding every_group_in_log_steps() {
  ClaimFinding finding;
  for (Rank p = 2; p <= 64 && !finding.refutation; ++p) {
    Group group;
    for_each_group(p, group, [&](const Group& g) {
      if (finding.refutation || least_steps(g) <= ceil_log2(p)) return;
      finding.refutation =
          Refutation{fmt::format("P = {}, group Z{}", p, fmt::join(g, "xZ")),
                     fmt::format("at most {} of {} vectors find a partner in a step, so it takes at least {} steps, "
                                 "not {}",
                                 most_pairs(g), p, least_steps(g), ceil_log2(p))};
    });
  }
  return finding;
}

Schedules folding(std::string ranks, std::vector<std::string> settings = {}) {
  return {.algorithm = "generalized", .ranks = std::move(ranks), .settings = std::move(settings)};
}

/// The 3-2 elimination, where each process sends and receives one message at a time.
Schedules elimination(std::string ranks) {
  return {.algorithm = "rabenseifner",
          .ranks = std::move(ranks),
          .settings = {"remainder=eliminate-3-2"},
          .topology = "full"};
}

/// Folding 2^steps vectors without a distribution, against recursive doubling backwards.
Evidence doubling(int steps) {
  const std::string ranks = std::to_string(1 << steps);
  return same_transfers(folding(ranks, {"group=xor", fmt::format("removed-steps={}", steps)}),
                        {.algorithm = "recursive-doubling", .ranks = ranks}, Direction::backwards);
}

}  // namespace

std::vector<Claim> generalized_claims() {
  return {
      {.id = "generalized-placements",
       .paper = Paper::generalized,
       .place = "equations (4), (5), (10)",
       .statement = "The P vectors that hold all data are those for 0 <= k < P-1.",
       .says = {numbers({{"P", "2", "24"}, {"i", "0", "P-1"}, {"j", "0", "P-1"}}, "(j - i) mod P < P - 1")},
       .correct = "For 0 <= k <= P-1: what process j has of part i is in vector (j - i) mod P.",
       .corrected = {identity({{"P", "2", "24"}, {"i", "0", "P-1"}, {"j", "0", "P-1"}}, "(j - i) mod P <= P - 1")},
       .kind = ClaimKind::wording},
      {.id = "generalized-multiport",
       .paper = Paper::generalized,
       .place = "section 3",
       .statement = "With k ports an allreduce takes ceil(log_p k) steps.",
       .says = {numbers({{"P", "2", "64"}, {"k", "1", "1"}}, "(k <= 1 ? 0 : 1) >= log2(P)")},
       .correct =
           "ceil(log_(k+1) P). With one port, where the text has 0, that is ceil(log2 P), and folding takes as many.",
       .corrected = {schedules({.algorithm = "generalized", .ranks = "2..64", .collective = "reduce-scatter"},
                               {"exactly-once"}, {"steps == ceil(log2(p))"})},
       .kind = ClaimKind::wording},
      {.id = "generalized-ring",
       .paper = Paper::generalized,
       .place = "section 6, equation (15)",
       .statement = "Ring takes 2 (P-1) steps and sends 2 (P-1) u by each process.",
       .says = {schedules({.algorithm = "ring", .ranks = "2..128"}, {"exactly-once"},
                          {"steps == 2*(p-1)", "blocks_sent_max == 2*(p-1)"})},
       .theorems = {"ring"}},
      {.id = "generalized-halving-vectors",
       .paper = Paper::generalized,
       .place = "equation (18)",
       .statement = "Folding P vectors into ceil(N/2) at a time leaves one after ceil(log2 P) steps.",
       .says = {schedules({.algorithm = "generalized", .ranks = "2..200", .collective = "reduce-scatter"},
                          {"exactly-once"}, {"steps == ceil(log2(p))"})},
       .theorems = {"folding"}},
      {.id = "generalized-sets",
       .paper = Paper::generalized,
       .place = "equations (20), (21), (23)",
       .statement = "For odd N the vectors from floor(N/2) on are sent, those before are kept.",
       .says = {schedules({.algorithm = "generalized-as-printed", .ranks = "3,5,6,7,9", .collective = "reduce-scatter"},
                          {"exactly-once"})},
       .correct = "From ceil(N/2) on; up to ceil(N/2) - 1 they are kept. The shift by floor(N/2) of (19) is right.",
       .corrected = {schedules({.algorithm = "generalized", .ranks = "2..64", .collective = "reduce-scatter"},
                               {"exactly-once"})},
       .kind = ClaimKind::wording},
      {.id = "generalized-last-index",
       .paper = Paper::generalized,
       .place = "equations (31), (35), (43)",
       .statement = "After folding as in (18), the set of step ceil(log2 P) - 1 is one vector.",
       .says = {numbers({{"P", "2", "512"}, {"L", "log2(P-1)+1", "log2(P-1)+1"}},
                        "(P + pow2(L-1) - 1)/pow2(L-1) == 1")},
       .correct = "The set of step ceil(log2 P), as (24) has it.",
       .corrected = {numbers({{"P", "2", "512"}, {"L", "log2(P-1)+1", "log2(P-1)+1"}},
                             "(P + pow2(L) - 1)/pow2(L) == 1")},
       .kind = ClaimKind::wording},
      {.id = "generalized-bandwidth-optimal",
       .paper = Paper::generalized,
       .place = "section 7, equation (25)",
       .statement = "The allreduce works for every P.",
       .says = {schedules(folding("2..200"), {"exactly-once"})},
       .theorems = {"folding", "time-reversal"}},
      {.id = "generalized-bandwidth-optimal-cost",
       .paper = Paper::generalized,
       .place = "section 7, equation (25)",
       .statement = "It takes 2 ceil(log2 P) steps, with 2 (P-1) u sent by each process.",
       .says = {schedules(folding("2..200"), {}, {"steps == 2*ceil(log2(p))", "blocks_sent_max == 2*(p-1)"})}},
      {.id = "generalized-any-group",
       .paper = Paper::generalized,
       .place = "section 7",
       .statement = "Any abelian group that acts transitively serves.",
       .says = {schedules(folding("2^1..2^7", {"group=xor"}), {"exactly-once"}),
                schedules(folding("6", {"group=2x3"}), {"exactly-once"}),
                schedules(folding("12", {"group=2x2x3"}), {"exactly-once"}),
                schedules(folding("45", {"group=3x3x5"}), {"exactly-once"})},
       .theorems = {"folding", "torus-products"},
       .correct = "Our row folds one factor after the other, which takes more steps where a factor is no power of two: "
                  "14 for 3x3x5, where (25) has 12.",
       .corrected = {schedules(folding("45", {"group=3x3x5"}), {"exactly-once"}, {"steps == 14"})}},
      {.id = "generalized-any-group-steps",
       .paper = Paper::generalized,
       .place = "section 7, equation (25)",
       .statement = "With any such group a half takes ceil(log2 P) steps.",
       .says = {search("all abelian groups of 2 to 64 elements, by counting who can meet whom",
                       every_group_in_log_steps)},
       .correct = "With the cyclic one and for powers of two. Z3xZ3xZ3 takes 6, as our row does: 27, 18, 9, 6, 3, 2, 1 "
                  "vectors.",
       .corrected = {schedules(folding("27", {"group=3x3x3"}), {"exactly-once"}, {"steps == 12"}),
                     schedules(folding("2..200"), {"exactly-once"}, {"steps == 2*ceil(log2(p))"}),
                     schedules(folding("2^1..2^7", {"group=xor"}), {"exactly-once"}, {"steps == 2*ceil(log2(p))"})}},
      {.id = "generalized-additions",
       .paper = Paper::generalized,
       .place = "equations (15) and (25)",
       .statement = "Each process combines (P-1) u, in the ring and in the bandwidth-optimal version.",
       .says = {additions({.algorithm = "ring", .ranks = "2..128"}, "least == p - 1 && most == p - 1"),
                additions(folding("2..200"), "least == p - 1 && most == p - 1")}},
      {.id = "generalized-recursive-halving",
       .paper = Paper::generalized,
       .place = "section 7",
       .statement = "With P = 2^a and the self-inverse group it is recursive halving.",
       .says = {same_transfers(folding("2^1..2^7", {"group=xor"}),
                               {.algorithm = "rabenseifner", .ranks = "2^1..2^7", .settings = {"order=far"}})},
       .correct = "Far partners first, transfer by transfer."},
      {.id = "generalized-recursive-doubling",
       .paper = Paper::generalized,
       .place = "section 8",
       .statement =
           "With P = 2^a, the self-inverse group and all steps of the distribution removed it is recursive doubling.",
       .says = {doubling(1), doubling(2), doubling(3), doubling(4), doubling(5)},
       .correct = "Transfer by transfer, far partners first."},
      {.id = "generalized-figure-6",
       .paper = Paper::generalized,
       .place = "figure 6",
       .statement = "For P = 7 one step can be removed for 14 u sent by each process.",
       .says = {schedules(folding("7", {"removed-steps=1"}), {"exactly-once"},
                          {"steps == 5", "blocks_sent_max == 14"})},
       .theorems = {"folding"}},
      {.id = "generalized-removed-steps",
       .paper = Paper::generalized,
       .place = "section 8, equation (36)",
       .statement = "r of the steps can be removed for (2^r - 1)(ceil(log2 P) - 1) u more sent by each process.",
       .says = {schedules(folding("5..128", {"removed-steps=1"}), {"exactly-once"},
                          {"steps == 2*ceil(log2(p)) - 1", "blocks_sent_max <= 2*(p-1) + ceil(log2(p)) - 1"}),
                schedules(folding("9..128", {"removed-steps=2"}), {"exactly-once"},
                          {"steps == 2*ceil(log2(p)) - 2", "blocks_sent_max <= 2*(p-1) + 3*(ceil(log2(p)) - 1)"})},
       .theorems = {"folding"},
       .correct = "At most as many. Our schedules keep one sum of a block at a rank, so for odd N a rank sends to "
                  "several others in a step."},
      {.id = "generalized-removed-steps-additions",
       .paper = Paper::generalized,
       .place = "section 8, equation (36)",
       .statement = "With r steps removed each process combines (2^r - 1)(2 ceil(log2 P) - 2) u more, at worst.",
       .says = {additions(folding("5..8", {"removed-steps=1"}), "most <= p - 1 + 4"),
                additions(folding("9..16", {"removed-steps=1"}), "most <= p - 1 + 6"),
                additions(folding("9..16", {"removed-steps=2"}), "most <= p - 1 + 3*6"),
                additions(folding("17..32", {"removed-steps=3"}), "most <= p - 1 + 7*8"),
                additions(folding("65..128", {"removed-steps=2"}), "most <= p - 1 + 3*12")},
       .correct = "Our schedules keep one sum of a block at a rank, the paper's two."},
      {.id = "generalized-removed-steps-text",
       .paper = Paper::generalized,
       .place = "section 8",
       .statement = "For powers of two the additional data is (2^r - 1) ceil(log2 P) u.",
       .says = {schedules(folding("2^3..2^7", {"removed-steps=1"}), {}, {"blocks_sent_max == 2*(p-1) + log2(p)"})},
       .correct = "(2^r - 1)(ceil(log2 P) - 1) u, as (36) has it: the step that is removed needn't be sent.",
       .corrected = {schedules(folding("2^3..2^7", {"removed-steps=1"}), {},
                               {"blocks_sent_max == 2*(p-1) + log2(p) - 1"})},
       .kind = ClaimKind::wording},
      {.id = "generalized-optimal-steps",
       .paper = Paper::generalized,
       .place = "equation (37)",
       .statement =
           "The fastest number of removed steps is log(alpha/(m (beta + 2 gamma))) + log(P/((log P - 1) ln 2)).",
       .says = {search("P from 7 to 128, 425 B to 64 KiB, the cluster of table 2", [] { return optimal_steps(0); })},
       .correct = "Rounded, it is off by at most one there.",
       .corrected = {search("P from 7 to 128, 425 B to 64 KiB, the cluster of table 2",
                            [] { return optimal_steps(1); })},
       .kind = ClaimKind::wording},
      {.id = "generalized-latency-optimal",
       .paper = Paper::generalized,
       .place = "section 9, equation (44)",
       .statement =
           "With all of them removed it takes ceil(log2 P) steps and sends at most P ceil(log2 P) u by each process.",
       .says = {schedules(folding("5..8", {"removed-steps=3"}), {"exactly-once"},
                          {"steps == ceil(log2(p))", "blocks_sent_max <= p*ceil(log2(p))"}),
                schedules(folding("9..16", {"removed-steps=4"}), {"exactly-once"},
                          {"steps == ceil(log2(p))", "blocks_sent_max <= p*ceil(log2(p))"}),
                schedules(folding("17..32", {"removed-steps=5"}), {"exactly-once"},
                          {"steps == ceil(log2(p))", "blocks_sent_max <= p*ceil(log2(p))"})},
       .theorems = {"folding"}},
      {.id = "generalized-latency-optimal-additions",
       .paper = Paper::generalized,
       .place = "section 9, equation (44)",
       .statement = "With all of them removed each process combines P (2 ceil(log2 P) - 2) u, at worst.",
       .says = {additions(folding("5..8", {"removed-steps=3"}), "most <= 4*p"),
                additions(folding("9..16", {"removed-steps=4"}), "most <= 6*p"),
                additions(folding("17..32", {"removed-steps=5"}), "most <= 8*p")},
       .correct = "At most P ceil(log2 P) in our schedules, which keep one sum of a block at a rank, the paper's two.",
       .corrected = {additions(folding("5..8", {"removed-steps=3"}), "most <= 3*p"),
                     additions(folding("9..16", {"removed-steps=4"}), "most <= 4*p"),
                     additions(folding("17..32", {"removed-steps=5"}), "most <= 5*p")}},
      {.id = "generalized-equation-40",
       .paper = Paper::generalized,
       .place = "equation (40)",
       .statement = "After the first step of the latency-optimal version q_0 is combined with q_(ceil(P/2) - 1).",
       .says = {numbers({{"P", "2", "64"}}, "((P + 1)/2 - 1 - P/2) mod P == 0")},
       .correct = "With q_floor(P/2), which the shift of (19) brings there; (40) is right for odd P only.",
       .corrected = {identity({{"P", "2", "64"}, {"k", "0", "P-1"}}, "((k - P/2) mod P == 0) == (k == P/2)")},
       .kind = ClaimKind::wording},
      {.id = "generalized-recursive-doubling-steps",
       .paper = Paper::generalized,
       .place = "section 1",
       .statement =
           "Recursive doubling takes log2 P steps, the fewest; recursive halving 2 log2 P with the fewest bytes.",
       .says = {schedules({.algorithm = "recursive-doubling", .ranks = "2^1..2^8"}, {"exactly-once"},
                          {"steps == log2(p)"}),
                schedules({.algorithm = "rabenseifner", .ranks = "2^1..2^8"}, {"exactly-once"},
                          {"steps == 2*log2(p)", "blocks_sent_max == 2*(p-1)"})},
       .theorems = {"recursive-doubling"}},
      {.id = "generalized-fold-overhead",
       .paper = Paper::generalized,
       .place = "section 3",
       .statement = "Reducing P to a power of two first costs 2 m more data for the excess processes.",
       .says = {schedules(
           {.algorithm = "recursive-doubling", .ranks = "3,5,6,7,9,12,15,17,24,31"}, {"exactly-once"},
           {"block_transfers == blocks*(pow2(floor(log2(p)))*floor(log2(p)) + 2*(p - pow2(floor(log2(p)))))"})}},
      {.id = "generalized-elimination-overhead",
       .paper = Paper::generalized,
       .place = "section 3",
       .statement = "The 3-2 elimination decreases the overhead of 2 m to 3/2 m.",
       .says = {schedules(elimination("3,6,12,24,48"), {"exactly-once"}, {"(bandwidth - 1)*2*(p-1)/p == 3/2"})},
       .correct = "To less than m for p = 3 * 2^a: 3/2 is the factor on the 2 (p-1)/p m of a power of two, see "
                  "swing-elimination. Folding has 2 m.",
       .corrected = {schedules(elimination("3,6,12,24,48"), {"exactly-once"},
                               {"(bandwidth - 1)*2*(p-1)/p == (p-1)/p"})},
       .kind = ClaimKind::wording},
      {.id = "generalized-bruck",
       .paper = Paper::generalized,
       .place = "section 3",
       .statement = "Bruck's allgather, and its steps reversed for the reduction, are optimal in bytes for every P.",
       .says = {schedules({.algorithm = "bruck", .ranks = "2..128", .collective = "allgather"}, {"exactly-once"},
                          {"steps == ceil(log2(p))", "blocks_sent_max == p-1"}),
                schedules({.algorithm = "bruck", .ranks = "2..128", .collective = "reduce-scatter"}, {"exactly-once"},
                          {"steps == ceil(log2(p))", "blocks_sent_max == p-1"})},
       .theorems = {"bruck"}},
  };
}

}  // namespace onceover::papers
