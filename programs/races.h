// Races: two accesses to one cell, at least one a write, that nothing orders.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "programs/happens_before.h"
#include "programs/postcondition.h"

namespace onceover::programs {

/// How far an operation that races is known to be when the other one reads or stores.
enum class RaceProgress : std::uint8_t {
  unknown,    // it need not have begun
  passed_on,  // its message has arrived, but it may still have to store
  ended,      // but it may still have to read its source
};

struct Race {
  OperationId first;  // in one order that is possible
  OperationId second;
  Cell cell;
  bool first_writes;
  bool second_writes;
  std::int32_t known_of_first;  // operations of first's thread, before it, that have surely ended when second does that
  std::int32_t known_of_second;                   // and of second's thread when first does
  RaceProgress of_first = RaceProgress::unknown;  // when second does
  RaceProgress of_second = RaceProgress::unknown;
};

struct Races {
  std::uint64_t count = 0;  // accesses that race with an earlier one
  std::optional<Race> example = {};
  bool is_too_large = false;  // not looked at to the end
};

/// Judges the accesses of one rank after the other. `edges` are those that one may rely on, and `order` an order of
/// theirs.
///
/// For each event, a clock says how far each thread of the rank surely is. Per cell, in the order, a read must come
/// after the last write, and a write after the last write and the reads since: that orders all pairs, since order is
/// transitive. Only ranks with several threads in one cell are looked at, first alone: mostly their own threads and
/// dependencies order all. Where they don't, messages by way of other ranks may.
/// Reads of sends that end early (see Guarantees) are no part of their thread, but a thread of their own.
/// Alone: O(threads * edges of the rank) time and O(threads * operations of the rank) memory; else of all ranks. What
/// exceeds the bounds inside is too large.
Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order);

}  // namespace onceover::programs
