// staging: how many blocks does a rank hold for others at once?

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover::verifier {

namespace {

/// The largest number of counters, one for each rank and step.
constexpr std::uint64_t most_counters = 1 << 26;

/// After a step, a rank stages a foreign block if it has received something of that block and will send it on.
class StagingCheck final : public BlockCheck {
 public:
  StagingCheck(const Header& header, const Bounds& bounds, int steps)
      : ranks_(static_cast<std::uint64_t>(header.ranks)),
        steps_(static_cast<std::uint64_t>(steps)),
        bound_(bounds.staging),
        names_(header.names) {
    is_too_large_ = ranks_ * steps_ > most_counters;
    if (!is_too_large_) changes_.resize(static_cast<std::size_t>(ranks_ * (steps_ + 1)));
  }

  void judge(const Replay& replay) override {
    if (is_too_large_) return;
    for (const Forwarding& held : replay.forwardings()) {
      ++change(held.rank, held.since);
      --change(held.rank, held.until);
    }
  }

  void merge(const BlockCheck& other) override {
    const auto& theirs = static_cast<const StagingCheck&>(other);
    for (std::size_t k = 0; k < changes_.size(); ++k) changes_[k] += theirs.changes_[k];
  }

  Finding finding() const override {
    if (is_too_large_)
      return {Verdict::unknown, fmt::format("not judged: more than {} ranks x steps to count in", most_counters)};
    const Peak peak = this->peak();
    Finding finding = judged(peak);
    finding.extra = Finding::Peak{peak.blocks};
    return finding;
  }

 private:
  struct Peak {
    std::uint64_t blocks = 0;
    Rank rank = 0;
    int step = 0;
    std::uint64_t over = 0;  // (rank, step) pairs above the bound
  };

  Finding judged(const Peak& peak) const {
    const std::string most = peak.blocks == 0
                                 ? "no rank holds a block for others"
                                 : fmt::format("blocks held for others: at most {} (rank {}, after step {})",
                                               peak.blocks, names_.rank(peak.rank), names_.step(peak.step));
    if (!bound_) return {Verdict::pass, most + "; no limit given, see --staging"};
    if (peak.blocks <= *bound_) return {Verdict::pass, fmt::format("{}; the limit is {}", most, *bound_)};
    return {Verdict::fail, fmt::format("{}; the limit is {}", most, *bound_),
            Counterexample{.what = Counterexample::Staging{peak.blocks, *bound_}, .rank = peak.rank, .step = peak.step},
            peak.over};
  }

  std::int32_t& change(Rank rank, int step) {
    return changes_[static_cast<std::size_t>(rank) * (steps_ + 1) + static_cast<std::size_t>(step)];
  }

  Peak peak() const {
    Peak peak;
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::int64_t held = 0;
      for (std::size_t s = 0; s < steps_; ++s) {
        held += changes_[r * (steps_ + 1) + s];
        const auto blocks = static_cast<std::uint64_t>(held);
        if (bound_ && blocks > *bound_) ++peak.over;
        if (blocks > peak.blocks) {
          peak.blocks = blocks;
          peak.rank = static_cast<Rank>(r);
          peak.step = static_cast<int>(s);
        }
      }
    }
    return peak;
  }

  std::uint64_t ranks_;
  std::uint64_t steps_;
  std::optional<std::uint64_t> bound_;
  const Names& names_;
  bool is_too_large_;
  std::vector<std::int32_t> changes_;  // by rank and step: how many more blocks are staged after it than before
};

}  // namespace

const Property staging_property{
    .id = "staging",
    .asks = "no rank holds more blocks for later forwarding at once than asked for (--staging)",
    .required_by_default = false,
    .matters =
        R"(What a rank receives only to send it on needs a buffer besides the user's. Trees that send far first hold up to half of
all blocks; PAT bounds that by about A log2(p/A) with messages of A blocks. A block is counted after each step by which
a foreign rank holds something of it that it received and will send on; on its owner or root it doesn't count. Scratch
counts on every rank, while it holds something that is read later.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"gather","ranks":4,"blocks":4,"root":0,
"steps":[
[{"src":3,"dst":1,"blocks":[3],"op":"copy"}, {"src":2,"dst":1,"blocks":[2],"op":"copy"}],
[{"src":1,"dst":0,"blocks":[[1,3]],"op":"copy"}]
]}
)",
    .remedy = "Pass a block on before the next one comes: depth first, as pat with a small aggregation does.",
    .by_block = [](const Header& header, const Bounds& bounds, int steps) -> std::unique_ptr<BlockCheck> {
      return std::make_unique<StagingCheck>(header, bounds, steps);
    },
    .bound =
        Bound{
            .number = &Bounds::staging,
            .help = "Require that no rank holds more than K blocks for others after a step (implies --require staging)",
            .question = "how many blocks may be held",
            .limit = "staging <= ceil(log2(p))"},
};

}  // namespace onceover::verifier
