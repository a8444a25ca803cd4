// EvenPattern: a pattern by which all ranks send alike, so that not every message need be looked at.
#pragma once

#include <optional>

#include "schedules/patterned_schedule.h"

namespace onceover::verifier {

/// The messages of an even pattern: by it every rank sends just one to another rank and receives just one, all equally
/// large, of blocks that exist. Rings are even, and so are the products of rings on a torus.
class EvenPattern {
 public:
  /// Nothing if the pattern, as PatternedSchedule gives it, isn't even, or if its form doesn't show it. Labels must be
  /// a permutation of the ranks. O(axes + runs).
  static std::optional<EvenPattern> of(const Pattern& pattern, const Header& header);

  /// Number of blocks in each message.
  Block size() const { return size_; }

  /// The most maximal runs that one of the messages has. O(axes + runs).
  std::uint64_t most_runs() const;

 private:
  EvenPattern(const Pattern& pattern, Block size) : pattern_(pattern), size_(size) {}

  const Pattern& pattern_;  // must outlive this
  Block size_;
};

}  // namespace onceover::verifier
