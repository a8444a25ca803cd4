// Ranks that no message reaches, where there are far more ranks than messages.

#include <algorithm>
#include <vector>

#include "verifier/survey.h"

namespace onceover::verifier {

namespace {

constexpr Rank many_ranks = 1 << 18;    // up to here, executing takes 100 MiB at most
constexpr Block many_blocks = 1 << 22;  // up to here, a second
constexpr Block blocks_tried = 64;

/// Marks who sends or receives.
class BusyRanks {
 public:
  explicit BusyRanks(const Schedule& schedule) : is_busy_(static_cast<std::size_t>(schedule.header().ranks), false) {
    for (int step = 0; step < schedule.steps(); ++step)
      schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
        for (const Transfer& t : some)
          for (const Rank r : {t.src, t.dst}) mark(r);
      });
  }

  bool contains(Rank rank) const { return is_busy_[static_cast<std::size_t>(rank)]; }

  /// The first idle rank that isn't this one; nothing if there is none.
  std::optional<Rank> idle_besides(Rank other) const {
    for (std::size_t r = 0; r < is_busy_.size(); ++r)
      if (!is_busy_[r] && static_cast<Rank>(r) != other) return static_cast<Rank>(r);
    return std::nullopt;
  }

 private:
  void mark(Rank rank) {
    if (rank >= 0 && static_cast<std::size_t>(rank) < is_busy_.size()) is_busy_[static_cast<std::size_t>(rank)] = true;
  }

  std::vector<bool> is_busy_;
};

/// The holder of the block; if everyone holds it, an idle rank other than `other`.
std::optional<Rank> one_of(const Header& header, Holders holders, Block block, const BusyRanks& busy, Rank other) {
  return holders == Holders::everyone ? busy.idle_besides(other) : header.holder(holders, block);
}

std::optional<Counterexample> lost(const Header& header, Block block, const BusyRanks& busy) {
  const Contract& c = contract(header.collective);
  constexpr Rank nobody = -1;
  const Rank holder = c.ends == Holders::everyone ? nobody : header.holder(c.ends, block);
  const auto from = one_of(header, c.begins, block, busy, holder);
  if (!from) return std::nullopt;
  std::optional<Rank> to = one_of(header, c.ends, block, busy, *from);
  if (c.ends == Holders::everyone && !to) to = *from == 0 ? 1 : 0;
  if (!to || *to == *from || *to >= header.ranks || busy.contains(*from)) return std::nullopt;
  return Counterexample{.what = Counterexample::Missing{.contributor = *from}, .rank = *to, .block = block};
}

}  // namespace

bool is_mostly_idle(const Schedule& schedule) {
  const Header& h = schedule.header();
  if (schedule.as_patterns() != nullptr || (h.ranks <= many_ranks && h.blocks <= many_blocks)) return false;
  std::uint64_t messages = 0;
  for (int step = 0; step < schedule.steps() && messages < static_cast<std::uint64_t>(h.ranks) / 2; ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) { messages += some.size(); });
  return messages < static_cast<std::uint64_t>(h.ranks) / 2;
}

std::optional<Counterexample> lost_by_idle_rank(const Schedule& schedule) {
  const BusyRanks busy(schedule);
  for (Block b = 0; b < std::min(blocks_tried, schedule.header().blocks); ++b)
    if (auto found = lost(schedule.header(), b, busy)) return found;
  return std::nullopt;
}

}  // namespace onceover::verifier
