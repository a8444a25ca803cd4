// Names: what the author of a schedule calls its ranks and steps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedules/types.h"

namespace onceover::schedules {

/// Ranks may have places in a grid, and steps may belong to phases. Either may be missing. No verdict depends on names;
/// they are said beside numbers, which options ask for.
///
/// Example: in a grid of 4 nodes with 8 GPUs each, rank 11 is at (node 1, gpu 3).
struct Names {
  struct Axis {
    std::string name;
    Rank size;  // 1 or more
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  /// The steps from the first one up to the next phase. Without a name, they have none.
  struct Phase {
    std::string name;
    int first;
    friend bool operator==(const Phase&, const Phase&) = default;
  };

  std::vector<Axis> grid = {};     // the last axis is the fastest; the sizes multiply to the number of ranks
  std::vector<Phase> phases = {};  // in the order of their steps

  friend bool operator==(const Names&, const Names&) = default;

  bool empty() const { return grid.empty() && phases.empty(); }

  /// "(node 1, gpu 3)"; empty without a grid, and for a rank that doesn't exist.
  std::string place(Rank rank) const;

  /// Empty if the step is in no phase. O(log phases).
  std::string_view phase(int step) const;

  /// After the word "rank": "11 (node 1, gpu 3)", or just the number.
  std::string rank(Rank rank) const;

  /// After the word "step": "2 (exchange across nodes)", or just the number.
  std::string step(int step) const;
};

/// The names after two of so many steps change places; each takes its phase along.
Names with_swapped_steps(const Names& names, int first, int second, int steps);

}  // namespace onceover::schedules
