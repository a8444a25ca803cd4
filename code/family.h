// Which algorithm code is, as far as it was run: rows of the catalogue, or formulas of peers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/recovery.h"
#include "live/reference.h"
#include "schedules/catalogue.h"

namespace onceover::code {

/// How many elements of a vector take each path: the moves of an element: step, source, destination, operation.
using Paths = std::map<std::vector<std::int64_t>, std::size_t>;

/// Other names for the ranks, under which a schedule may be a known one.
enum class Renaming : std::uint8_t { none, backwards, mirrored, bits_reversed };

/// Looks for what several schedules of one collective are, each for another number of ranks.
class FamilySearch {
 public:
  /// Compares a schedule with all candidates that are left. O(candidates * block transfers).
  void add(Collective collective, Rank root, Rank ranks, const Paths& paths);

  bool is_found() const { return !ranks_.empty() && !found_.empty(); }

  /// "as in ring, with rank r as rank p - 1 - r", and the theorem about that for every p; proves a formula.
  std::vector<std::string> text() const;

 private:
  /// A row with its settings, or a formula of peers.
  struct Candidate {
    const Algorithm* row = nullptr;
    live::RowSettings settings = {};
    std::string_view formula = {};
    Renaming renaming = Renaming::none;

    int weight() const;
  };

  void begin(Collective collective, Rank ranks);
  SchedulePtr schedule_of(const Candidate& candidate, Rank ranks) const;
  bool is_same(const Candidate& candidate, Rank ranks, const Paths& paths) const;
  std::string theorem_text(const Candidate& candidate) const;

  std::vector<Rank> ranks_;
  Collective collective_ = Collective::allreduce;
  Rank root_ = 0;                 // of the schedule that was added last
  std::vector<Candidate> found_;  // what all schedules so far are, the best first
};

/// The schedules of a program for several numbers of ranks, compared with those that the project knows.
///
/// Two schedules are the same if as many elements take each path. The names of blocks don't count, and of ranks only up
/// to a few renamings. An allreduce is also compared as a reduce-scatter and the allgather that follows.
class Family {
 public:
  /// Adds what a call was recovered as, in which no block should be empty: its vector needs an element for each rank.
  void add(const live::LiveCall& call, const Recovered& recovered);

  /// Says that a call of so many ranks wasn't compared, since its messages are no schedule.
  void leave_out(Rank ranks);

  /// What all that were added are, in lines, and what was left out.
  std::vector<std::string> text() const;

 private:
  std::vector<Rank> ranks_;
  std::vector<Rank> left_out_;
  FamilySearch whole_;
  std::array<FamilySearch, 2> halves_;
  bool has_halves_ = true;
};

}  // namespace onceover::code
