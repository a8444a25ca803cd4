// order-preserving: does every sum join two neighbouring runs of ranks?

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover {

namespace {

/// Ranks first .. last, or no run at all.
struct RankRun {
  Rank first = -1;
  Rank last = -1;

  bool is_run() const { return first >= 0; }
};

std::string text(RankRun run) {
  return run.first == run.last ? fmt::format("rank {}", run.first) : fmt::format("ranks {}..{}", run.first, run.last);
}

class OrderCheck final : public BlockCheck {
 public:
  void judge(const Replay& replay) override {
    mark_used(replay);
    runs_.assign(replay.end_of_sums(), {});
    for (Rank r = 0; r < replay.header().ranks; ++r) runs_[TermTable::id(replay.terms().leaf(r))] = {r, r};
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
  /// Which terms are part of a result.
  void mark_used(const Replay& replay) {
    used_.assign(replay.end_of_sums(), false);
    for (Rank r = 0; r < replay.header().ranks; ++r)
      if (replay.must_hold(r)) used_[TermTable::id(replay.value(r))] = true;
    for (std::uint32_t id = replay.end_of_sums(); id-- > replay.first_sum();) {
      if (!used_[id]) continue;
      used_[TermTable::id(replay.terms().first(static_cast<Term>(id)))] = true;
      used_[TermTable::id(replay.terms().second(static_cast<Term>(id)))] = true;
    }
  }

  void join(const Replay& replay, Term sum) {
    if (!used_[TermTable::id(sum)]) return;
    ++sums_;
    const RankRun a = runs_[TermTable::id(replay.terms().first(sum))];
    const RankRun b = runs_[TermTable::id(replay.terms().second(sum))];
    RankRun& joined = runs_[TermTable::id(sum)];
    if (!a.is_run() || !b.is_run()) return;
    if (a.last + 1 == b.first) {
      joined = {a.first, b.last};
    } else if (b.last + 1 == a.first) {
      joined = {b.first, a.last};
    } else {
      ++gaps_;
      if (!first_gap_) note(replay, sum, a, b);
    }
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
  std::vector<bool> used_;
  std::vector<RankRun> runs_;
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
