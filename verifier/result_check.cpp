#include "verifier/result_check.h"

#include <algorithm>

namespace onceover {

ResultCheck::ResultCheck(const Header& header) : header_(header), walk_(header.ranks) {}

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
  if (begins == Holders::everyone) return walk_.has_each_once(terms, term, header_.ranks);
  return term == terms.leaf(header_.holder(begins, block));
}

}  // namespace onceover
