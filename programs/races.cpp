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

namespace onceover::programs {

namespace {

constexpr std::uint64_t most_thread_clocks = std::uint64_t{1} << 25;  // rows * threads of a rank

}  // namespace

ThreadMarks::ThreadMarks(const Program& program)
    : are_middles_ends_(program.guarantees.stores_before_sending && program.guarantees.reads_before_end),
      ranks_(static_cast<std::size_t>(program.ranks)),
      threads_(program.operations.size()),
      positions_(program.operations.size()) {
  number_threads(program);
  number_early_reads(program);
}

void ThreadMarks::number_threads(const Program& program) {
  const auto& operations = program.operations;
  std::vector<bool> waits_for_last(operations.size(), program.threads_are_ordered);
  for (const Dependency& order : program.dependencies)
    if (order.before + 1 == order.after && !order.on_start)
      waits_for_last[static_cast<std::size_t>(order.after)] = true;
  for (std::size_t o = 0; o < operations.size(); ++o) {
    const bool goes_on = o > 0 && operations[o].rank == operations[o - 1].rank &&
                         operations[o].thread == operations[o - 1].thread && waits_for_last[o];
    RankThreads& rank = ranks_[static_cast<std::size_t>(operations[o].rank)];
    if (rank.end == 0) rank.begin = static_cast<OperationId>(o);
    rank.end = static_cast<OperationId>(o) + 1;
    threads_[o] = goes_on ? threads_[o - 1] : rank.chains++;
    positions_[o] = goes_on ? positions_[o - 1] + 1 : 0;
  }
}

/// Each early read waits for the one before it in its thread, because all threads of a block begin a send together.
void ThreadMarks::number_early_reads(const Program& program) {
  early_.assign(program.operations.size(), {0, 0});
  for (std::size_t o = 0; o < early_.size(); ++o) {
    if (!ends_early(program, static_cast<OperationId>(o))) continue;
    std::size_t last = o;
    while (last > 0 && positions_[last] > 0 && early_[last].value == 0) --last;
    early_[o] = early_[last].value > 0
                    ? ChainMark{early_[last].chain, early_[last].value + 1}
                    : ChainMark{ranks_[static_cast<std::size_t>(program.operations[o].rank)].chains++, 1};
  }
}

ChainMark ThreadMarks::at(Event event) const {
  const auto o = static_cast<std::size_t>(operation_of(event));
  const bool is_middle = event == middle_of(operation_of(event));
  if (is_middle && early_[o].value > 0) return early_[o];
  return {threads_[o], 2 * positions_[o] + (is_middle && !are_middles_ends_ ? 1 : 2)};
}

std::optional<ThreadClocks> ThreadClocks::of(const ThreadMarks& marks, Rank rank, Event first, Event count,
                                             const std::vector<Edge>& edges, const std::vector<Event>& order,
                                             const std::vector<Event>& kept) {
  const auto shifted = [first](Event event) { return event - first; };
  EventGraph graph{.events = count, .edges = edges, .chains = marks.chains(rank)};
  for (Edge& e : graph.edges) e.before -= first, e.after -= first;
  for (OperationId id = marks.begin(rank); id < marks.end(rank); ++id)
    for (const Event event : {middle_of(id), end_of(id)}) graph.steps.push_back({event - first, marks.at(event)});
  const std::vector<Event> places = mapped(order, shifted), asked = mapped(kept, shifted);
  if (std::uint64_t{ClockTable::rows_needed(graph, places, true, asked)} * graph.chains > most_thread_clocks)
    return std::nullopt;
  return ThreadClocks(first, EventClocks(graph, places, asked));
}

ClockMaker::ClockMaker(const Program& program, const std::vector<Edge>& edges, const std::vector<Event>& order)
    : edges_(edges), order_(order), marks_(program), homes_(static_cast<std::size_t>(program.ranks)) {
  const auto rank_of = [&](Event event) { return static_cast<std::size_t>(at(program, operation_of(event)).rank); };
  for (const Event event : order) homes_[rank_of(event)].order.push_back(event);
  for (const Edge& e : edges)
    if (const std::size_t rank = rank_of(e.before); rank == rank_of(e.after)) homes_[rank].edges.push_back(e);
}

std::optional<ThreadClocks> ClockMaker::at_home(Rank rank, const std::vector<Event>& kept) const {
  const OperationId first = marks_.begin(rank);
  const Home& home = homes_[static_cast<std::size_t>(rank)];
  return ThreadClocks::of(marks_, rank, begin_of(first), begin_of(marks_.end(rank) - first), home.edges, home.order,
                          kept);
}

std::optional<ThreadClocks> ClockMaker::everywhere(Rank rank, const std::vector<Event>& kept) const {
  return ThreadClocks::of(marks_, rank, 0, static_cast<Event>(order_.size()), edges_, order_, kept);
}

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
