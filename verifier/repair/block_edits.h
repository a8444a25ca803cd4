// Edits of moves: which of them make a block's results right, and the schedule after them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"
#include "verifier/result_check.h"

namespace onceover::verifier {

/// A block's value goes from one rank to another.
struct Move {
  int step;
  Rank src;
  Rank dst;
  Op op;

  friend bool operator==(const Move&, const Move&) = default;
};

std::vector<Move> moves_of(const Trace& trace);

/// One move is left out, or one is added, or both. At least one is there.
struct MoveEdit {
  std::optional<Move> drop = {};
  std::optional<Move> add = {};

  friend bool operator==(const MoveEdit&, const MoveEdit&) = default;
};

/// The moves after the edit; `moves` must have what it drops. An added move is the last of its step.
std::vector<Move> edited(std::span<const Move> moves, const MoveEdit& edit);

/// Executes a block's moves and judges its results, block after block, and keeps its memory.
class BlockTrial {
 public:
  explicit BlockTrial(const Header& header) : execution_(header), check_(header, UINT64_MAX) {}

  /// Does every rank that must hold the block end with each contribution exactly once? `moves` are sorted by step.
  /// O(moves + ranks), and the terms of a block.
  bool is_right(Block block, std::span<const Move> moves);

 private:
  Execution execution_;
  ResultCheck check_;
  Trace trace_;
};

/// Finds the edits that repair a block.
///
/// Results are linear in what ranks hold. So a move that is added changes each result by what it brings times its
/// influence on that result. Give each contributor and each result a random number: what the results lack, added up, is
/// then one number, and so is what a rank holds at a step, and its influence. An added move must bring the lack divided
/// by its influence, which is looked up among what ranks hold. A true repair is found whatever the numbers, except
/// where an influence is zero by accident (a chance of 2^-60 for each). What is found by accident is thrown out, since
/// every edit is executed before it is returned. (Edits of one move are thus all found in O(moves * steps * ranks).)
class EditSearch {
 public:
  explicit EditSearch(const Header& header, int steps);

  /// All edits in the existing steps that make the block right, but not those that add a move without influence. Takes
  /// one from `budget` for each place at which a move might be added, and each move of an edit that is executed;
  /// nothing if that isn't enough.
  std::optional<std::vector<MoveEdit>> find(Block block, std::span<const Move> moves, std::int64_t& budget);

 private:
  /// A number modulo the prime 2^61 - 1.
  using Residue = std::uint64_t;
  /// What a rank holds.
  struct Held {
    Residue value;
    Rank rank;
  };

  void hold(Block block, std::span<const Move> moves);
  void weigh(Block block, std::span<const Move> moves);
  Residue lack() const;
  void sort_held();
  void invert_influences();
  void add_moves(const std::optional<Move>& dropped, Residue lack, std::vector<MoveEdit>& found) const;
  template <class Visit>
  void for_each_holder(int step, Residue value, Visit&& visit) const;

  Residue& held(int step, Rank rank) { return held_[place(step, rank)]; }
  std::size_t place(int step, Rank rank) const {
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(header_.ranks) + static_cast<std::size_t>(rank);
  }

  const Header& header_;
  int steps_;
  BlockTrial trial_;
  std::vector<Residue> of_contributor_;  // by rank
  std::vector<Residue> of_result_;       // by rank
  Residue wanted_ = 0;
  std::vector<Residue> held_;       // by step, from 0 to the end, and rank: before the step
  std::vector<Residue> influence_;  // the same: of what a rank holds on the results
  std::vector<Residue> inverse_;    // the same: of the influence, if that isn't zero
  std::vector<Held> sorted_;        // the same, each step sorted by value
};

struct BlockEdit {
  Block block;
  MoveEdit edit;
};

/// The schedule after the edits, whose dropped moves it has. An added move joins the message of its step between the
/// same ranks with the same operation, if there is one. Without scratch only. O(transfers and their runs).
SchedulePtr with_edits(const Schedule& schedule, std::vector<BlockEdit> edits);

/// The schedule with two of its steps in each other's place, with their phases. O(transfers and their runs).
SchedulePtr with_swapped(const Schedule& schedule, int first, int second);

}  // namespace onceover::verifier
