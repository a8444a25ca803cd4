// A step of takings is compared place by place: each transfer that lands somewhere must be what that place takes, no
// place is met twice, and those that none lands in must take nothing.

#include "proofs/routes/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>

#include "base/parallel.h"
#include "base/stop.h"

namespace onceover::proofs {

std::string text(const BlockMove& move) {
  const bool stays = move.src == move.dst;
  const std::string there = stays ? "" : fmt::format(" to rank {}", move.dst);
  const std::string into = move.into == move.block ? "" : fmt::format(" into block {}", move.into);
  return fmt::format("step {}: rank {} {} block {}{}{}, to be {}", move.step, move.src, stays ? "moves its" : "sends",
                     move.block, there, into, move.op == Op::reduce ? "added" : "copied");
}

std::optional<std::string> first_difference(int steps, int threads, const std::function<std::string(int)>& of_step) {
  const int at_once = std::max(1, steps / (8 * threads));  // steps one after the other often meet places side by side
  std::atomic<int> next = 0, first = INT_MAX;
  std::mutex telling;
  std::string difference;
  run_workers(threads, [&](int) {
    for (int s = next.fetch_add(at_once); s < steps && first > s; s = next.fetch_add(at_once))
      for (int k = s; k < std::min(steps, s + at_once); ++k) {
        stop_point();
        std::string why = of_step(k);
        if (why.empty()) continue;
        const std::lock_guard lock(telling);
        if (k > first) continue;
        first = k;
        difference = std::move(why);
      }
  });
  return difference.empty() ? std::nullopt : std::optional(difference);
}

namespace {

class TakingComparison {
 public:
  TakingComparison(const Schedule& actual, int step, const Taking& taking)
      : actual_(actual), step_(step), taking_(taking), met_(2 * at(std::int64_t{header().ranks} * header().blocks)) {}

  /// Empty if there is none.
  std::string difference() {
    std::string why;
    actual_.visit_transfers(step_, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some)
        if (why.empty()) why = difference_of(t);
    });
    return why.empty() ? missing() : why;
  }

 private:
  const Header& header() const { return actual_.header(); }
  bool is_rank(Rank r) const { return r >= 0 && r < header().ranks; }
  bool is_block(Block b) const { return b >= 0 && b < header().all_blocks() && b < 2 * header().blocks; }
  bool is_copy(Block b) const { return b >= header().blocks; }

  std::size_t place(Rank x, Block b) const { return at(std::int64_t{x} * 2 * header().blocks + b); }

  std::string difference_of(const Transfer& t) {
    std::string why;
    std::vector<Block> blocks;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.list(blocks);
      for (const Block b : blocks)
        if (why.empty()) why = difference_of({step_, t.src, t.dst, b, b + shift, t.op});
    });
    return why;
  }

  std::string difference_of(const BlockMove& move) {
    if (!is_taken(move)) return fmt::format("{}, which the theorem's schedule doesn't", text(move));
    if (char& met = met_[place(move.dst, move.into)]; met == 0) {
      met = 1;
      return {};
    }
    return fmt::format("{} twice, which the theorem's schedule doesn't", text(move));
  }

  bool is_taken(const BlockMove& move) const {
    if (!is_rank(move.src) || !is_rank(move.dst) || !is_block(move.block) || !is_block(move.into)) return false;
    const Block block = move.into % header().blocks;
    const Source source{move.src, is_copy(move.block), move.op};
    return move.block % header().blocks == block && taking_(move.dst, block, is_copy(move.into)) == source;
  }

  std::string missing() const {
    const Block copies = header().blocks;
    for (Rank x = 0; x < header().ranks; ++x)
      for (Block b = 0; b < 2 * copies; ++b) {
        if (met_[place(x, b)] != 0) continue;
        if (const auto source = taking_(x, b % copies, is_copy(b)))
          return fmt::format(
              "{}, in the theorem's schedule only",
              text({step_, source->rank, x, b % copies + (source->is_copy ? copies : 0), b, source->op}));
      }
    return {};
  }

  const Schedule& actual_;
  int step_;
  const Taking& taking_;
  std::vector<char> met_;
};

}  // namespace

std::optional<std::string> takings_difference(const Schedule& actual, int first, const Takings& takings, int threads) {
  return first_difference(static_cast<int>(takings.steps.size()), threads, [&](int s) {
    return TakingComparison(actual, first + s, takings.steps[at(s)]).difference();
  });
}

}  // namespace onceover::proofs
