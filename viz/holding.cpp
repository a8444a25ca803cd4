#include "viz/holding.h"

#include <set>

#include "viz/block_trace.h"

namespace onceover::viz {

Holding holding(const TermTable& terms, Term root) {
  Holding result;
  if (root == Term::nothing) return result;
  std::set<Rank> seen;
  std::vector<Term> to_visit{root};
  while (!to_visit.empty() && !result.has_duplicate) {
    const Term term = to_visit.back();
    to_visit.pop_back();
    if (terms.is_leaf(term)) {
      result.has_duplicate = !seen.insert(terms.rank_of(term)).second;
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

std::optional<Holdings> holdings(const Schedule& schedule) {
  const Header& header = schedule.header();
  const auto ranks = static_cast<std::size_t>(header.ranks), blocks = static_cast<std::size_t>(header.blocks);
  Holdings all(static_cast<std::size_t>(schedule.steps()) + 1, {ranks, std::vector<Holding>(blocks)});
  for (Block block = 0; block < header.blocks; ++block) {
    Execution execution(header);
    BlockTrace trace(schedule, block);
    for (std::size_t end = 0; end < all.size(); ++end) {
      if (execution.run(block, trace.before(static_cast<int>(end)))) return std::nullopt;
      for (Rank r = 0; r < header.ranks; ++r)
        all[end][static_cast<std::size_t>(r)][static_cast<std::size_t>(block)] =
            holding(execution.terms(), execution.value(r));
    }
  }
  return all;
}

}  // namespace onceover::viz
