// PlaceContents: which vectors the places of a distributed vector hold before each step, and which of them are needed.
#pragma once

#include <string>
#include <vector>

#include "viz/distributed_vector.h"
#include "viz/messages.h"

namespace onceover::viz {

/// What a place holds of the vector: how many times each vector that a place started with; 2 for more than once.
using Held = std::vector<int>;

/// The places before each step and after the last one. Memory: the moves, and the places that each step needs.
class PlaceContents {
 public:
  /// O(moves + steps * places).
  PlaceContents(const Schedule& schedule, const DistributedVector& vector);

  const std::vector<VectorMove>& moves(int step) const { return by_step_[static_cast<std::size_t>(step)]; }

  /// The places that hold something that is needed before the step, or that get it in the step before; ascending.
  const std::vector<Rank>& needed(int step) const { return needed_[static_cast<std::size_t>(step)]; }

  /// What places hold, all before the first step.
  std::vector<Held> at_first() const;

  /// Executes a step: all moves read before any of them writes. Refused if a place is copied to and written once more.
  Drawn<void> execute(int step, std::vector<Held>& held) const;

  /// Does a place hold a vector several times, before a step of first .. end or after the last one?
  Drawn<bool> repeats(StepRange steps) const;

  /// "3", "1,4", "all", or with one that is there several times "0,1!".
  std::string text(const Held& held) const;

  /// How many vectors a place holds: "×4", or "×4!".
  static std::string count_text(const Held& held);

 private:
  bool all_begin() const { return contract(header_.collective).begins == Holders::everyone; }
  void find_needed();

  const Header& header_;
  std::size_t places_;
  std::vector<std::vector<VectorMove>> by_step_;
  std::vector<std::vector<Rank>> needed_;
};

}  // namespace onceover::viz
