// Three passes turn a GOAL file into what the verifier judges: connections of one message, equal runs at both ends, and
// threads.
//
// Matching sorts the sends of a connection, and its receives, by one order that the dependencies allow
// (`topological_positions`). If there is only one such order, it is this one, and a path of dependencies leads from
// each to the next, so checking neighbours is enough. A search goes back from the later one, and never beyond the place
// of the earlier one.
//
// Example: rank 0 sends a and b to rank 1. With "b requires a", a matches the first receive; without, the two are
// ambiguous. A run of 3 chunks that is received as 2 and 1 is cut after the second. If b and c both require a, the
// threads are a b and c.
//
// Operations on a cycle, or behind one, never get a place, so sorting ends. Searches look at about 10 million
// dependencies at most; the rest is O(n log n + dependencies) for n operations.

#include "formats/goal_matching.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace onceover::formats {

namespace {

std::size_t index(std::int32_t id) {
  return static_cast<std::size_t>(id);
}

/// For each operation its dependencies, in one array, in their order: those of which it is the given end. With
/// &Dependency::after these are what it waits for.
class Dependencies {
 public:
  Dependencies(const Program& program, OperationId Dependency::*end)
      : starts_(program.operations.size() + 1, 0), sorted_(program.dependencies.size()) {
    for (const Dependency& order : program.dependencies) ++starts_[index(order.*end) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for (const Dependency& order : program.dependencies) sorted_[next[index(order.*end)]++] = order;
  }

  std::span<const Dependency> of(OperationId id) const {
    return {sorted_.data() + starts_[index(id)], starts_[index(id) + 1] - starts_[index(id)]};
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<Dependency> sorted_;
};

/// Each operation's position in an order that the dependencies allow; -1 on a cycle or behind one.
std::vector<std::int32_t> topological_positions(const Program& program) {
  std::vector<std::int32_t> missing(program.operations.size(), 0);
  const Dependencies awaiting(program, &Dependency::before);
  for (const Dependency& order : program.dependencies) ++missing[index(order.after)];
  std::vector<OperationId> ready;
  for (std::size_t id = 0; id < missing.size(); ++id)
    if (missing[id] == 0) ready.push_back(static_cast<OperationId>(id));
  std::vector<std::int32_t> positions(program.operations.size(), -1);
  for (std::size_t k = 0; k < ready.size(); ++k) {
    positions[index(ready[k])] = static_cast<std::int32_t>(k);
    for (const Dependency& order : awaiting.of(ready[k]))
      if (--missing[index(order.after)] == 0) ready.push_back(order.after);
  }
  return positions;
}

/// Finds whether one operation of a rank certainly begins after another.
class Reachability {
 public:
  Reachability(const Dependencies& waits, const std::vector<std::int32_t>& places)
      : waits_(waits), places_(places), seen_(places.size(), -1) {}

  bool is_exhausted() const { return steps_ > most_steps; }

  /// Does a path of dependencies lead from one to the other?
  bool reaches(OperationId from, OperationId to) {
    std::vector<OperationId> open{to};
    ++search_;
    while (!open.empty() && !is_exhausted()) {
      const OperationId id = open.back();
      open.pop_back();
      if (id == from) return true;
      for (const Dependency& order : waits_.of(id)) {
        ++steps_;
        const OperationId before = order.before;
        if (places_[index(before)] < places_[index(from)] || seen_[index(before)] == search_) continue;
        seen_[index(before)] = search_;
        open.push_back(before);
      }
    }
    return false;
  }

 private:
  static constexpr std::uint64_t most_steps = 10'000'000;

  const Dependencies& waits_;
  const std::vector<std::int32_t>& places_;
  std::vector<std::int32_t> seen_;  // by operation: the last search that reached it
  std::int32_t search_ = -1;
  std::uint64_t steps_ = 0;
};

/// The messages of a connection; each is named by its first operation.
struct Ends {
  std::vector<OperationId> sends;
  std::vector<OperationId> receives;
};

class Matcher {
 public:
  explicit Matcher(Program& program)
      : program_(program),
        waits_(program, &Dependency::after),
        places_(topological_positions(program)),
        reachability_(waits_, places_) {}

  MessageOrder run() {
    std::vector<Ends> ends(program_.connections.size());
    for (std::size_t id = 0; id < program_.operations.size(); ++id) {
      const Operation& operation = program_.operations[id];
      if (operation.is_part) continue;
      if (operation.to != no_connection) ends[index(operation.to)].sends.push_back(static_cast<OperationId>(id));
      if (operation.from != no_connection) ends[index(operation.from)].receives.push_back(static_cast<OperationId>(id));
    }
    for (std::size_t c = 0; c < ends.size(); ++c) separate(static_cast<ConnectionId>(c), ends[c]);
    result_.is_too_large = reachability_.is_exhausted();
    return result_;
  }

 private:
  void separate(ConnectionId connection, Ends& ends) {
    sort(ends.sends);
    sort(ends.receives);
    const std::size_t messages = std::max(ends.sends.size(), ends.receives.size());
    for (std::size_t k = 1; k < messages; ++k) {
      const auto own = static_cast<ConnectionId>(program_.connections.size());
      program_.connections.push_back(program_.connections[index(connection)]);
      if (k < ends.sends.size()) connect(ends.sends[k], own);
      if (k < ends.receives.size()) connect(ends.receives[k], own);
    }
  }

  void sort(std::vector<OperationId>& ids) {
    const bool is_cyclic = std::any_of(ids.begin(), ids.end(), [&](OperationId id) { return places_[index(id)] < 0; });
    if (is_cyclic || ids.size() < 2) return;
    std::vector<OperationId> sorted = ids;
    std::sort(sorted.begin(), sorted.end(),
              [&](OperationId a, OperationId b) { return places_[index(a)] < places_[index(b)]; });
    bool is_ordered = true;
    for (std::size_t k = 1; k < sorted.size() && is_ordered; ++k) {
      is_ordered = reachability_.reaches(sorted[k - 1], sorted[k]);
      if (!is_ordered && !result_.ambiguity) result_.ambiguity = Ambiguity{sorted[k - 1], sorted[k]};
    }
    if (is_ordered) ids = std::move(sorted);
  }

  /// Moves a message with all its parts to another connection.
  void connect(OperationId first, ConnectionId connection) {
    for (std::size_t id = index(first); id < program_.operations.size(); ++id) {
      Operation& operation = program_.operations[id];
      if (id > index(first) && !operation.is_part) return;
      (operation.to != no_connection ? operation.to : operation.from) = connection;
    }
  }

  Program& program_;
  const Dependencies waits_;
  const std::vector<std::int32_t> places_;
  Reachability reachability_;
  MessageOrder result_;
};

/// Where the runs of a message end, in chunks from its start.
std::vector<std::int64_t> ends_of(std::span<const Operation> parts) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (const Operation& part : parts) ends.push_back(end += static_cast<std::int64_t>(run_size(part)));
  return ends;
}

/// Cuts operations of a program into pieces.
class Cutter {
 public:
  explicit Cutter(const Program& program) : program_(program), cuts_(program.operations.size()) {
    std::vector<OperationId> sends(program.connections.size(), -1);
    for (OperationId id = 0; id < count(); ++id)
      if (const Operation& o = program.operations[index(id)]; !o.is_part && o.to != no_connection)
        sends[index(o.to)] = id;
    for (OperationId id = 0; id < count(); ++id)
      if (const Operation& o = program.operations[index(id)]; !o.is_part && o.from != no_connection)
        if (const OperationId send = sends[index(o.from)]; send >= 0) compare(send, id);
  }

