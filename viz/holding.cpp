#include "viz/holding.h"

#include <bit>
#include <utility>

#include "viz/block_trace.h"

namespace onceover::viz {

Holding HoldingTable::of(Term root) {
  if (root == Term::nothing) return {};
  const bool has_own_only = terms_.ranks() == ranks_;
  if (const auto leaves = terms_.different_leaves(root); leaves && has_own_only)
    return {static_cast<int>(*leaves), false};
  // Operands have smaller ids than their sum.
  while (holdings_.size() <= TermTable::id(root)) add(static_cast<Term>(holdings_.size()));
  return holdings_[TermTable::id(root)];
}

void HoldingTable::add(Term term) {
  std::vector<std::uint64_t> who;
  Holding holding;
  if (terms_.is_leaf(term)) {
    const auto rank = static_cast<std::size_t>(terms_.rank_of(term));
    if (terms_.rank_of(term) < ranks_) {
      who.resize(rank / 64 + 1);
      who.back() = std::uint64_t{1} << rank % 64;
    }
  } else {
    const auto first = TermTable::id(terms_.first(term)), second = TermTable::id(terms_.second(term));
    const auto& fewer = who_[first].size() < who_[second].size() ? who_[first] : who_[second];
    who = who_[first].size() < who_[second].size() ? who_[second] : who_[first];
    holding.has_duplicate = holdings_[first].has_duplicate || holdings_[second].has_duplicate;
    for (std::size_t k = 0; k < fewer.size(); ++k) {
      holding.has_duplicate = holding.has_duplicate || (who[k] & fewer[k]) != 0;
      who[k] |= fewer[k];
    }
  }
  for (const std::uint64_t word : who) holding.contributions += std::popcount(word);
  who_.push_back(std::move(who));
  holdings_.push_back(holding);
}

Rank contributors(const Header& header) {
  return contract(header.collective).begins == Holders::everyone ? header.ranks : 1;
}

void hold(const Header& header, const std::vector<Block>& slots, const Execution& execution, HoldingTable& table,
          Rank rank, std::vector<Holding>& row) {
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slot > 0 && slots[slot] < header.blocks) continue;
    const Rank cell = static_cast<Rank>(slot) * header.ranks + rank;
    const Holding held = table.of(execution.value(cell));
    Holding& known = row[static_cast<std::size_t>(slots[slot])];
    if (held.contributions >= known.contributions) known = held;
  }
}

std::optional<Holdings> holdings(const Schedule& schedule) {
  const Header& header = schedule.header();
  const auto ranks = static_cast<std::size_t>(header.ranks), blocks = static_cast<std::size_t>(header.all_blocks());
  Holdings all(static_cast<std::size_t>(schedule.steps()) + 1, {ranks, std::vector<Holding>(blocks)});
  for (Block block = 0; block < header.blocks; ++block) {
    Execution execution(header);
    BlockTrace trace(schedule, block);
    for (std::size_t end = 0; end < all.size(); ++end) {
      if (execution.run(block, trace.before(static_cast<int>(end)))) return std::nullopt;
      HoldingTable table(header, execution.terms());
      for (Rank r = 0; r < header.ranks; ++r)
        hold(header, trace.slots(), execution, table, r, all[end][static_cast<std::size_t>(r)]);
    }
  }
  return all;
}

}  // namespace onceover::viz
