// Replay: a block executed once more, with a record of every move, and of how long ranks hold it only to pass it on.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"
#include "verifier/terms.h"

namespace onceover::verifier {

class Replay;

/// A rank holds something of a block for others: from the step that brought it to the last step that sent it on.
struct Forwarding {
  Rank rank;
  int since;
  int until;
  Rank from;    // who sent it first
  Rank to;      // to whom it went last; the lowest of several
  bool is_sum;  // is it a sum that the rank made?
};

/// Finds the forwardings of one block after another. It keeps its memory: 20 bytes a cell, and 24 a forwarding.
class Forwardings {
 public:
  /// Finds the forwardings of the block that was replayed last, and of the others in its group; none if another one
  /// leads the group. A block that a copy replaces before it is sent on doesn't count, and none counts at home.
  /// O(moves + cells).
  void find(const Replay& replay);

  /// Those found last.
  std::span<const Forwarding> found() const { return forwardings_; }

 private:
  struct Cell {
    int since = -1;  // -1: nothing came yet
    int until = -1;  // -1: nothing was sent yet
    Rank from = 0;
    Rank to = 0;
    bool is_sum = false;
  };

  void leave(const Replay& replay, Rank cell);

  std::vector<Cell> cells_;
  std::vector<std::pair<Rank, Rank>> homes_;  // by slot
  std::vector<Forwarding> forwardings_;
};

/// Executes the trace of one block after another and records what each move carried. It serves explanations, and checks
/// that look at more than the results; Execution is the fast one. Only for blocks that execute without a fault.
///
/// Memory: 36 bytes a move of the block, 8 a cell, and the terms; for forwardings see there. run: O(moves + cells).
class Replay {
 public:
  /// A move between cells (see Trace), and the values before and after it.
  struct Move {
    int step;
    Op op;
    Rank src;
    Rank dst;
    Term sent;    // what src held at the beginning of the step
    Term before;  // what dst held at the beginning of the step
    Term after;   // what dst held after the move
  };

  explicit Replay(const Header& header, Foreign foreign = Foreign::together);

  void run(Block block, const Trace& trace);

  const Header& header() const { return header_; }
  Block block() const { return block_; }
  std::span<const Move> moves() const { return moves_; }
  Term value(Rank cell) const { return value_[static_cast<std::size_t>(cell)]; }

  /// The number of cells: that of the ranks without scratch.
  Rank cells() const { return static_cast<Rank>(value_.size()); }
  Rank rank_of(Rank cell) const { return cell < header_.ranks ? cell : cell % header_.ranks; }
  Rank slot_of(Rank cell) const { return cell < header_.ranks ? 0 : cell / header_.ranks; }
  /// The block that a cell is, on its rank.
  Block block_of(Rank cell) const {
    return cell < header_.ranks ? block_ : slots_[static_cast<std::size_t>(slot_of(cell))];
  }
  const TermTable& terms() const { return terms_; }

  /// How long ranks hold the block, and others of its group, for others (see Forwardings::find). They are looked for
  /// when they are first asked for.
  std::span<const Forwarding> forwardings() const {
    if (!std::exchange(has_forwardings_, true)) forwardings_.find(*this);
    return forwardings_.found();
  }

  /// The lowest id of a sum. A sum's id is higher than those of its operands.
  std::uint32_t first_sum() const { return static_cast<std::uint32_t>(terms_.ranks()) + 1; }

  /// The move that first made the sum.
  const Move& maker(Term sum) const { return moves_[made_by_[TermTable::id(sum) - first_sum()]]; }

  /// Must the cell hold its block's result?
  bool must_hold(Rank cell) const {
    if (cell < header_.ranks) return header_.holds(ends_, cell, block_);
    return block_of(cell) < header_.blocks && header_.holds(ends_, rank_of(cell), block_of(cell));
  }

  /// Is this the first block of its group? The others have the same moves, so what counts moves counts these.
  bool leads() const { return slots_.size() < 2 || block_ < slots_[1]; }

 private:
  void apply(Move& m);

  const Header& header_;
  Foreign foreign_;
  Holders ends_;
  Block block_ = 0;
  TermTable terms_;
  std::vector<Term> value_;  // by cell
  std::vector<Block> slots_;
  std::vector<Move> moves_;
  std::vector<std::size_t> made_by_;  // by sum
  mutable Forwardings forwardings_;
  mutable bool has_forwardings_ = false;
};

}  // namespace onceover::verifier