  bool has_cuts() const { return has_cuts_; }

  /// Replaces the operations with their pieces, and adapts the orders between them.
  void apply(Program& program, std::vector<OperationId>& others) {
    for (OperationId id = 0; id < count(); ++id) add(id);
    for (const Dependency& order : program.dependencies)
      orders_.push_back({order.on_start ? first_[index(order.before)] : last_[index(order.before)],
                         first_[index(order.after)], order.on_start});
    for (OperationId& id : others) id = first_[index(id)];
    program.operations = std::move(operations_);
    program.dependencies = std::move(orders_);
  }

 private:
  OperationId count() const { return static_cast<OperationId>(program_.operations.size()); }

  void compare(OperationId send, OperationId receive) {
    const auto sent = ends_of(parts_of(program_, send));
    const auto received = ends_of(parts_of(program_, receive));
    if (sent == received || sent.back() != received.back()) return;
    cut(send, sent, received);
    cut(receive, received, sent);
    has_cuts_ = true;
  }

  /// For each part of a message, which end at `own`, notes the ends in `others` that lie inside it, from its start.
  void cut(OperationId first, const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& others) {
    auto other = others.begin();
    std::int64_t begin = 0;
    for (std::size_t part = 0; part < own.size(); begin = own[part++])
      for (; other != others.end() && *other <= own[part]; ++other)
        if (*other > begin && *other < own[part])
          cuts_[index(first) + part].push_back(static_cast<std::int32_t>(*other - begin));
  }

