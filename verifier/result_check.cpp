#include "verifier/result_check.h"

#include <algorithm>

namespace onceover::verifier {

namespace {

/// Looks at all terms, because that is several times faster than stopping at the first difference.
bool are_equal(std::span<const Term> terms) {
  std::uint32_t differences = 0;
  for (const Term term : terms) differences |= TermTable::id(term) ^ TermTable::id(terms.front());
  return differences == 0;
}

}  // namespace

ResultCheck::ResultCheck(const Header& header) : header_(header), walk_(header.ranks) {}

BlockResult ResultCheck::judge(Block block, const Execution& execution) {
  const Holders ends = contract(header_.collective).ends;
  std::span<const Term> values = execution.values();
  if (ends != Holders::everyone) values = values.subspan(static_cast<std::size_t>(header_.holder(ends, block)), 1);
  if (are_equal(values)) return judge_one(block, execution.terms(), values);
  return judge_each(block, execution.terms(), values);
}

BlockResult ResultCheck::judge_one(Block block, const TermTable& terms, std::span<const Term> equal) {
  const Term term = equal.front();
  BlockResult result;
  if (!is_right(term, block, terms)) result.wrong = equal.size();
  if (term != Term::nothing) result.depth = terms.depth(term);
  return result;
}

BlockResult ResultCheck::judge_each(Block block, const TermTable& terms, std::span<const Term> values) {
  memo_.assign(terms.id_end(), Memo::unknown);
  BlockResult result;
  for (const Term term : values) {
    Memo& memo = memo_[TermTable::id(term)];
    if (memo == Memo::unknown) {
      memo = is_right(term, block, terms) ? Memo::right : Memo::wrong;
      if (term != Term::nothing) result.depth = std::max(result.depth, terms.depth(term));
    }
    result.wrong += memo == Memo::wrong ? 1 : 0;
  }
  return result;
}

bool ResultCheck::is_right(Term term, Block block, const TermTable& terms) {
  if (term == Term::nothing) return false;
  const Holders begins = contract(header_.collective).begins;
  if (begins == Holders::everyone) return walk_.has_each_once(terms, term, header_.ranks);
  return term == terms.leaf(header_.holder(begins, block));
}

}  // namespace onceover::verifier
