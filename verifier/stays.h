// Stays: how long ranks hold blocks only to pass them on.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

class Replay;

/// A rank holds something of a block for others: from the step that brought it to the last step that sent it on.
struct Stay {
  Rank rank;
  int since;
  int until;
  Rank from;    // who sent it first
  Rank to;      // to whom it went last; the lowest of several
  bool is_sum;  // is it a sum that the rank made?
};

/// Finds the stays of one block after another. It keeps its memory: 20 bytes a cell, and 24 a stay.
class Stays {
 public:
  /// Finds the stays of the block that was replayed last, and of the others in its group; none if another one leads
  /// the group. A block that a copy replaces before it is sent on doesn't stay, and nothing stays at home.
  /// O(moves + cells).
  void find(const Replay& replay);

  /// Those found last.
  std::span<const Stay> found() const { return stays_; }

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
  std::vector<Stay> stays_;
};

}  // namespace onceover::verifier
