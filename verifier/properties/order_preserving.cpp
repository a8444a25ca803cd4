// order-preserving: does every sum join two neighbouring runs of ranks?

#include <fmt/format.h>

#include "verifier/property.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

namespace {

class OrderCheck final : public BlockCheck {
 public:
  void judge(const Replay& replay) override {
    results_.clear();
    for (Rank r = 0; r < replay.header().ranks; ++r)
      if (replay.must_hold(r)) results_.push_back(replay.value(r));
    // Data of other blocks are neighbours of nothing.
    const Rank ranks = replay.header().ranks;
    walk_.walk(replay.terms(), results_, [&](Term leaf) {
      const Rank rank = replay.terms().rank_of(leaf);
      return rank < ranks ? rank : rank + 1;
    });
    sums_ += walk_.sums();
    gaps_ += walk_.gaps().size();
    if (!first_gap_ && !walk_.gaps().empty()) note(replay, walk_.gaps().front());
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const OrderCheck&>(other);
    sums_ += theirs.sums_;
    gaps_ += theirs.gaps_;
    if (theirs.first_gap_ && (!first_gap_ || theirs.first_gap_->block < first_gap_->block))
      first_gap_ = theirs.first_gap_;
  }

  Finding finding() const override { return neighbouring_sums(sums_, gaps_, first_gap_); }

 private:
  static std::string text_of(const Replay& replay, RankRun run) {
    return run.first < replay.header().ranks ? text(run) : "another block";
  }

  void note(const Replay& replay, const OrderWalk::Gap& gap) {
    const Replay::Move& move = replay.maker(gap.sum);
    first_gap_ = Counterexample{
        .what = Counterexample::Gap{{text_of(replay, gap.a), text_of(replay, gap.b)}, replay.rank_of(move.src)},
        .rank = replay.rank_of(move.dst),
        .block = replay.block(),
        .step = move.step};
  }

  std::uint64_t sums_ = 0;  // sums that are part of a result
  std::uint64_t gaps_ = 0;
  std::optional<Counterexample> first_gap_;
  std::vector<Term> results_;
  OrderWalk walk_;
};

}  // namespace

Finding neighbouring_sums(std::uint64_t sums, std::uint64_t gaps, std::optional<Counterexample> first_gap) {
  if (gaps > 0)
    return {Verdict::fail, fmt::format("{} of {} sums join runs of ranks that aren't neighbours", gaps, sums),
            std::move(first_gap), gaps};
  return {Verdict::pass,
          fmt::format("all {} sums join neighbouring runs of ranks, so their sides can be chosen in order", sums)};
}

const Property order_preserving_property{
    .id = "order-preserving",
    .asks = "every sum joins two neighbouring runs of ranks, so that operators that don't commute are safe",
    .required_by_default = false,
    .matters =
        R"(MPI lets users define operators that are associative but don't commute, such as the product of matrices. The result must
then be x0 * x1 * .. in the order of the ranks. If each sum joins the ranks a..b with b+1..c, the side on which an
operand stands can be chosen so that the order comes out right. If some sum joins runs with a gap between them, no choice
does. The order of ranks is 0, 1, ..; it doesn't wrap around.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":3,"blocks":1,"root":0,
"steps":[
[{"src":2,"dst":0,"blocks":[0],"op":"reduce"}],
[{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]
]}
)",
    .remedy =
        R"(Let ranks combine with their neighbours first: here rank 1 before rank 2. Of the catalogue, recursive-doubling
and rabenseifner with order=near preserve the order for powers of two.)",
    .by_block = [](const Header&, const Bounds&, int) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<OrderCheck>();
    },
};

}  // namespace onceover::verifier
