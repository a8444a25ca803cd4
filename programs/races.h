// Races: two accesses to a chunk, at least one a write, that nothing orders, found by what each event knows of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "programs/event_graph.h"
#include "programs/happens_before.h"
#include "programs/postcondition.h"

namespace onceover::programs {

/// Numbers the threads of each rank from 0, and the operations in them. Each operation of a thread waits for the one
/// before it; if the program's threads don't order operations, dependencies must, so its threads may be cut. The
/// threads are the chains of clocks: an operation counts 1 at its middle and 1 at its end, or both at its middle if
/// nothing is learnt, and nothing stored, in between. The read of a send that ends early (see Guarantees) isn't part of
/// its thread, but of a chain of its own. Memory: O(operations).
class ThreadMarks {
 public:
  explicit ThreadMarks(const Program& program);

  /// What is past when a middle or end is.
  ChainMark at(Event event) const;

  std::uint32_t chains(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)].chains; }
  std::uint32_t thread(OperationId id) const { return threads_[static_cast<std::size_t>(id)]; }
  std::uint32_t position(OperationId id) const { return positions_[static_cast<std::size_t>(id)]; }

  /// The rank's operations are begin .. end-1.
  OperationId begin(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)].begin; }
  OperationId end(Rank rank) const { return ranks_[static_cast<std::size_t>(rank)].end; }

 private:
  struct RankThreads {
    std::uint32_t chains = 0;
    OperationId begin = 0;
    OperationId end = 0;
  };

  void number_threads(const Program& program);
  void number_early_reads(const Program& program);

  bool are_middles_ends_;
  std::vector<RankThreads> ranks_;
  std::vector<std::uint32_t> threads_;    // by operation
  std::vector<std::uint32_t> positions_;  // by operation: its place in the thread
  std::vector<ChainMark> early_;          // by operation that ends early: its read; value 0 for all others
};

/// The clocks for the threads of one rank, from its own events alone or from all.
class ThreadClocks {
 public:
  /// `edges` are those among the events first .. first+count-1, and `order` is an order of them. `kept`: the events
  /// that may be asked for. Nothing if they would take more than 128 MiB.
  static std::optional<ThreadClocks> of(const ThreadMarks& marks, Rank rank, Event first, Event count,
                                        const std::vector<Edge>& edges, const std::vector<Event>& order,
                                        const std::vector<Event>& kept);

  /// How far the chain of the rank certainly is.
  std::uint32_t known(Event event, std::uint32_t chain) const { return clocks_.known(event - first_, chain); }

 private:
  ThreadClocks(Event first, EventClocks clocks) : first_(first), clocks_(std::move(clocks)) {}

  Event first_;
  EventClocks clocks_;
};

/// Makes the clocks of ranks. The program, its edges and their order must outlive it. Memory: O(edges).
class ClockMaker {
 public:
  ClockMaker(const Program& program, const std::vector<Edge>& edges, const std::vector<Event>& order);

  const ThreadMarks& marks() const { return marks_; }

  /// By the rank's own events alone; nothing if that is too large. Costs O(threads * edges of the rank).
  std::optional<ThreadClocks> at_home(Rank rank, const std::vector<Event>& kept) const;

  /// By the events of all ranks. Costs O(threads of the rank * edges).
  std::optional<ThreadClocks> everywhere(Rank rank, const std::vector<Event>& kept) const;

 private:
  struct Home {
    std::vector<Event> order = {};
    std::vector<Edge> edges = {};
  };

  const std::vector<Edge>& edges_;
  const std::vector<Event>& order_;
  ThreadMarks marks_;
  std::vector<Home> homes_;
};

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
/// For each event, a clock says how far each thread of the rank certainly is. Of two accesses that order must cover,
/// the second must know that the first is over. Only ranks with several threads in one cell are examined, first alone,
/// because their own threads and dependencies usually order everything. If they don't, messages through other ranks
/// may.
///
/// For one rank alone: O(threads * edges of the rank) time; otherwise that of all ranks. Beyond the bounds in races.cpp
/// it is too large.
Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order);

}  // namespace onceover::programs
