// Stays: how long ranks hold blocks only to pass them on.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "verifier/replay.h"

namespace onceover::verifier {

/// A rank holds something of a block for others: from the step that brought it to the last step that sent it on.
struct Stay {
  Rank rank;
  int since;
  int until;
  Rank from;    // who sent it first
  Rank to;      // to whom it went last; the lowest of several
  bool is_sum;  // is it a sum that the rank made?
};

/// Finds the stays of one block after another. It keeps its memory: 20 bytes a cell.
class Stays {
 public:
  /// Calls visit(Stay) for the stays of the block that was replayed last, and of the others in its group; none if
  /// another one leads the group. A block that a copy replaces before it is sent on doesn't stay, and nothing stays at
  /// home. O(moves + cells).
  template <class Visit>
  void for_each(const Replay& replay, Visit&& visit) {
    if (!replay.leads()) return;
    const Rank ranks = replay.header().ranks;
    cells_.assign(static_cast<std::size_t>(replay.cells()), Cell{});
    homes_.clear();
    for (Rank cell = 0; cell < replay.cells(); cell += ranks)
      homes_.push_back(homes_of(replay.header(), replay.block_of(cell)));
    auto leave = [&](Rank cell) {
      const Cell held = std::exchange(cells_[static_cast<std::size_t>(cell)], Cell{});
      const Rank rank = replay.rank_of(cell);
      const auto [begin, end] = homes_[static_cast<std::size_t>(cell / ranks)];
      if (held.until > held.since && rank != begin && rank != end)
        visit(Stay{rank, held.since, held.until, held.from, held.to, held.is_sum});
    };
    const auto moves = replay.moves();
    for (std::size_t begin = 0, end = 0; begin < moves.size(); begin = end) {
      for (; end < moves.size() && moves[end].step == moves[begin].step; ++end) send(replay, moves[end]);
      for (std::size_t m = begin; m < end; ++m) {
        if (moves[m].op == Op::copy) leave(moves[m].dst);
        receive(replay, moves[m]);
      }
    }
    for (Rank cell = 0; cell < replay.cells(); ++cell) leave(cell);
  }

 private:
  struct Cell {
    int since = -1;  // -1: nothing came yet
    int until = -1;  // -1: nothing was sent yet
    Rank from = 0;
    Rank to = 0;
    bool is_sum = false;
  };

  /// The ranks where a block is at home: holding it there isn't staging. One of the two may be nobody; scratch has
  /// none.
  static std::pair<Rank, Rank> homes_of(const Header& header, Block block) {
    constexpr Rank nobody = -1;
    if (block >= header.blocks) return {nobody, nobody};
    const Contract& c = contract(header.collective);
    if (header.collective == Collective::allreduce) return {header.owner(block), nobody};
    return {c.begins == Holders::everyone ? nobody : header.holder(c.begins, block),
            c.ends == Holders::everyone ? nobody : header.holder(c.ends, block)};
  }

  void send(const Replay& replay, const Replay::Move& move) {
    Cell& cell = cells_[static_cast<std::size_t>(move.src)];
    if (cell.since < 0) return;
    const Rank to = replay.rank_of(move.dst);
    cell.to = cell.until == move.step ? std::min(cell.to, to) : to;
    cell.until = move.step;
  }

  void receive(const Replay& replay, const Replay::Move& move) {
    Cell& cell = cells_[static_cast<std::size_t>(move.dst)];
    cell.is_sum = cell.is_sum || move.op == Op::reduce;
    if (cell.since >= 0) return;
    cell.since = move.step;
    cell.from = replay.rank_of(move.src);
  }

  std::vector<Cell> cells_;
  std::vector<std::pair<Rank, Rank>> homes_;  // by slot
};

}  // namespace onceover::verifier
