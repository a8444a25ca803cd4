// emptied-buffers: is a rank's buffer for another rank empty before it is used again?
//
// A rank keeps what it holds for others in buffers: data that it received and will send on unchanged, in a buffer for
// the sender; a sum that it makes, in a buffer for the rank that gets it. Each message is one use of a buffer, from the
// step in which the first block arrives to the step in which the last one leaves. Two uses must not meet.
//
// Example: rank 1 gets block 0 from rank 0 at step 0, and sends it on at steps 1 and 2. If rank 0 sends it another
// block to pass on at step 2, it needs a second buffer.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <tuple>
#include <vector>

#include "verifier/property.h"

namespace onceover::verifier {

namespace {

/// The largest number of uses to remember, and of ranks times steps, so that a use has a number of 64 bits.
constexpr std::size_t most_uses = 1 << 22;
constexpr std::uint64_t most_places = 1 << 26;

/// The largest number of ranks times steps, each of which has a place for one use.
constexpr std::uint64_t most_homes = 1 << 22;

class EmptiedBuffersCheck final : public BlockCheck {
 public:
  EmptiedBuffersCheck(const Header& header, int steps)
      : ranks_(static_cast<std::uint64_t>(header.ranks)),
        steps_(static_cast<std::uint64_t>(steps)),
        is_too_large_(ranks_ * steps_ > most_places) {
    if (ranks_ * steps_ <= most_homes) homes_.resize(static_cast<std::size_t>(ranks_ * steps_));
  }

  void judge(const Replay& replay) override {
    for (const Forwarding& held : replay.forwardings()) {
      const Rank peer = held.is_sum ? held.to : held.from;
      if (peer == held.rank) continue;
      const auto step = static_cast<std::uint64_t>(held.is_sum ? held.until : held.since);
      note({code_of(held, peer, step), held.since, held.until}, home_of(held.rank, step));
    }
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const EmptiedBuffersCheck&>(other);
    for (const Use& use : theirs.all_uses())
      note(use, home_of(static_cast<Rank>(use.code / steps_ / ranks_ / 2), use.code % steps_));
    is_too_large_ = is_too_large_ || theirs.is_too_large_;
  }

  Finding finding() const override {
    const std::vector<Use> uses = all_uses();
    if (is_too_large_ || uses.size() > most_uses)
      return {Verdict::unknown,
              fmt::format("not judged: more than {} ranks x steps, or {} uses of buffers", most_places, most_uses)};
    const Met met = met_among(uses);
    if (met.count == 0)
      return {Verdict::pass, uses.empty() ? "no rank holds a block for others"
                                          : "what a rank holds for others has left before its buffer is used again"};
    return {Verdict::fail, "a buffer is used again before what it holds has left", met.first, met.count};
  }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;

  /// From the first step to the last.
  struct Use {
    std::uint64_t code = none;
    int since = 0;
    int until = 0;

    void widen(const Use& share) {
      since = std::min(since, share.since);
      until = std::max(until, share.until);
    }
  };

  /// Uses that meet the one before.
  struct Met {
    std::uint64_t count = 0;
    std::optional<Counterexample> first = {};
  };

  /// A number for the buffer's use: rank, received or summed, peer and step, most significant first.
  std::uint64_t code_of(const Forwarding& held, Rank peer, std::uint64_t step) const {
    const auto buffer =
        (2 * static_cast<std::uint64_t>(held.rank) + (held.is_sum ? 0 : 1)) * ranks_ + static_cast<std::uint64_t>(peer);
    return buffer * steps_ + step;
  }

  /// Where a use is kept, unless another one is there already. Most uses have a home of their own.
  std::uint64_t home_of(Rank rank, std::uint64_t step) const {
    return static_cast<std::uint64_t>(rank) * steps_ + step;
  }

  /// Notes a block's share of a use. Uses that find another one at home are put together now and then, and in the end.
  void note(const Use& share, std::uint64_t home) {
    if (is_too_large_) return;
    if (!homes_.empty()) {
      Use& use = homes_[home];
      if (use.code == none) use = share;
      if (use.code == share.code) return use.widen(share);
    }
    others_.push_back(share);
    if (others_.size() < crowded_) return;
    put_together(others_);
    is_too_large_ = others_.size() > most_uses;
    crowded_ = 2 * std::max(others_.size(), most_uses / 4);
  }

  /// All uses, sorted by code, each once.
  std::vector<Use> all_uses() const {
    std::vector<Use> uses = others_;
    std::copy_if(homes_.begin(), homes_.end(), std::back_inserter(uses), [](const Use& u) { return u.code != none; });
    put_together(uses);
    return uses;
  }

  /// Sorts the uses by their code, and joins those that have the same.
  static void put_together(std::vector<Use>& uses) {
    const auto is_before = [](const Use& a, const Use& b) { return a.code < b.code; };
    if (!std::is_sorted(uses.begin(), uses.end(), is_before)) std::sort(uses.begin(), uses.end(), is_before);
    std::size_t count = 0;
    for (const Use& use : uses)
      if (count == 0 || uses[count - 1].code != use.code) {
        uses[count++] = use;
      } else {
        uses[count - 1].widen(use);
      }
    uses.resize(count);
  }

  /// The uses are sorted by buffer, then by step. If any two uses of a buffer meet, two neighbours do.
  Met met_among(const std::vector<Use>& uses) const {
    Met met;
    auto first = std::tuple(std::numeric_limits<int>::max(), Rank{0}, Rank{0});
    for (std::size_t k = 1; k < uses.size(); ++k) {
      const Use before = uses[k - 1], use = uses[k];
      const std::uint64_t buffer = use.code / steps_;
      if (before.code / steps_ != buffer || before.until < use.since) continue;
      ++met.count;
      const auto peer = static_cast<Rank>(buffer % ranks_), rank = static_cast<Rank>(buffer / ranks_ / 2);
      const auto place = std::tuple(use.since, rank, peer);
      if (place >= first) continue;
      first = place;
      const bool is_sum = buffer / ranks_ % 2 == 0;
      met.first = Counterexample{
          .what = Counterexample::NotEmptied{peer, before.until, is_sum}, .rank = rank, .step = use.since};
    }
    return met;
  }

  std::uint64_t ranks_;
  std::uint64_t steps_;
  std::vector<Use> homes_;
  std::vector<Use> others_;
  std::size_t crowded_ = most_uses / 2;
  bool is_too_large_;
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
