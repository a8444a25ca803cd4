// Translations: turns of a torus of ranks under which the messages of a schedule stay the same.
#pragma once

#include <span>
#include <vector>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// All translations of the places of a torus, in each dimension by multiples of its stride. Places that they take to
/// each other form an orbit. All orbits have the same size, since only the identity leaves a place where it is.
///
/// Example: on a 4x6 torus with strides 2x3, the 6 orbits are those of the places with coordinates below 2 and 3. They
/// have 4 places each.
class Translations {
 public:
  /// Each stride divides its side. Places are numbered row-major.
  Translations(std::vector<Rank> sides, std::vector<Rank> strides);

  /// The identity alone, on a torus with these sides.
  static Translations none(const std::vector<Rank>& sides) { return {sides, sides}; }

  const std::vector<Rank>& sides() const { return sides_; }
  const std::vector<Rank>& strides() const { return strides_; }
  Rank orbits() const { return orbits_; }
  Rank orbit_size() const { return orbit_size_; }

  /// The number of the place's orbit, 0 .. orbits-1; the orbits are numbered by their first places. O(dimensions).
  Rank orbit_of(Rank place) const;

  /// Place k of an orbit, 0 .. orbit_size-1, ascending. O(dimensions).
  Rank member(Rank orbit, Rank k) const;

  /// The same without dimension d: translations of its rows, which are numbered row-major.
  Translations without(std::size_t d) const;

 private:
  std::vector<Rank> sides_;
  std::vector<Rank> strides_;
  Rank orbits_;
  Rank orbit_size_;
};

/// Translations of the ranks of a torus that take the messages of each of these steps to messages of the same size,
/// operation, lane and landing blocks; what else is in them may differ. They are read off the patterns, so some may be
/// missed: all but the identity if patterns have labels, or other axes than the torus. O(patterns * axes).
Translations translations_of(const PatternedSchedule& schedule, const std::vector<Rank>& sides,
                             std::span<const int> steps);

/// Of these steps, one message of each orbit; the other steps are empty. `translations` are some of `translations_of`.
/// Cost: that of laying out the patterns of these steps.
SchedulePtr one_of_each_orbit(const PatternedSchedule& schedule, const Translations& translations,
                              std::span<const int> steps);

}  // namespace onceover::schedules
