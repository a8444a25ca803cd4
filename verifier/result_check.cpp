#include "verifier/result_check.h"

#include <algorithm>
#include <utility>

namespace onceover {

ResultCheck::ResultCheck(const Header& header)
    : header_(header),
      to_visit_(static_cast<std::size_t>(header.ranks) + 1),
      seen_(static_cast<std::size_t>(header.ranks)) {}

BlockResult ResultCheck::judge(Block block, const Execution& execution) {
  const TermTable& terms = execution.terms();
  memo_.assign(terms.id_end(), Memo::unknown);
  BlockResult result;
  Term last_right = Term::nothing;
  auto judge_rank = [&](Rank rank) {
    const Term term = execution.value(rank);
    if (term == last_right && term != Term::nothing) return;
    Memo& memo = memo_[TermTable::id(term)];
    if (memo == Memo::unknown) {
      memo = is_right(term, block, terms) ? Memo::right : Memo::wrong;
      if (term != Term::nothing) result.depth = std::max(result.depth, terms.depth(term));
    }
    if (memo == Memo::right)
      last_right = term;
    else
      ++result.wrong;
  };
  const Holders ends = contract(header_.collective).ends;
  if (ends != Holders::everyone)
    judge_rank(header_.holder(ends, block));
  else
    for (Rank r = 0; r < header_.ranks; ++r) judge_rank(r);
  return result;
}

bool ResultCheck::is_right(Term term, Block block, const TermTable& terms) {
  if (term == Term::nothing) return false;
  const Holders begins = contract(header_.collective).begins;
  if (begins == Holders::everyone) return has_every_leaf_once(term, terms);
  return term == terms.leaf(header_.holder(begins, block));
}

bool ResultCheck::has_every_leaf_once(Term root, const TermTable& terms) {
  if (++walk_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    walk_ = 1;
  }
  Rank leaves = 0;
  auto is_new = [&](Term leaf) {
    ++leaves;
    return std::exchange(seen_[static_cast<std::size_t>(terms.rank_of(leaf))], walk_) != walk_;
  };
  std::uint32_t waiting = 0;
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
      if (waiting + static_cast<std::uint32_t>(leaves) >= static_cast<std::uint32_t>(header_.ranks)) return false;
    }
    if (!is_new(term)) return false;
  }
  return leaves == header_.ranks;
}

}  // namespace onceover
