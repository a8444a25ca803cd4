// Vector clocks: an event knows, for each thread of a rank, how far that thread certainly is. It comes after an access
// if its clock has reached that access.
//
// Example: thread 0 of a rank stores o[1], and thread 1 sends o[1]. If nothing orders the two, the send's clock has 0
// for thread 0: a race. Now let thread 0 then send a message to rank 1, and let thread 1 wait for rank 1's answer
// before its send. The rank's own edges still leave the clock at 0. The path through rank 1 raises it past the store:
// no race.
//
// So each rank is first judged by its own edges. Only if these seem to allow a race do all events of all ranks get
// clocks.
//
// It ends because `order` puts each event behind all that it waits for: one pass, which follows each edge once,
// completes the clocks. Then each access of a cell is compared with the last write, and each read with the next write:
// O(chunks accessed) comparisons.

#include "programs/races.h"

#include <algorithm>

#include "base/rows.h"
#include "base/stop.h"
#include "programs/cell_history.h"
#include "programs/thread_clocks.h"

namespace onceover::programs {

namespace {

constexpr std::uint64_t most_work = std::uint64_t{1} << 32;  // edges x threads, over all ranks

struct Access {
  Event event;
  Cell cell;  // the first of `count`
  std::int32_t count;
  bool writes;
};

/// One side of a race.
struct Use {
  Event event;
  bool writes;
};

class Finder {
 public:
  Finder(const Program& program, const Memory& memory, const std::vector<Edge>& edges, const std::vector<Event>& order)
      : program_(program),
        memory_(memory),
        edges_(edges),
        clocks_(program, edges, order),
        accesses_(static_cast<std::size_t>(program.ranks)) {
    collect_accesses(order);
  }

  Races find() {
    Races all;
    all.ordered_by.assign(static_cast<std::size_t>(program_.ranks), OrderedBy::threads);
    for (Rank r = 0; r < program_.ranks; ++r)
      if (is_shared(r)) judge(r, all);
    return all;
  }

 private:
  Rank rank_of(Event event) const { return at(program_, operation_of(event)).rank; }
  const std::vector<Access>& accesses(Rank rank) const { return accesses_[static_cast<std::size_t>(rank)]; }
  const ThreadMarks& marks() const { return clocks_.marks(); }

  void collect_accesses(const std::vector<Event>& order) {
    for (const Event event : order) {
      stop_point();
      const OperationId id = operation_of(event);
      const Operation& operation = at(program_, id);
      if (event == reading(id) && reads_source(operation.instruction)) add(event, operation.source, false);
      if (event == storing(program_, id) && stores(operation.instruction)) add(event, operation.target, true);
    }
  }

  void add(Event event, const ChunkRange& range, bool writes) {
    const Rank rank = rank_of(event);
    if (const auto cell = memory_.cell(rank, range))
      accesses_[static_cast<std::size_t>(rank)].push_back({event, *cell, range.count, writes});
  }

  /// Do several threads use one cell?
  bool is_shared(Rank rank) const {
    constexpr std::uint32_t nobody = UINT32_MAX;
    std::vector<std::uint32_t> user(memory_.first_of(rank + 1) - memory_.first_of(rank), nobody);
    for (const Access& access : accesses(rank))
      for (std::int32_t c = 0; c < access.count; ++c) {
        std::uint32_t& known = user[access.cell - memory_.first_of(rank) + static_cast<Cell>(c)];
        const std::uint32_t chain = marks().at(access.event).chain;
        if (known != nobody && known != chain) return true;
        known = chain;
      }
    return false;
  }

  /// First by the rank's own order. If that suffices, the other ranks don't matter.
  void judge(Rank rank, Races& all) {
    const std::vector<Event> kept = mapped(accesses(rank), &Access::event);
    OrderedBy& by = all.ordered_by[static_cast<std::size_t>(rank)];
    by = OrderedBy::rank;
    if (const auto home = clocks_.at_home(rank, kept); home && races_of(rank, *home).count == 0) return;
    by = OrderedBy::all;
    work_ += std::uint64_t{marks().chains(rank)} * edges_.size();
    const auto clocks = work_ <= most_work ? clocks_.everywhere(rank, kept) : std::nullopt;
    if (!clocks) return void(all.is_too_large = true);
    const Races races = races_of(rank, *clocks);
    all.count += races.count;
    if (!all.example) all.example = races.example;
  }

  /// By the clocks of the rank.
  Races races_of(Rank rank, const ThreadClocks& clocks) const {
    Races races;
    const Cell first = memory_.first_of(rank);
    CellHistory<Use> cells(memory_.first_of(rank + 1) - first);
    for (const Access& access : accesses(rank))
      for (std::int32_t c = 0; c < access.count; ++c) {
        const Cell cell = access.cell + static_cast<Cell>(c);
        const Use now{access.event, access.writes};
        const auto compare = [&](const Use& before) {
          const bool is_own = operation_of(before.event) == operation_of(now.event) && !before.writes;
          const ChainMark done = marks().at(before.event);
          if (!is_own && clocks.known(now.event, done.chain) < done.value) note(races, cell, before, now, clocks);
        };
        if (access.writes)
          cells.write(cell - first, now, compare, compare);
        else
          cells.read(cell - first, now, compare);
      }
    return races;
  }

  void note(Races& races, Cell cell, const Use& first, const Use& second, const ThreadClocks& clocks) const {
    ++races.count;
    if (races.example) return;
    const OperationId a = operation_of(first.event), b = operation_of(second.event);
    const auto known = [&](OperationId id, Event now) { return clocks.known(now, marks().thread(id)); };
    // How many operations before this one in its thread have ended.
    const auto ended_before = [&](OperationId id, Event now) {
      return static_cast<std::int32_t>(std::min(known(id, now) / 2, marks().position(id)));
    };
    const auto progress = [&](OperationId id, Event now) {
      const std::uint32_t begun = 2 * marks().position(id), count = known(id, now);
      return count >= begun + 2   ? RaceProgress::ended
             : count == begun + 1 ? RaceProgress::passed_on
                                  : RaceProgress::unknown;
    };
    races.example = {a,
                     b,
                     cell,
                     first.writes,
                     second.writes,
                     ended_before(a, second.event),
                     ended_before(b, first.event),
                     progress(a, second.event),
                     progress(b, first.event)};
  }

  const Program& program_;
  const Memory& memory_;
  const std::vector<Edge>& edges_;
  const ClockMaker clocks_;
  std::vector<std::vector<Access>> accesses_;  // by rank, in order
  std::uint64_t work_ = 0;
};

}  // namespace

Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order) {
  return Finder(program, memory, edges, order).find();
}

}  // namespace onceover::programs
