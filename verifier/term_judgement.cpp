#include "verifier/term_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace onceover::verifier {

bool LeafWalk::has_each_once(const TermTable& terms, Term root, Rank end) {
  const std::optional<Rank> known = terms.different_leaves(root);
  if (known && (*known != end || end == terms.ranks())) return *known == end;
  if (++walk_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    walk_ = 1;
  }
  Rank leaves = 0;
  auto is_new = [&](Term leaf) {
    ++leaves;
    const Rank rank = terms.rank_of(leaf);
    return rank < end && std::exchange(seen_[static_cast<std::size_t>(rank)], walk_) != walk_;
  };
  std::size_t waiting = 0;
  to_visit_[waiting++] = root;
  while (waiting > 0) {
    Term term = to_visit_[--waiting];
    for (; !terms.is_leaf(term); term = terms.first(term)) {
      ++walked_;
      const Term other = terms.second(term);
      if (!terms.is_leaf(other))
        to_visit_[waiting++] = other;
      else if (!is_new(other))
        return false;
      // Each of the terms to visit leads to a leaf yet to be met: too many can't all be different.
      if (waiting + static_cast<std::size_t>(leaves) >= static_cast<std::size_t>(end)) return false;
    }
    if (!is_new(term)) return false;
  }
  return leaves == end;
}

std::string text(RankRun run) {
  return run.first == run.last ? fmt::format("rank {}", run.first) : fmt::format("ranks {}..{}", run.first, run.last);
}

void OrderWalk::walk(const TermTable& terms, std::span<const Term> results) {
  sums_ = 0;
  gaps_.clear();
  mark_used(terms, results);
  runs_.resize(terms.id_end());
  for (Rank r = 0; r < terms.ranks(); ++r) runs_[TermTable::id(terms.leaf(r))] = {r, r};
  for (std::uint32_t id = TermTable::id(terms.leaf(terms.ranks() - 1)) + 1; id < terms.id_end(); ++id)
    runs_[id] = used_[id] != 0 ? joined(terms, static_cast<Term>(id)) : RankRun{};
}

void OrderWalk::mark_used(const TermTable& terms, std::span<const Term> results) {
  used_.assign(terms.id_end(), 0);
  for (const Term result : results) used_[TermTable::id(result)] = 1;
  const std::uint32_t first_sum = TermTable::id(terms.leaf(terms.ranks() - 1)) + 1;
  for (std::uint32_t id = terms.id_end(); id-- > first_sum;) {
    if (used_[id] == 0) continue;
    used_[TermTable::id(terms.first(static_cast<Term>(id)))] = 1;
    used_[TermTable::id(terms.second(static_cast<Term>(id)))] = 1;
  }
}

RankRun OrderWalk::joined(const TermTable& terms, Term sum) {
  ++sums_;
  const RankRun a = runs_[TermTable::id(terms.first(sum))];
  const RankRun b = runs_[TermTable::id(terms.second(sum))];
  if (!a.is_run() || !b.is_run()) return {};
  if (a.last + 1 == b.first) return {a.first, b.last};
  if (b.last + 1 == a.first) return {b.first, a.last};
  gaps_.push_back({sum, a, b});
  return {};
}

std::optional<Disagreement> disagreement(std::span<const Term> results) {
  const auto different =
      std::find_if(results.begin(), results.end(), [&](Term term) { return term != results.front(); });
  if (different == results.end()) return std::nullopt;
  std::vector<Term> sorted(results.begin(), results.end());
  std::sort(sorted.begin(), sorted.end());
  const auto distinct = static_cast<std::uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  return Disagreement{static_cast<std::size_t>(different - results.begin()), distinct};
}

}  // namespace onceover::verifier
