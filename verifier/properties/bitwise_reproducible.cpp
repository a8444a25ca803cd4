// bitwise-reproducible: do all ranks hold the same sum, up to swapping the two sides of an addition? Equal sums have
// one term, so the execution sees that when it ends, in verify.cpp, at no cost of its own, whatever the schedule's
// size.

#include <fmt/format.h>

#include <algorithm>

#include "verifier/property.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

namespace {

/// A rank's own is x1, what it holds of another block first x1'3.
std::string shown(const Replay& replay, Term term) {
  return term_text(replay.terms(), term, [&](Term leaf) {
    const Rank cell = replay.terms().rank_of(leaf);
    return fmt::format("x{}{}", replay.rank_of(cell),
                       cell < replay.header().ranks ? "" : fmt::format("'{}", replay.block_of(cell)));
  });
}

/// The ranks that must hold the block, and what they end with.
struct Results {
  std::vector<Rank> holders;
  std::vector<Term> values;

  explicit Results(const Replay& replay) {
    for (Rank r = 0; r < replay.header().ranks; ++r) {
      if (!replay.must_hold(r)) continue;
      holders.push_back(r);
      values.push_back(replay.value(r));
    }
  }
};

}  // namespace

std::uint64_t different_results(const Replay& replay) {
  const auto found = disagreement(Results(replay).values);
  return found ? found->distinct : 1;
}

Counterexample different_sums(const Replay& replay) {
  const auto [holders, results] = Results(replay);
  const Disagreement found = disagreement(results).value();
  const TermTable& terms = replay.terms();
  const Term a = results.front(), b = results[found.different];
  const Term a_part = first_of_its_own(terms, a, b), b_part = first_of_its_own(terms, b, a);
  std::vector<std::string> sums{shown(replay, a), shown(replay, b)};
  if (a_part != a) sums.insert(sums.end(), {shown(replay, a_part), shown(replay, b_part)});
  return {.what = Counterexample::Different{found.distinct, holders[found.different], std::move(sums)},
          .rank = holders.front(),
          .block = replay.block()};
}

Finding same_sums(std::uint64_t blocks, std::uint64_t most, std::optional<Counterexample> example) {
  if (blocks == 0) return {Verdict::pass, "all ranks that hold a block hold the same sum of it"};
  return {Verdict::fail, fmt::format("up to {} different sums of one block over the ranks", most), std::move(example),
          blocks};
}

const Property bitwise_reproducible_property{
    .id = "bitwise-reproducible",
    .asks = "all ranks end with the same floating-point bits",
    .required_by_default = false,
    .matters =
        R"(Floating-point addition commutes but isn't associative: (a+b)+c and a+(b+c) round differently. If ranks add up in
different orders, they end with different values of what should be one result. Replicas drift apart, and programs that branch
on the result deadlock. MPI 4.0 (section 6.9.6) requires identical results; schedules that violate this have been shipped and
withdrawn. Here two ranks' sums count as equal if they differ in the sides of additions only.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":3,"blocks":1,
"steps":[
[{"src":0,"dst":1,"blocks":[0],"op":"reduce"}, {"src":1,"dst":2,"blocks":[0],"op":"reduce"}, {"src":2,"dst":0,"blocks":[0],"op":"reduce"},
 {"src":0,"dst":2,"blocks":[0],"op":"reduce"}, {"src":1,"dst":0,"blocks":[0],"op":"reduce"}, {"src":2,"dst":1,"blocks":[0],"op":"reduce"}]
]}
)",
    .remedy =
        R"(Sum each block once, on one rank, and copy the result to the others, as a reduce-scatter with an allgather does. If every
rank sums, let partners exchange equal sums, as in recursive-doubling.)",
};

}  // namespace onceover::verifier
