#include "verifier/races.h"

#include <algorithm>

namespace onceover {

namespace {

constexpr std::uint64_t most_clocks = 1 << 25;               // events x threads of a rank
constexpr std::uint64_t most_work = std::uint64_t{1} << 32;  // edges x threads, over all ranks

/// Edges by the event that waits.
class Waits {
 public:
  Waits(std::size_t events, const std::vector<Edge>& edges) : first_(events + 1), before_(edges.size()) {
    for (const Edge& e : edges) ++first_[e.after + 1];
    for (std::size_t k = 0; k < events; ++k) first_[k + 1] += first_[k];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& e : edges) before_[next[e.after]++] = e.before;
  }

  template <class Visit>
  void of(Event event, Visit&& visit) const {
    for (std::uint32_t k = first_[event]; k < first_[event + 1]; ++k) visit(before_[k]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Event> before_;
};

struct Access {
  OperationId operation;
  Cell cell;  // the first of `count`
  std::int32_t count;
  bool writes;
};

/// The threads of a rank, its operations numbered in them, and their accesses in a possible order.
struct RankView {
  std::int32_t threads = 0;
  std::vector<Access> accesses = {};
};

class Finder {
 public:
  Finder(const Program& program, const Memory& memory, const std::vector<Edge>& edges, const std::vector<Event>& order)
      : program_(program), memory_(memory), edges_(edges), order_(order) {
    number_threads();
    collect_accesses();
  }

  Races find() {
    std::optional<Waits> waits;
    for (Rank r = 0; r < program_.ranks; ++r) {
      const RankView& view = ranks_[static_cast<std::size_t>(r)];
      if (!is_shared(r)) continue;
      const auto threads = static_cast<std::uint64_t>(view.threads);
      work_ += threads * edges_.size();
      if (threads * order_.size() > most_clocks || work_ > most_work) {
        races_.is_too_large = true;
        continue;
      }
      if (!waits) waits.emplace(order_.size(), edges_);
      run_clocks(r, *waits);
      judge(r);
    }
    return races_;
  }

 private:
  /// What was done to a cell since its last write, that one included.
  struct CellState {
    OperationId write = -1;
    std::vector<OperationId> reads = {};
  };

  void number_threads() {
    ranks_.resize(static_cast<std::size_t>(program_.ranks));
    const auto& operations = program_.operations;
    thread_.resize(operations.size());
    position_.resize(operations.size());
    for (std::size_t o = 0; o < operations.size(); ++o) {
      const bool goes_on =
          o > 0 && operations[o].rank == operations[o - 1].rank && operations[o].thread == operations[o - 1].thread;
      RankView& view = ranks_[static_cast<std::size_t>(operations[o].rank)];
      thread_[o] = goes_on ? thread_[o - 1] : view.threads++;
      position_[o] = goes_on ? position_[o - 1] + 1 : 0;
    }
  }

  void collect_accesses() {
    for (const Event event : order_) {
      const OperationId id = operation_of(event);
      if (event != middle_of(id)) continue;
      const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
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

  void run_clocks(Rank rank, const Waits& waits) {
    threads_ = static_cast<std::size_t>(ranks_[static_cast<std::size_t>(rank)].threads);
    clocks_.assign(order_.size() * threads_, 0);
    for (const Event event : order_) {
      std::int32_t* clock = clocks_.data() + event * threads_;
      waits.of(event, [&](Event before) {
        const std::int32_t* other = clocks_.data() + before * threads_;
        for (std::size_t t = 0; t < threads_; ++t) clock[t] = std::max(clock[t], other[t]);
      });
      const auto id = static_cast<std::size_t>(operation_of(event));
      if (event == middle_of(operation_of(event)) && program_.operations[id].rank == rank)
        clock[static_cast<std::size_t>(thread_[id])] = position_[id] + 1;
    }
  }

  /// How many operations of a's thread are surely in their middle when b is.
  std::int32_t known(OperationId a, OperationId b) const {
    return clocks_[middle_of(b) * threads_ + static_cast<std::size_t>(thread_[static_cast<std::size_t>(a)])];
  }
  bool is_before(OperationId a, OperationId b) const { return known(a, b) > position_[static_cast<std::size_t>(a)]; }

  void judge(Rank rank) {
    const Cell first = memory_.first_of(rank);
    std::vector<CellState> cells(memory_.first_of(rank + 1) - first);
    for (const Access& access : ranks_[static_cast<std::size_t>(rank)].accesses)
      for (std::int32_t c = 0; c < access.count; ++c) {
        const Cell cell = access.cell + static_cast<Cell>(c);
        touch(cells[cell - first], access, cell);
      }
  }

  void touch(CellState& state, const Access& access, Cell cell) {
    const OperationId now = access.operation;
    if (state.write >= 0 && !is_before(state.write, now)) note(state.write, now, cell, true, access.writes);
    if (!access.writes) {
      if (state.reads.empty() || state.reads.back() != now) state.reads.push_back(now);
      return;
    }
    for (const OperationId read : state.reads)
      if (read != now && !is_before(read, now)) note(read, now, cell, false, true);
    state.reads.clear();
    state.write = now;
  }

  void note(OperationId first, OperationId second, Cell cell, bool first_writes, bool second_writes) {
    ++races_.count;
    if (!races_.example)
      races_.example =
          Race{first, second, cell, first_writes, second_writes, known(first, second), known(second, first)};
  }

  const Program& program_;
  const Memory& memory_;
  const std::vector<Edge>& edges_;
  const std::vector<Event>& order_;
  std::vector<RankView> ranks_;
  std::vector<std::int32_t> thread_;    // by operation: its thread, counted from 0 in the rank
  std::vector<std::int32_t> position_;  // by operation: in its thread
  std::size_t threads_ = 0;             // of the rank at hand
  std::vector<std::int32_t> clocks_;    // by event and thread of the rank at hand
  std::uint64_t work_ = 0;
  Races races_;
};

}  // namespace

Races find_races(const Program& program, const Memory& memory, const std::vector<Edge>& edges,
                 const std::vector<Event>& order) {
  return Finder(program, memory, edges, order).find();
}

}  // namespace onceover
