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

#include "base/stop.h"

namespace onceover::programs {

namespace {

constexpr std::uint64_t most_clocks = 1 << 25;               // places x threads of a rank
constexpr std::uint64_t most_work = std::uint64_t{1} << 32;  // edges x threads, over all ranks

/// A place where knowledge is kept. An operation has a place for what is known when it begins, one for its middle and
/// one for its end; only two if nothing is learnt, and nothing stored, between middle and end.
using Place = std::uint32_t;

class Places {
 public:
  explicit Places(const Program& program)
      : each_(program.guarantees.stores_before_sending && program.guarantees.reads_before_end ? 2 : 3) {}

  Place of(Event event) const { return each_ * (event / 3) + std::min(event % 3, each_ - 1); }
  std::uint32_t of_an_operation() const { return each_; }
  OperationId operation(Place place) const { return static_cast<OperationId>(place / each_); }

  /// Does the event have a place of its own?
  bool is_apart(Event event) const { return event % 3 < each_; }

 private:
  std::uint32_t each_;
};

/// Edges by the place that waits.
class Waits {
 public:
  Waits(std::size_t operations, const Places& places, const std::vector<Edge>& edges)
      : first_(places.of_an_operation() * operations + 1), before_(edges.size()) {
    for (const Edge& e : edges) ++first_[places.of(e.after) + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& e : edges) before_[next[places.of(e.after)]++] = places.of(e.before);
  }

