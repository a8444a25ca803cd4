// emptied-buffers: is a rank's buffer for another rank empty before it is used again?
//
// What a rank holds for others lies in buffers. What came as it is lies in the buffer of the rank that it came from;
// a sum that the rank makes, in the buffer of the rank that it goes to. Each message is one use of a buffer, from the
// step in which the first block arrives to the step in which the last one leaves. Two uses must not meet.
//
// Example: rank 1 gets block 0 from rank 0 at step 0, and sends it on at steps 1 and 2. If rank 0 sends it another
// block to pass on at step 2, it needs a second buffer.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "verifier/properties/stays.h"
#include "verifier/property.h"

namespace onceover::verifier {

namespace {

/// The largest number of uses to remember, and of ranks times steps, so that a use has a number of 64 bits.
constexpr std::size_t most_uses = 1 << 22;
constexpr std::uint64_t most_places = 1 << 26;

class EmptiedBuffersCheck final : public BlockCheck {
 public:
  EmptiedBuffersCheck(const Header& header, int steps)
      : ranks_(static_cast<std::uint64_t>(header.ranks)), steps_(static_cast<std::uint64_t>(steps)) {}

  void judge(const Replay& replay) override {
    stays_.for_each(replay, [&](const Stay& stay) {
      const Rank peer = stay.is_sum ? stay.to : stay.from;
      if (peer != stay.rank && !is_too_large()) widen(code(stay, peer), {stay.since, stay.until});
    });
  }

  void merge(const BlockCheck& other) override {
    for (const auto& [code, use] : static_cast<const EmptiedBuffersCheck&>(other).uses_) widen(code, use);
  }

  Finding finding() const override {
    if (is_too_large())
      return {Verdict::unknown,
              fmt::format("not judged: more than {} ranks x steps, or {} uses of buffers", most_places, most_uses)};
    const Met met = this->met();
    if (met.count == 0)
      return {Verdict::pass, uses_.empty() ? "no rank holds a block for others"
                                           : "what a rank holds for others has left before its buffer is used again"};
    return {Verdict::fail, "a buffer is used again before what it holds has left", met.first, met.count};
  }

 private:
  /// From the first step to the last.
  struct Use {
    int since;
    int until;
  };

  /// Uses that meet the one before.
  struct Met {
    std::uint64_t count = 0;
    std::optional<Counterexample> first = {};
  };

  bool is_too_large() const { return ranks_ * steps_ > most_places || uses_.size() > most_uses; }

  /// The message in which it came, or, of sums, in which it goes: kind, rank, peer and step, in this order of weight.
  std::uint64_t code(const Stay& stay, Rank peer) const {
    const auto buffer = (std::uint64_t{stay.is_sum} * ranks_ + static_cast<std::uint64_t>(stay.rank)) * ranks_ +
                        static_cast<std::uint64_t>(peer);
    return buffer * steps_ + static_cast<std::uint64_t>(stay.is_sum ? stay.until : stay.since);
  }

  void widen(std::uint64_t code, Use more) {
    const auto [found, is_new] = uses_.try_emplace(code, more);
    Use& use = found->second;
    use = {std::min(use.since, more.since), std::max(use.until, more.until)};
  }

  /// By buffer, then by step. Of the uses of a buffer neighbours meet if any two do.
  Met met() const {
    std::vector<std::pair<std::uint64_t, Use>> uses(uses_.begin(), uses_.end());
    std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Met met;
    auto first = std::tuple(std::numeric_limits<int>::max(), Rank{0}, Rank{0});
    for (std::size_t k = 1; k < uses.size(); ++k) {
      const std::uint64_t buffer = uses[k].first / steps_;
      const Use before = uses[k - 1].second, use = uses[k].second;
      if (uses[k - 1].first / steps_ != buffer || before.until < use.since) continue;
      ++met.count;
      const auto peer = static_cast<Rank>(buffer % ranks_), rank = static_cast<Rank>(buffer / ranks_ % ranks_);
      const auto place = std::tuple(use.since, rank, peer);
      if (place >= first) continue;
      first = place;
      const bool is_sum = buffer / ranks_ / ranks_ != 0;
      met.first = Counterexample{
          .what = Counterexample::NotEmptied{peer, before.until, is_sum}, .rank = rank, .step = use.since};
    }
    return met;
  }

  std::uint64_t ranks_;
  std::uint64_t steps_;
  Stays stays_;
  std::unordered_map<std::uint64_t, Use> uses_;
};

}  // namespace

const Property emptied_buffers_property{
    .id = "emptied-buffers",
    .asks = "what a rank holds for others has left before more comes from, or for, the same rank",
    .required_by_default = false,
    .matters =
        R"(A library maps a buffer between two ranks, and reuses it for each message. If a block that came through it still waits
to be passed on when the next message arrives, one buffer isn't enough. What is gathered counts for the rank that it came
from, a sum that a rank makes for the rank that it goes to. PAT sends far first so that every buffer is empty in time. A
ring receives a block in the step in which it sends the one before, so it needs two buffers.)",
    .example =
        R"({"format":"onceover-schedule","version":1,"collective":"scatter","ranks":3,"blocks":4,"root":0,"owners":[0,1,2,2],
"steps":[
[{"src":0,"dst":1,"blocks":[1,2],"op":"copy"}],
[{"src":0,"dst":1,"blocks":[3],"op":"copy"}, {"src":1,"dst":2,"blocks":[2],"op":"copy"}],
[{"src":1,"dst":2,"blocks":[3],"op":"copy"}]
]}
)",
    .remedy = "Pass on what a rank sent before it sends more, or keep a second buffer.",
    .by_block = [](const Header& header, const Bounds&, int steps) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<EmptiedBuffersCheck>(header, steps);
    },
};

}  // namespace onceover::verifier
