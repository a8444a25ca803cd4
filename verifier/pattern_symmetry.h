// A symmetry that follows from the form of a schedule's patterns, and the ranks that are folded onto others first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/patterned_schedule.h"
#include "schedules/schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// FoldedRanks: ranks of an allreduce that give what they have to others first, and get the result back at the end.
///
/// In each lane, the ranks that are folded onto others. The first steps fold and the last ones, which mirror them,
/// unfold. Each folded rank gives all blocks of the lane to one rank, which adds them to its own; later it gets all of
/// them back from that rank as a copy. In between nothing is known about it.
///
///   rabenseifner, p = 6: 4 and 5 give to 0 and 1; the work of 0 to 3; 0 and 1 give back to 4 and 5
///
/// Memory: 8 bytes a rank and lane.
class FoldedRanks {
 public:
  /// Reads transfers from both ends of the schedule, until in all lanes together as many ranks are left as there are
  /// blocks. Nothing if other transfers come first. If there are as many blocks as ranks in each lane, none is folded,
  /// and nothing is read. O(transfers of these steps).
  static std::optional<FoldedRanks> of(const Schedule& schedule);

  /// How many steps fold, and how many unfold.
  int steps() const { return steps_; }

  /// Number of folded ranks of all lanes.
  std::int64_t count() const { return folded_; }

  bool is_folded(int lane, Rank rank) const { return count() > 0 && of_lane(lane, rank).is_folded(); }

 private:
  static constexpr Rank nobody = -1;

  struct Part {
    Rank onto = nobody;
    int step =
        -1;  // of a folded rank, the one that folds it, until it is unfolded; of others, the last that gave to it

    bool is_folded() const { return onto != nobody; }
  };

  explicit FoldedRanks(const Schedule& schedule);
  bool add_step();
  bool fold(const Transfer& t, int lane);
  bool unfold(const Transfer& t, int lane);
  template <class Visit>
  bool all_of_lanes(int step, Visit&& visit) const;
  Part& of_lane(int lane, Rank rank) { return parts_[index(lane, rank)]; }
  const Part& of_lane(int lane, Rank rank) const { return parts_[index(lane, rank)]; }
  std::size_t index(int lane, Rank rank) const {
    return static_cast<std::size_t>(lane) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(rank);
  }

  const Schedule* schedule_;
  Rank ranks_;
  int steps_ = 0;
  std::int64_t folded_ = 0;
  std::vector<Part> parts_;  // by lane and rank
};

/// A symmetry under which the traces of all blocks of an orbit are the same except for the names of ranks: within a
/// step, a rank receives the same values in the same order as the rank that stands for it. What blocks begin with and
/// must end with is renamed likewise. Steps in which nothing of a block moves don't count. So executing one block of an
/// orbit judges all.
///
/// Ranks may be folded onto others at the ends of the schedule (see FoldedRanks); only the steps in between are then
/// renamed. If one block of an orbit ends right everywhere, so do all; wrong results may be more or fewer. All have the
/// same depth if in one the sums made in between are equally deep on all paths.
///
/// Nothing if the patterns have none that saves half the blocks, or are not of a form that shows it; the messages may
/// have one all the same. Cost: O(patterns * axes, blocks if they have owners or ranks are
/// folded), however many messages these stand for.
std::optional<Symmetry> symmetry_of_patterns(const PatternedSchedule& schedule);

}  // namespace onceover::verifier
