#include "verifier/races.h"

#include <algorithm>

#include "schedules/stop.h"

namespace onceover {

namespace {

constexpr std::uint64_t most_clocks = 1 << 25;               // places x threads of a rank
constexpr std::uint64_t most_work = std::uint64_t{1} << 32;  // edges x threads, over all ranks

/// Where knowledge is kept: an operation has a place for what is known when it begins, and one from its middle on, for
/// without FIFO room nothing is learnt between its middle and its end.
using Place = std::uint32_t;

Place place_of(Event event) {
  const auto operation = static_cast<Place>(operation_of(event));
  return 2 * operation + (event == begin_of(operation_of(event)) ? 0 : 1);
}

/// Edges by the place that waits.
class Waits {
 public:
  Waits(std::size_t operations, const std::vector<Edge>& edges) : first_(2 * operations + 1), before_(edges.size()) {
    for (const Edge& e : edges) ++first_[place_of(e.after) + 1];
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& e : edges) before_[next[place_of(e.after)]++] = place_of(e.before);
  }

  template <class Visit>
  void of(Place place, Visit&& visit) const {
    for (std::uint32_t k = first_[place]; k < first_[place + 1]; ++k) visit(before_[k]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Place> before_;
};

/// Operations that are one after another in the program.
struct Range {
  OperationId begin = 0;
  OperationId end = 0;
};

struct Access {
  OperationId operation;
  Cell cell;  // the first of `count`
  std::int32_t count;
  bool writes;
};

/// The threads of a rank, its operations numbered in them, and their accesses in a possible order. Each operation of a
/// thread waits for the one before it: where the program's threads don't order operations, `orders` must.
struct RankView {
  std::int32_t threads = 0;
  Range operations = {};
  std::vector<Access> accesses = {};
  std::vector<Event> order = {};  // of its begins and middles
};

class Finder {
 public:
  Finder(const Program& program, const Memory& memory, const std::vector<Edge>& edges, const std::vector<Event>& order)
      : program_(program), memory_(memory), edges_(edges), order_(order), waits_(program.operations.size(), edges) {
    number_threads();
    collect_accesses();
  }

  Races find() {
    Races races;
    for (Rank r = 0; r < program_.ranks; ++r) {
      if (!is_shared(r) || is_ordered_at_home(r)) continue;
      const RankView& view = ranks_[static_cast<std::size_t>(r)];
      const auto threads = static_cast<std::uint64_t>(view.threads);
      work_ += threads * edges_.size();
      if (threads * 2 * program_.operations.size() > most_clocks || work_ > most_work) {
        races.is_too_large = true;
        continue;
      }
      run_clocks(r, {0, static_cast<OperationId>(program_.operations.size())}, order_);
      judge(r, races);
    }
    return races;
  }

 private:
  /// What was done to a cell since its last write, that one included.
  struct CellState {
    OperationId write = -1;
    std::vector<OperationId> reads = {};
  };

  /// One side of a race.
  struct Use {
    OperationId operation;
    bool writes;
  };

  void number_threads() {
    ranks_.resize(static_cast<std::size_t>(program_.ranks));
    const auto& operations = program_.operations;
    thread_.resize(operations.size());
    position_.resize(operations.size());
    std::vector<bool> waits_for_last(operations.size(), program_.threads_are_ordered);
    for (const Order& order : program_.orders)
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

  void collect_accesses() {
    for (const Event event : order_) {
      stop_point();
      const OperationId id = operation_of(event);
      if (event == end_of(id)) continue;
      const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
      ranks_[static_cast<std::size_t>(operation.rank)].order.push_back(event);
      if (event == begin_of(id)) continue;
      if (reads_source(operation.act)) add(id, operation.source, false);
      if (stores(operation.act)) add(id, operation.target, true);
    }
  }

  void add(OperationId id, const Slots& slots, bool writes) {
    const Rank rank = program_.operations[static_cast<std::size_t>(id)].rank;
    if (const auto cell = memory_.cell(rank, slots))
      ranks_[static_cast<std::size_t>(rank)].accesses.push_back({id, *cell, slots.count, writes});
  }

  /// Is there a cell that several threads use?
  bool is_shared(Rank rank) const {
    std::vector<std::int32_t> user(memory_.first_of(rank + 1) - memory_.first_of(rank), -1);
    for (const Access& access : ranks_[static_cast<std::size_t>(rank)].accesses)
      for (std::int32_t c = 0; c < access.count; ++c) {
        std::int32_t& known = user[access.cell - memory_.first_of(rank) + static_cast<Cell>(c)];
        const std::int32_t thread = thread_[static_cast<std::size_t>(access.operation)];
        if (known >= 0 && known != thread) return true;
        known = thread;
      }
    return false;
  }

  /// Does the rank's own order suffice? Then the other ranks needn't be looked at.
  bool is_ordered_at_home(Rank rank) {
    const RankView& view = ranks_[static_cast<std::size_t>(rank)];
    const auto size = static_cast<std::uint64_t>(view.operations.end - view.operations.begin);
    if (static_cast<std::uint64_t>(view.threads) * 2 * size > most_clocks) return false;
    run_clocks(rank, view.operations, view.order);
    Races races;
    judge(rank, races);
    return races.count == 0;
  }

  /// What each event of the range knows of the rank's threads, by what it learns inside the range.
  void run_clocks(Rank rank, Range range, const std::vector<Event>& order) {
    threads_ = static_cast<std::size_t>(ranks_[static_cast<std::size_t>(rank)].threads);
    range_ = range;
    clocks_.assign(2 * static_cast<std::size_t>(range.end - range.begin) * threads_, 0);
    for (const Event event : order) {
      const OperationId id = operation_of(event);
      if (event == end_of(id)) continue;
      std::int32_t* clock = clock_of(place_of(event));
      waits_.of(place_of(event), [&](Place before) {
        const auto other_id = static_cast<OperationId>(before / 2);
        if (other_id < range.begin || other_id >= range.end) return;
        const std::int32_t* other = clock_of(before);
        for (std::size_t t = 0; t < threads_; ++t) clock[t] = std::max(clock[t], other[t]);
      });
      const auto k = static_cast<std::size_t>(id);
      if (event == middle_of(id) && program_.operations[k].rank == rank)
        clock[static_cast<std::size_t>(thread_[k])] = position_[k] + 1;
    }
  }

  std::int32_t* clock_of(Place place) {
    return clocks_.data() + (place - 2 * static_cast<std::size_t>(range_.begin)) * threads_;
  }

  /// How many operations of a's thread are surely in their middle when b is.
  std::int32_t known(OperationId a, OperationId b) {
    return clock_of(place_of(middle_of(b)))[thread_[static_cast<std::size_t>(a)]];
  }
  bool is_before(OperationId a, OperationId b) { return known(a, b) > position_[static_cast<std::size_t>(a)]; }

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
    const OperationId now = access.operation;
    if (state.write >= 0 && !is_before(state.write, now)) note(races, cell, {state.write, true}, {now, access.writes});
    if (!access.writes) {
      if (state.reads.empty() || state.reads.back() != now) state.reads.push_back(now);
      return;
    }
    for (const OperationId read : state.reads)
      if (read != now && !is_before(read, now)) note(races, cell, {read, false}, {now, true});
    state.reads.clear();
    state.write = now;
  }

  void note(Races& races, Cell cell, Use first, Use second) {
    ++races.count;
    if (races.example) return;
    const OperationId a = first.operation, b = second.operation;
    races.example = {a, b, cell, first.writes, second.writes, known(a, b), known(b, a)};
  }

  const Program& program_;
  const Memory& memory_;
  const std::vector<Edge>& edges_;
  const std::vector<Event>& order_;
  Waits waits_;
  std::vector<RankView> ranks_;
  std::vector<std::int32_t> thread_;    // by operation: its thread, counted from 0 in the rank
  std::vector<std::int32_t> position_;  // by operation: in its thread
  std::size_t threads_ = 0;             // of the rank at hand
  Range range_ = {};                    // that the clocks are of
  std::vector<std::int32_t> clocks_;    // by place and thread of the rank at hand
  std::uint64_t work_ = 0;
};

}  // namespace

Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order) {
  return Finder(program, memory, edges, order).find();
}

}  // namespace onceover
