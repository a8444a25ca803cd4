#include "verifier/result_check.h"

#include <algorithm>
#include <utility>

#include "verifier/move_symmetry.h"

namespace onceover::verifier {

namespace {

/// Looks at all terms, because that is several times faster than stopping at the first difference.
bool are_equal(std::span<const Term> terms) {
  std::uint32_t differences = 0;
  for (const Term term : terms) differences |= TermTable::id(term) ^ TermTable::id(terms.front());
  return differences == 0;
}

}  // namespace

ResultCheck::ResultCheck(const Header& header, std::uint64_t every_rank_up_to)
    : header_(header), every_rank_up_to_(every_rank_up_to), walk_(header.ranks) {}

BlockResult ResultCheck::judge(Block block, const Trace& trace, const Execution& execution) {
  const Holders ends = contract(header_.collective).ends;
  std::span<const Term> values = execution.values();
  if (ends != Holders::everyone) values = values.subspan(static_cast<std::size_t>(header_.holder(ends, block)), 1);
  if (are_equal(values)) return judge_one(block, execution.terms(), values);
  const std::uint64_t different = count_different(execution.terms(), values);
  BlockResult result = judge_each(block, execution.terms(), values, orbits_to_judge(trace, different * values.size()));
  result.sums = different;
  return result;
}

std::uint64_t ResultCheck::count_different(const TermTable& terms, std::span<const Term> values) {
  memo_.assign(terms.id_end(), Memo::unknown);
  std::uint64_t different = 0;
  for (const Term term : values)
    different += std::exchange(memo_[TermTable::id(term)], Memo::right) == Memo::unknown ? 1 : 0;
  return different;
}

/// The symmetry of the block's moves, if finding it takes less than judging the terms, which may take `sums` visits.
/// Translations leave the collective as it is: all ranks begin with a contribution and end with all of them.
std::optional<Symmetry> ResultCheck::orbits_to_judge(const Trace& trace, std::uint64_t sums) {
  const Contract& c = contract(header_.collective);
  const bool is_alike = c.begins == Holders::everyone && c.ends == Holders::everyone && trace.slot_count() == 1;
  if (every_rank_up_to_ == UINT64_MAX || !is_alike) return std::nullopt;
  return sums > std::max<std::uint64_t>(trace.move_count(), every_rank_up_to_) ? symmetry_of_moves(header_, trace)
                                                                               : std::nullopt;
}

BlockResult ResultCheck::judge_one(Block block, const TermTable& terms, std::span<const Term> equal) {
  const Term term = equal.front();
  BlockResult result;
  if (!is_right(term, block, terms)) result.wrong = equal.size();
  if (term != Term::nothing) result.depth = terms.depth(term);
  return result;
}

BlockResult ResultCheck::judge_each(Block block, const TermTable& terms, std::span<const Term> values,
                                    const std::optional<Symmetry>& symmetry) {
  memo_.assign(terms.id_end(), Memo::unknown);
  BlockResult result;
  auto judge = [&](Term term, std::uint64_t times) {
    Memo& memo = memo_[TermTable::id(term)];
    if (memo == Memo::unknown) {
      memo = is_right(term, block, terms) ? Memo::right : Memo::wrong;
      if (term != Term::nothing) result.depth = std::max(result.depth, terms.depth(term));
    }
    result.wrong += memo == Memo::wrong ? times : 0;
  };
  result.by_orbits = symmetry.has_value();
  if (!symmetry) {
    for (const Term term : values) judge(term, 1);
    return result;
  }
  for (const Rank rank : symmetry->representatives())
    judge(values[static_cast<std::size_t>(rank)], static_cast<std::uint64_t>(symmetry->orbit_size(rank)));
  return result;
}

bool ResultCheck::is_right(Term term, Block block, const TermTable& terms) {
  if (term == Term::nothing) return false;
  const Holders begins = contract(header_.collective).begins;
  if (begins == Holders::everyone) return walk_.has_each_once(terms, term, header_.ranks);
  return term == terms.leaf(header_.holder(begins, block));
}

}  // namespace onceover::verifier
