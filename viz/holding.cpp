#include "viz/holding.h"

#include <set>

#include "viz/block_trace.h"

namespace onceover::viz {

Holding holding(const Header& header, const TermTable& terms, Term root) {
  Holding result;
  if (root == Term::nothing) return result;
  std::set<Rank> seen;
  std::vector<Term> to_visit{root};
  while (!to_visit.empty() && !result.has_duplicate) {
    const Term term = to_visit.back();
    to_visit.pop_back();
    if (terms.is_leaf(term)) {
      const Rank rank = terms.rank_of(term);
      result.has_duplicate = rank < header.ranks && !seen.insert(rank).second;
    } else {
      to_visit.push_back(terms.first(term));
      to_visit.push_back(terms.second(term));
    }
  }
  result.contributions = static_cast<int>(seen.size());
  return result;
}

Rank contributors(const Header& header) {
  return contract(header.collective).begins == Holders::everyone ? header.ranks : 1;
}

void hold(const Header& header, const std::vector<Block>& slots, const Execution& execution, Rank rank,
          std::vector<Holding>& row) {
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slot > 0 && slots[slot] < header.blocks) continue;
    const Rank cell = static_cast<Rank>(slot) * header.ranks + rank;
    const Holding held = holding(header, execution.terms(), execution.value(cell));
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
      for (Rank r = 0; r < header.ranks; ++r)
        hold(header, trace.slots(), execution, r, all[end][static_cast<std::size_t>(r)]);
    }
  }
  return all;
}

}  // namespace onceover::viz
