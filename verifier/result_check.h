// ResultCheck: does every rank that must hold a block hold each contribution exactly once?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "verifier/execution.h"
#include "verifier/symmetry.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

/// The result of judging one block.
struct BlockResult {
  std::uint64_t wrong = 0;  // ranks that hold something other than they must
  std::uint32_t depth = 0;  // of the deepest final term on a rank that must hold one
  std::uint64_t sums = 1;   // how many different ones the ranks end with that must hold one
  bool by_orbits = false;   // was one rank of each orbit judged?
};

/// Judges the terms that an execution left, block after block, and keeps its memory.
///
/// A term is right if going down from it reaches the leaf of each contributor once and no other leaf. That takes at
/// most 2 * ranks steps; equal terms are judged once. If many ranks of an allreduce hold different terms, these may be
/// translations of each other (see move_symmetry.h); then one rank of each orbit is judged.
class ResultCheck {
 public:
  /// Every rank is judged if that takes at most `every_rank_up_to` sums.
  ResultCheck(const Header& header, std::uint64_t every_rank_up_to);

  /// Judges the block whose trace was just executed.
  BlockResult judge(Block block, const Trace& trace, const Execution& execution);

  /// How many sums it has visited in all blocks: the work of judging.
  std::uint64_t walked() const { return walk_.walked(); }

 private:
  enum class Memo : std::uint8_t { unknown, right, wrong };

  BlockResult judge_one(Block block, const TermTable& terms, std::span<const Term> equal);
  BlockResult judge_each(Block block, const TermTable& terms, std::span<const Term> values,
                         const std::optional<Symmetry>& symmetry);
  std::optional<Symmetry> orbits_to_judge(const Trace& trace, std::uint64_t sums);
  std::uint64_t count_different(const TermTable& terms, std::span<const Term> values);
  bool is_right(Term term, Block block, const TermTable& terms);

  const Header& header_;
  std::uint64_t every_rank_up_to_;
  std::vector<Memo> memo_;  // by term id
  LeafWalk walk_;
};

}  // namespace onceover::verifier
