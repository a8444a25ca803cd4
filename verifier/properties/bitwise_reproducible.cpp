// bitwise-reproducible: do all ranks hold the same sum, up to swapping the two sides of an addition?

#include <fmt/format.h>

#include <algorithm>

#include "verifier/property.h"

namespace onceover {

namespace {

constexpr int shown_depth = 4;

/// The sum written out, down to `depth` levels; what is deeper as "..".
std::string expression(const TermTable& terms, Term term, int depth) {
  if (term == Term::nothing) return "nothing";
  if (terms.is_leaf(term)) return fmt::format("x{}", terms.rank_of(term));
  if (depth == 0) return "..";
  auto side = [&](Term t) {
    const std::string text = expression(terms, t, depth - 1);
    return terms.is_leaf(t) || text == ".." ? text : "(" + text + ")";
  };
  return side(terms.first(term)) + "+" + side(terms.second(term));
}

/// Goes down two different sums while one side is the same, to where they really differ.
std::pair<Term, Term> first_difference(const TermTable& terms, Term a, Term b) {
  while (a != Term::nothing && b != Term::nothing && !terms.is_leaf(a) && !terms.is_leaf(b)) {
    const Term a1 = terms.first(a), a2 = terms.second(a), b1 = terms.first(b), b2 = terms.second(b);
    if (a1 == b1)
      a = a2, b = b2;
    else if (a2 == b2)
      a = a1, b = b1;
    else if (a1 == b2)
      a = a2, b = b1;
    else if (a2 == b1)
      a = a1, b = b2;
    else
      break;
  }
  return {a, b};
}

class ReproducibleCheck final : public BlockCheck {
 public:
  void judge(const Replay& replay) override {
    results_.clear();
    std::optional<Rank> first;
    std::optional<Rank> different;
    for (Rank r = 0; r < replay.header().ranks; ++r) {
      if (!replay.must_hold(r)) continue;
      first = first.value_or(r);
      if (!different && replay.value(r) != replay.value(*first)) different = r;
      results_.push_back(replay.value(r));
    }
    if (!different) return;
    std::sort(results_.begin(), results_.end());
    const auto distinct = static_cast<std::uint64_t>(std::unique(results_.begin(), results_.end()) - results_.begin());
    most_distinct_ = std::max(most_distinct_, distinct);
    ++blocks_;
    if (!example_) note(replay, *first, *different, distinct);
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const ReproducibleCheck&>(other);
    blocks_ += theirs.blocks_;
    most_distinct_ = std::max(most_distinct_, theirs.most_distinct_);
    if (theirs.example_ && (!example_ || theirs.example_->block < example_->block)) example_ = theirs.example_;
  }

  Finding finding() const override {
    if (blocks_ == 0) return {Verdict::pass, "all ranks that hold a block hold the same sum of it"};
    return {Verdict::fail, fmt::format("up to {} different sums of one block over the ranks", most_distinct_), example_,
            blocks_};
  }

 private:
  void note(const Replay& replay, Rank first, Rank different, std::uint64_t distinct) {
    const TermTable& terms = replay.terms();
    const Term a = replay.value(first);
    const Term b = replay.value(different);
    const auto [a_part, b_part] = first_difference(terms, a, b);
    example_ = Counterexample{.kind = Counterexample::Kind::different,
                              .rank = first,
                              .block = replay.block(),
                              .times = distinct,
                              .other_rank = different,
                              .shown = {expression(terms, a, shown_depth), expression(terms, b, shown_depth)}};
    if (a_part == a) return;
    example_->shown.push_back(expression(terms, a_part, shown_depth));
    example_->shown.push_back(expression(terms, b_part, shown_depth));
  }

  std::vector<Term> results_;
  std::uint64_t blocks_ = 0;  // that differ
  std::uint64_t most_distinct_ = 1;
  std::optional<Counterexample> example_;
};

}  // namespace

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
    .by_block = [](const Header&, const Limits&, int) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<ReproducibleCheck>();
    },
};

}  // namespace onceover