  template <class Visit>
  void of(Place place, Visit&& visit) const {
    for (std::uint32_t k = first_[place]; k < first_[place + 1]; ++k) visit(before_[k]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Place> before_;
};

/// Operations begin .. end-1 of the program.
struct Range {
  OperationId begin = 0;
  OperationId end = 0;
};

struct Access {
  Event event;
  Cell cell;  // the first of `count`
  std::int32_t count;
  bool writes;
};

/// The threads of a rank, its operations numbered within them, and their accesses in a possible order. Each operation
/// of a thread waits for the one before it; if the program's threads don't order operations, `dependencies` must.
struct RankView {
  std::int32_t threads = 0;
  Range operations = {};
  std::vector<Access> accesses = {};
  std::vector<Event> order = {};  // the events that have a place of their own
};

/// A thread, and how far in it: an operation counts at its middle and at its end.
struct Tick {
  std::int32_t thread;
  std::int32_t count;
};

class Finder {
 public:
  Finder(const Program& program, const Memory& memory, const std::vector<Edge>& edges, const std::vector<Event>& order)
      : program_(program),
        memory_(memory),
        edges_(edges),
        order_(order),
        places_(program),
        waits_(program.operations.size(), places_, edges) {
    number_threads();
    number_early_reads();
    collect_accesses();
  }

  Races find() {
    Races races;
    for (Rank r = 0; r < program_.ranks; ++r) {
      if (!is_shared(r) || is_ordered_at_home(r)) continue;
      const RankView& view = ranks_[static_cast<std::size_t>(r)];
      const auto threads = static_cast<std::uint64_t>(view.threads);
      work_ += threads * edges_.size();
      if (threads * places_.of_an_operation() * program_.operations.size() > most_clocks || work_ > most_work) {
        races.is_too_large = true;
        continue;
      }
      run_clocks(r, {0, static_cast<OperationId>(program_.operations.size())}, order_);
      judge(r, races);
    }
    return races;
  }

 private:
  static constexpr Event never = UINT32_MAX;

  /// The accesses of a cell since its last write, including that write.
  struct CellState {
    Event write = never;
    std::vector<Event> reads = {};
  };

  /// One side of a race.
  struct Use {
    Event event;
    bool writes;
  };

  void number_threads() {
    ranks_.resize(static_cast<std::size_t>(program_.ranks));
    const auto& operations = program_.operations;
    thread_.resize(operations.size());
    position_.resize(operations.size());
    std::vector<bool> waits_for_last(operations.size(), program_.threads_are_ordered);
    for (const Dependency& order : program_.dependencies)
      if (order.before + 1 == order.after && !order.on_start)
        waits_for_last[static_cast<std::size_t>(order.after)] = true;
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const bool goes_on = o > 0 && operations[o].rank == operations[o - 1].rank &&
                           operations[o].thread == operations[o - 1].thread && waits_for_last[o];
      RankView& view = ranks_[static_cast<std::size_t>(operations[o].rank)];
      view.operations = {position_of_first(view, o), static_cast<OperationId>(o) + 1};
      thread_[o] = goes_on ? thread_[o - 1] : view.threads++;
      position_[o] = goes_on ? position_[o - 1] + 1 : 0;
    }
  }

  static OperationId position_of_first(const RankView& view, std::size_t o) {
    return view.operations.end == 0 ? static_cast<OperationId>(o) : view.operations.begin;
  }

  /// Each early read waits for the one before it in its thread, because all threads of a block begin a send together.
  void number_early_reads() {
    early_.assign(program_.operations.size(), {-1, 0});
    for (std::size_t o = 0; o < early_.size(); ++o) {
      if (!ends_early(program_, static_cast<OperationId>(o))) continue;
      std::size_t last = o;
      while (last > 0 && position_[last] > 0 && early_[last].thread < 0) --last;
      early_[o] = early_[last].thread >= 0
                      ? Tick{early_[last].thread, early_[last].count + 1}
                      : Tick{ranks_[static_cast<std::size_t>(program_.operations[o].rank)].threads++, 1};
    }
  }

  /// The count of a thread from which on the middle or end is past.
  Tick tick(Event event) const {
    const auto o = static_cast<std::size_t>(operation_of(event));
    const bool is_middle = event == middle_of(operation_of(event));
    if (is_middle && early_[o].thread >= 0) return early_[o];
    return {thread_[o], 2 * position_[o] + (is_middle && places_.is_apart(event + 1) ? 1 : 2)};
  }

  void collect_accesses() {
    for (const Event event : order_) {
      stop_point();
      const OperationId id = operation_of(event);
      const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
      if (places_.is_apart(event)) ranks_[static_cast<std::size_t>(operation.rank)].order.push_back(event);
      if (event == reading(id) && reads_source(operation.instruction)) add(event, operation.source, false);
      if (event == storing(program_, id) && stores(operation.instruction)) add(event, operation.target, true);
    }
  }

  void add(Event event, const ChunkRange& range, bool writes) {
    const Rank rank = program_.operations[static_cast<std::size_t>(operation_of(event))].rank;
    if (const auto cell = memory_.cell(rank, range))
      ranks_[static_cast<std::size_t>(rank)].accesses.push_back({event, *cell, range.count, writes});
  }

  /// Do several threads use one cell?
  bool is_shared(Rank rank) const {
    std::vector<std::int32_t> user(memory_.first_of(rank + 1) - memory_.first_of(rank), -1);
    for (const Access& access : ranks_[static_cast<std::size_t>(rank)].accesses)
      for (std::int32_t c = 0; c < access.count; ++c) {
        std::int32_t& known = user[access.cell - memory_.first_of(rank) + static_cast<Cell>(c)];
        const std::int32_t thread = tick(access.event).thread;
        if (known >= 0 && known != thread) return true;
        known = thread;
      }
    return false;
  }

  /// Does the rank's own order suffice? Then the other ranks don't matter.
  bool is_ordered_at_home(Rank rank) {
    const RankView& view = ranks_[static_cast<std::size_t>(rank)];
    const auto size = static_cast<std::uint64_t>(view.operations.end - view.operations.begin);
    if (static_cast<std::uint64_t>(view.threads) * places_.of_an_operation() * size > most_clocks) return false;
    run_clocks(rank, view.operations, view.order);
    Races races;
    judge(rank, races);
    return races.count == 0;
  }

  /// Computes what each event of the range knows about the rank's threads, from the edges inside the range.
  void run_clocks(Rank rank, Range range, const std::vector<Event>& order) {
    threads_ = static_cast<std::size_t>(ranks_[static_cast<std::size_t>(rank)].threads);
    range_ = range;
    clocks_.assign(places_.of_an_operation() * static_cast<std::size_t>(range.end - range.begin) * threads_, 0);
    for (const Event event : order) {
      const OperationId id = operation_of(event);
      if (!places_.is_apart(event)) continue;
      std::int32_t* clock = clock_of(places_.of(event));
      waits_.of(places_.of(event), [&](Place before) {
        const OperationId other_id = places_.operation(before);
        if (other_id < range.begin || other_id >= range.end) return;
        const std::int32_t* other = clock_of(before);
        for (std::size_t t = 0; t < threads_; ++t) clock[t] = std::max(clock[t], other[t]);
      });
      if (event == begin_of(id) || program_.operations[static_cast<std::size_t>(id)].rank != rank) continue;
      const Tick now = tick(event);
      clock[static_cast<std::size_t>(now.thread)] = now.count;
    }
  }

  std::int32_t* clock_of(Place place) {
    return clocks_.data() + (place - places_.of_an_operation() * static_cast<std::size_t>(range_.begin)) * threads_;
  }

  bool is_before(Event a, Event b) {
    const Tick sought = tick(a);
    return clock_of(places_.of(b))[sought.thread] >= sought.count;
  }

  void judge(Rank rank, Races& races) {
    const Cell first = memory_.first_of(rank);
    std::vector<CellState> cells(memory_.first_of(rank + 1) - first);
    for (const Access& access : ranks_[static_cast<std::size_t>(rank)].accesses)
      for (std::int32_t c = 0; c < access.count; ++c) {
        const Cell cell = access.cell + static_cast<Cell>(c);
        touch(cells[cell - first], access, cell, races);
      }
  }

  void touch(CellState& state, const Access& access, Cell cell, Races& races) {
    const Event now = access.event;
    if (state.write != never && !is_before(state.write, now))
      note(races, cell, {state.write, true}, {now, access.writes});
    if (!access.writes) {
      if (state.reads.empty() || state.reads.back() != now) state.reads.push_back(now);
      return;
    }
    for (const Event read : state.reads)
      if (operation_of(read) != operation_of(now) && !is_before(read, now))
        note(races, cell, {read, false}, {now, true});
    state.reads.clear();
    state.write = now;
  }

  void note(Races& races, Cell cell, Use first, Use second) {
    ++races.count;
    if (races.example) return;
    const OperationId a = operation_of(first.event), b = operation_of(second.event);
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

  std::int32_t known(OperationId id, Event now) {
    return clock_of(places_.of(now))[thread_[static_cast<std::size_t>(id)]];
  }

  /// How many operations before this one in its thread have ended.
  std::int32_t ended_before(OperationId id, Event now) {
    return std::min(known(id, now) / 2, position_[static_cast<std::size_t>(id)]);
  }

  RaceProgress progress(OperationId id, Event now) {
    const std::int32_t count = known(id, now) - 2 * position_[static_cast<std::size_t>(id)];
    return count >= 2 ? RaceProgress::ended : count == 1 ? RaceProgress::passed_on : RaceProgress::unknown;
  }

  const Program& program_;
  const Memory& memory_;
  const std::vector<Edge>& edges_;
  const std::vector<Event>& order_;
  Places places_;
  Waits waits_;
  std::vector<RankView> ranks_;
  std::vector<std::int32_t> thread_;    // by operation: its thread, counted from 0 in the rank
  std::vector<std::int32_t> position_;  // by operation: its place in the thread
  std::vector<Tick> early_;             // by operation that ends early: its read; thread -1 for all others
  std::size_t threads_ = 0;             // of the current rank
  Range range_ = {};                    // the operations that have clocks
  std::vector<std::int32_t> clocks_;    // by place and thread of the current rank
  std::uint64_t work_ = 0;
};

}  // namespace

Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order) {
  return Finder(program, memory, edges, order).find();
}

}  // namespace onceover::programs
