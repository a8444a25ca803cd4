// Races: two accesses to one cell, at least one of them a write, that nothing orders.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "programs/happens_before.h"
#include "programs/postcondition.h"

namespace onceover::programs {

/// How far a racing operation is known to be when the other one reads or stores.
enum class RaceProgress : std::uint8_t {
  unknown,    // it may not have begun
  passed_on,  // its message has arrived, but it may still have to store
  ended,      // it has ended, but may still have to read its source
};

struct Race {
  OperationId first;  // in one possible order
  OperationId second;
  Cell cell;
  bool first_writes;
  bool second_writes;
  std::int32_t known_of_first;  // operations of first's thread, before it, that have surely ended when second does that
  std::int32_t known_of_second;                   // and of second's thread when first does
  RaceProgress of_first = RaceProgress::unknown;  // when second reads or stores
  RaceProgress of_second = RaceProgress::unknown;
};

/// What orders the accesses of a rank.
enum class OrderedBy : std::uint8_t {
  threads,  // only one thread uses each chunk
  rank,     // the rank's own operations
  all,      // messages through other ranks; or nothing, if there are races
};

struct Races {
  std::uint64_t count = 0;  // accesses that race with an earlier one
  std::optional<Race> example = {};
  bool is_too_large = false;               // not looked at to the end
  std::vector<OrderedBy> ordered_by = {};  // by rank
};

/// Judges the accesses of one rank after the other. `edges` are those that are guaranteed, and `order` is an order of
/// them.
///
/// For each event, a clock says how far each thread of the rank certainly is (thread_clocks.h). Of two accesses that
/// order must cover (cell_history.h), the second must know that the first is over. Only ranks with several threads in
/// one cell are examined, first alone, because their own threads and dependencies usually order everything. If they
/// don't, messages through other ranks may.
///
/// For one rank alone: O(threads * edges of the rank) time; otherwise that of all ranks. Beyond the bounds in races.cpp
/// and thread_clocks.cpp, it is too large.
Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order);

}  // namespace onceover::programs
