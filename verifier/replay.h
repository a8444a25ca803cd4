// Replay: a block executed once more, with a record of every move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/terms.h"

namespace onceover::verifier {

/// Executes the trace of one block after another and records what each move carried. It serves explanations, and checks
/// that look at more than the results; Execution is the fast one. Only for blocks that execute without a fault.
///
/// Memory: 36 bytes a move of the block, 8 a rank, and the terms. run: O(moves + ranks).
class Replay {
 public:
  /// A move, and the values before and after it.
  struct Move {
    int step;
    Op op;
    Rank src;
    Rank dst;
    Term sent;    // what src held at the beginning of the step
    Term before;  // what dst held at the beginning of the step
    Term after;   // what dst held after the move
  };

  explicit Replay(const Header& header);

  void run(Block block, const Trace& trace);

  const Header& header() const { return header_; }
  Block block() const { return block_; }
  std::span<const Move> moves() const { return moves_; }
  Term value(Rank rank) const { return value_[static_cast<std::size_t>(rank)]; }
  const TermTable& terms() const { return terms_; }

  /// The ids of the block's sums, in which each comes after its operands.
  std::uint32_t first_sum() const { return static_cast<std::uint32_t>(header_.ranks) + 1; }

  /// The move that first made the sum.
  const Move& maker(Term sum) const { return moves_[made_by_[TermTable::id(sum) - first_sum()]]; }

  /// Must the rank hold the block's result?
  bool must_hold(Rank rank) const { return header_.holds(ends_, rank, block_); }

 private:
  void start();
  void apply(std::size_t move);

  const Header& header_;
  Holders ends_;
  Block block_ = 0;
  TermTable terms_;
  std::vector<Term> value_;
  std::vector<Move> moves_;
  std::vector<std::size_t> made_by_;  // by sum
};

}  // namespace onceover::verifier