  void add(OperationId id) {
    const Operation& whole = program_.operations[index(id)];
    first_.push_back(static_cast<OperationId>(operations_.size()));
    std::int32_t begin = 0;
    for (const std::int32_t end : cuts_[index(id)]) {
      add_piece(whole, begin, end);
      begin = end;
    }
    add_piece(whole, begin, static_cast<std::int32_t>(std::max(whole.source.count, whole.target.count)));
    last_.push_back(static_cast<OperationId>(operations_.size()) - 1);
  }

  void add_piece(const Operation& whole, std::int32_t begin, std::int32_t end) {
    Operation piece = whole;
    for (ChunkRange* range : {&piece.source, &piece.target})
      if (range->count > 0) *range = {range->buffer, range->first + begin, end - begin};
    const auto id = static_cast<OperationId>(operations_.size());
    if (begin > 0) {
      piece.is_part = true;
      orders_.push_back({id - 1, id});
    }
    operations_.push_back(piece);
  }

  const Program& program_;
  std::vector<std::vector<std::int32_t>> cuts_;  // by operation
  bool has_cuts_ = false;
  std::vector<OperationId> first_, last_;  // by the operation's old number
  std::vector<Operation> operations_;
  std::vector<Dependency> orders_;
};

/// The chain of each operation, numbered from 0 in each rank.
std::vector<std::int32_t> chains(const Program& program) {
  const Dependencies waits(program, &Dependency::after);
  std::vector<std::int32_t> chain(program.operations.size());
  std::vector<OperationId> last;  // by chain of the rank
  for (std::size_t id = 0; id < chain.size(); ++id) {
    const auto operation = static_cast<OperationId>(id);
    if (id > 0 && program.operations[id - 1].rank != program.operations[id].rank) last.clear();
    chain[id] = static_cast<std::int32_t>(last.size());
    for (const Dependency& order : waits.of(operation)) {
      const OperationId before = order.before;
      if (order.on_start || before >= operation || last[index(chain[index(before)])] != before) continue;
      chain[id] = chain[index(before)];
      break;
    }
    if (chain[id] == static_cast<std::int32_t>(last.size())) last.push_back(operation);
    last[index(chain[id])] = operation;
  }
  return chain;
}

}  // namespace

MessageOrder match_in_order(Program& program) {
  return Matcher(program).run();
}

void align_runs(Program& program, std::vector<OperationId>& others) {
  if (!program.has_data) return;
  Cutter cutter(program);
  if (cutter.has_cuts()) cutter.apply(program, others);
}

void assign_to_chains(Program& program, std::vector<OperationId>& others) {
  const std::vector<std::int32_t> chain = chains(program);
  std::vector<OperationId> sorted(program.operations.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](OperationId a, OperationId b) {
    const Rank ra = program.operations[index(a)].rank;
    const Rank rb = program.operations[index(b)].rank;
    return ra != rb ? ra < rb : chain[index(a)] < chain[index(b)];
  });
  std::vector<Operation> operations(sorted.size());
  std::vector<OperationId> place(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    place[index(sorted[k])] = static_cast<OperationId>(k);
    Operation& operation = operations[k] = program.operations[index(sorted[k])];
    operation.thread = chain[index(sorted[k])];
    const bool goes_on =
        k > 0 && operations[k - 1].rank == operation.rank && operations[k - 1].thread == operation.thread;
    operation.number = goes_on ? operations[k - 1].number + 1 : 0;
  }
  program.operations = std::move(operations);
  for (Dependency& order : program.dependencies)
    order = {place[index(order.before)], place[index(order.after)], order.on_start};
  for (OperationId& id : others) id = place[index(id)];
}

}  // namespace onceover::formats
