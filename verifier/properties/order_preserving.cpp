// order-preserving: does every sum join two neighbouring runs of ranks?

#include <fmt/format.h>

#include "verifier/property.h"
#include "verifier/rank_runs.h"

namespace onceover {

namespace {

std::string text(RankRun run) {
  return run.first == run.last ? fmt::format("rank {}", run.first) : fmt::format("ranks {}..{}", run.first, run.last);
}

class OrderCheck final : public BlockCheck {
 public:
  void judge(const Replay& replay) override {
    runs_.find(replay);
    for (std::uint32_t id = replay.first_sum(); id < replay.end_of_sums(); ++id) join(replay, static_cast<Term>(id));
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const OrderCheck&>(other);
    sums_ += theirs.sums_;
    gaps_ += theirs.gaps_;
    if (theirs.first_gap_ && (!first_gap_ || theirs.first_gap_->block < first_gap_->block))
      first_gap_ = theirs.first_gap_;
  }

  Finding finding() const override {
    if (gaps_ > 0)
      return {Verdict::fail, fmt::format("{} of {} sums join no neighbouring runs of ranks", gaps_, sums_), first_gap_,
              gaps_};
    return {Verdict::pass,
            fmt::format("all {} sums join neighbouring runs of ranks, so their sides can be chosen in order", sums_)};
  }

 private:
  void join(const Replay& replay, Term sum) {
    if (!runs_.is_used(sum)) return;
    ++sums_;
    const RankRun a = runs_.of(replay.terms().first(sum));
    const RankRun b = runs_.of(replay.terms().second(sum));
    if (!a.is_run() || !b.is_run() || runs_.of(sum).is_run()) return;
    ++gaps_;
    if (!first_gap_) note(replay, sum, a, b);
  }

  void note(const Replay& replay, Term sum, RankRun a, RankRun b) {
    const Replay::Move& move = replay.maker(sum);
    first_gap_ = Counterexample{.kind = Counterexample::Kind::gap,
                                .rank = move.dst,
                                .block = replay.block(),
                                .step = move.step,
                                .other_rank = move.src,
                                .shown = {text(a), text(b)}};
  }

  std::uint64_t sums_ = 0;  // that are part of a result
  std::uint64_t gaps_ = 0;
  std::optional<Counterexample> first_gap_;
  RankRuns runs_;
};

}  // namespace

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
    .by_block = [](const Header&, const Limits&, int) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<OrderCheck>();
    },
};

}  // namespace onceover
