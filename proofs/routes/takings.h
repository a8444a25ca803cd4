// Takings: steps in which each place for a block takes from one place at most, of the same block. A rank has two such
// places: the block itself, and a copy of it in scratch. They are those of the theory in Coq (Copies.v).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "schedules/types.h"

namespace onceover::proofs {

using namespace schedules;

/// The place that is taken from: of which rank, its copy or not, and how.
struct Source {
  Rank rank;
  bool is_copy;
  Op op;

  friend bool operator==(const Source&, const Source&) = default;
};

/// From where rank x's place for a block, or for its copy, takes; nothing if it doesn't. Any thread. (Copies.v: taking)
using Taking = std::function<std::optional<Source>(Rank x, Block block, bool is_copy)>;

/// The steps, one after the other. The copy of block b is block `blocks` + b; if no place is a copy there are none.
struct Takings {
  bool has_copies = false;
  std::vector<Taking> steps = {};
};

}  // namespace onceover::proofs
