// The judge of one block: does every rank that must hold it hold each contribution exactly once?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verifier/execution.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

/// What became of one block.
struct BlockResult {
  std::uint64_t wrong = 0;  // ranks that hold something else than they must
  std::uint32_t depth = 0;  // of the deepest term held at the end by a rank that must hold one
};

/// Judges the terms that an execution left, block after block, keeping its memory.
///
/// A term is right if going down from it reaches the leaf of each contributor once and no other leaf: at most
/// 2 * ranks steps; equal terms are judged once.
class ResultCheck {
 public:
  explicit ResultCheck(const Header& header);

  BlockResult judge(Block block, const Execution& execution);

  /// Sums gone through so far, in all blocks: the work that judging took.
  std::uint64_t walked() const { return walk_.walked(); }

 private:
  enum class Memo : std::uint8_t { unknown, right, wrong };

  BlockResult judge_one(Block block, const TermTable& terms, std::span<const Term> equal);
  BlockResult judge_each(Block block, const TermTable& terms, std::span<const Term> values);
  bool is_right(Term term, Block block, const TermTable& terms);

  const Header& header_;
  std::vector<Memo> memo_;  // by term id
  LeafWalk walk_;
};

}  // namespace onceover::verifier
