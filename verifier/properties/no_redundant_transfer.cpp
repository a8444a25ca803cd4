// no-redundant-transfer: is every block value that is sent new to its receiver, and used?

#include <fmt/format.h>

#include <algorithm>

#include "verifier/property.h"

namespace onceover::verifier {

namespace {

class RedundancyCheck final : public BlockCheck {
 public:
  /// Goes backwards over the steps. A value is of use on a rank if it is in a result there, or if the rank later sends
  /// something made from it that is of use.
  void judge(const Replay& replay) override {
    if (!replay.leads()) return;
    const auto moves = replay.moves();
    of_use_.resize(static_cast<std::size_t>(replay.cells()));
    for (Rank r = 0; r < replay.cells(); ++r) of_use_[static_cast<std::size_t>(r)] = replay.must_hold(r) ? 1 : 0;
    std::optional<std::size_t> first;
    for (std::size_t end = moves.size(), begin = end; end > 0; end = begin) {
      while (begin > 0 && moves[begin - 1].step == moves[end - 1].step) --begin;
      judge_step(moves.subspan(begin, end - begin), begin, first);
    }
    if (first && !example_) note(replay, moves[*first]);
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const RedundancyCheck&>(other);
    known_ += theirs.known_;
    unused_ += theirs.unused_;
    if (!theirs.example_ || (example_ && example_of_ < theirs.example_of_)) return;
    example_ = theirs.example_;
    example_of_ = theirs.example_of_;
  }

  Finding finding() const override {
    if (known_ + unused_ == 0) return {Verdict::pass, "every value sent is new to its receiver and used"};
    return {Verdict::fail,
            fmt::format("{} block transfers are useless: {} bring what the receiver already has, {} what nobody uses",
                        known_ + unused_, known_, unused_),
            example_, known_ + unused_};
  }

 private:
  /// Does the move copy what its receiver already holds? Then that value stays of use.
  static bool changes_nothing(const Replay::Move& move) { return move.op == Op::copy && move.sent == move.before; }

  using Moves = std::span<const Replay::Move>;

  void judge_step(Moves step, std::size_t position, std::optional<std::size_t>& first) {
    if (useful_.size() < step.size()) useful_.resize(step.size());
    std::size_t first_here = step.size();
    for (std::size_t m = 0; m < step.size(); ++m) {
      const Replay::Move& move = step[m];
      const bool is_known = move.sent == move.before;
      const bool is_used = of_use_[static_cast<std::size_t>(move.dst)] != 0;
      useful_[m] = is_used && !changes_nothing(move) ? 1 : 0;
      if (is_used && !is_known) continue;
      ++(is_known ? known_ : unused_);
      first_here = std::min(first_here, m);
    }
    if (first_here < step.size()) first = position + first_here;
    for (const Replay::Move& move : step)
      if (move.op == Op::copy && !changes_nothing(move)) of_use_[static_cast<std::size_t>(move.dst)] = 0;
    for (std::size_t m = 0; m < step.size(); ++m) of_use_[static_cast<std::size_t>(step[m].src)] |= useful_[m];
  }

  void note(const Replay& replay, const Replay::Move& move) {
    example_of_ = replay.block();
    example_ = Counterexample{.what = Counterexample::Unused{replay.rank_of(move.src)},
                              .rank = replay.rank_of(move.dst),
                              .block = replay.block_of(move.dst),
                              .step = move.step};
    if (move.sent == move.before) example_->what = Counterexample::AlreadyHeld{replay.rank_of(move.src)};
  }

  std::vector<char> of_use_;  // by cell, after the step
  std::vector<char> useful_;  // by move of the step, as many as it has
  std::uint64_t known_ = 0;
  std::uint64_t unused_ = 0;
  std::optional<Counterexample> example_;
  Block example_of_ = 0;  // the block that was judged
};

}  // namespace

const Property no_redundant_transfer_property{
    .id = "no-redundant-transfer",
    .asks = "no rank receives a block value that it already holds or that nobody uses",
    .required_by_default = false,
    .matters =
        R"(A block that its receiver has already, or that is neither part of a result nor passed on into one, costs bandwidth for
nothing. It often is the sign of a rule that sends too much, such as one that marks later sends as well.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":3,"blocks":1,"root":0,
"steps":[
[{"src":0,"dst":1,"blocks":[0],"op":"copy"}],
[{"src":0,"dst":2,"blocks":[0],"op":"copy"}, {"src":0,"dst":1,"blocks":[0],"op":"copy"}]
]}
)",
    .remedy = "Leave the transfer out.",
    .by_block = [](const Header&, const Bounds&, int) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<RedundancyCheck>();
    },
};

}  // namespace onceover::verifier
