#include "program_mutator.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace onceover::support {

namespace {

/// The program that is changed, and one of its operations, drawn at random.
class Site {
 public:
  Site(Program& changed, std::mt19937& random) : program(changed), random_(random) {
    at = static_cast<OperationId>(below(changed.operations.size()));
  }

  std::size_t below(std::size_t n) { return random_() % n; }
  Operation& operation(OperationId id) { return program.operations[static_cast<std::size_t>(id)]; }
  Operation& operation() { return operation(at); }
  std::size_t count() const { return program.operations.size(); }

  /// Another operation of the rank that fits, or the same one if none does.
  template <class Fits>
  OperationId another(Fits&& fits) {
    std::vector<OperationId> all;
    for (OperationId id = 0; id < static_cast<OperationId>(count()); ++id)
      if (id != at && operation(id).rank == operation().rank && fits(operation(id))) all.push_back(id);
    return all.empty() ? at : all[below(all.size())];
  }
  OperationId another() {
    return another([](const Operation&) { return true; });
  }

  /// The operations in a new order, some left out or twice; `dependencies` follow them.
  void rearrange(const std::vector<OperationId>& order) {
    std::vector<Operation> operations;
    std::vector<OperationId> place(count(), -1);
    for (const OperationId id : order) {
      OperationId& p = place[static_cast<std::size_t>(id)];
      if (p < 0) p = static_cast<OperationId>(operations.size());
      operations.push_back(operation(id));
    }
    program.operations = std::move(operations);
    std::vector<Dependency> dependencies;
    for (const Dependency& o : program.dependencies) {
      const OperationId before = place[static_cast<std::size_t>(o.before)],
                        after = place[static_cast<std::size_t>(o.after)];
      if (before >= 0 && after >= 0) dependencies.push_back({before, after, o.on_start});
    }
    program.dependencies = std::move(dependencies);
  }

  std::vector<OperationId> order() const {
    std::vector<OperationId> all(count());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  /// The connection of these ends, which is added if it isn't there.
  ConnectionId connection(Rank src, Rank dst, std::int64_t channel) {
    auto& all = program.connections;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Connection& c) {
      return c.src == src && c.dst == dst && c.channel == channel;
    });
    const auto id = static_cast<ConnectionId>(found - all.begin());
    if (found == all.end()) all.push_back({src, dst, channel});
    return id;
  }

  const Connection& connection(ConnectionId id) const { return program.connections[static_cast<std::size_t>(id)]; }

  /// Of the ends that the operation has, one; null if it has none.
  ConnectionId* end() {
    Operation& o = operation();
    std::vector<ConnectionId*> ends;
    if (o.to != no_connection) ends.push_back(&o.to);
    if (o.from != no_connection) ends.push_back(&o.from);
    return ends.empty() ? nullptr : ends[below(ends.size())];
  }

  /// Changes the operation's source, its target, or both.
  template <class Change>
  void change_slots(Change&& change) {
    Operation& o = operation();
    const std::size_t which = below(3);
    if (which != 1 && reads_source(o.instruction)) change(o.source);
    if (which != 0 && stores(o.instruction)) change(o.target);
  }

  std::int32_t size(Buffer buffer) {
    const Buffers& b = program.buffers[static_cast<std::size_t>(operation().rank)];
    return buffer == Buffer::input ? b.input : buffer == Buffer::output ? b.output : b.scratch;
  }

  Program& program;
  OperationId at = 0;

 private:
  std::mt19937& random_;
};

void drop(Site& site) {
  auto order = site.order();
  order.erase(order.begin() + site.at);
  site.rearrange(order);
}

void duplicate(Site& site) {
  auto order = site.order();
  order.insert(order.begin() + site.at, site.at);
  site.rearrange(order);
}

void swap_operations(Site& site) {
  if (!site.program.threads_are_ordered) return;
  const OperationId other = site.another([&](const Operation& o) { return o.thread == site.operation().thread; });
  std::swap(site.operation(), site.operation(other));
  std::swap(site.operation().number, site.operation(other).number);
}

void move_to_thread(Site& site) {
  if (!site.program.threads_are_ordered) return;
  const OperationId other = site.another([&](const Operation& o) { return o.thread != site.operation().thread; });
  if (other == site.at) return;
  site.operation().thread = site.operation(other).thread;
  auto order = site.order();
  order.erase(order.begin() + site.at);
  order.insert(std::find(order.begin(), order.end(), other), site.at);
  site.rearrange(order);
}

void change_peer(Site& site) {
  ConnectionId* end = site.end();
  if (end == nullptr) return;
  Connection c = site.connection(*end);
  (c.src == site.operation().rank ? c.dst : c.src) =
      static_cast<Rank>(site.below(static_cast<std::size_t>(site.program.ranks)));
  if (c.src != c.dst) *end = site.connection(c.src, c.dst, c.channel);
}

void change_channel(Site& site) {
  ConnectionId* end = site.end();
  if (end == nullptr) return;
  const Connection c = site.connection(*end);
  *end = site.connection(c.src, c.dst, static_cast<std::int64_t>(site.below(3)));
}

void swap_messages(Site& site) {
  const bool sends_one = sends(site.operation().instruction);
  ConnectionId Operation::*end = sends_one ? &Operation::to : &Operation::from;
  const OperationId other = site.another([&](const Operation& o) { return o.*end != no_connection; });
  if (site.operation().*end != no_connection) std::swap(site.operation().*end, site.operation(other).*end);
}

void change_chunk(Site& site) {
  // One more than there are: that, too, must be noticed.
  site.change_slots([&](ChunkRange& s) {
    s.first = static_cast<std::int32_t>(site.below(static_cast<std::size_t>(site.size(s.buffer)) + 1));
  });
}

void change_buffer(Site& site) {
  constexpr std::array all{Buffer::input, Buffer::output, Buffer::scratch};
  site.change_slots([&](ChunkRange& s) { s.buffer = all[site.below(3)]; });
}

void change_count(Site& site) {
  const auto count = static_cast<std::int32_t>(1 + site.below(3));
  for (ChunkRange* s : {&site.operation().source, &site.operation().target})
    if (s->count > 0) s->count = count;
}

void change_act(Site& site) {
  constexpr std::array all{Instruction::send,
                           Instruction::receive,
                           Instruction::receive_copy_send,
                           Instruction::receive_reduce,
                           Instruction::receive_reduce_send,
                           Instruction::receive_reduce_copy_send,
                           Instruction::copy,
                           Instruction::reduce,
                           Instruction::wait};
  Operation& o = site.operation();
  const Instruction instruction = all[site.below(all.size())];
  if ((receives(instruction) && o.from == no_connection) || (sends(instruction) && o.to == no_connection)) return;
  o.instruction = instruction;
  if (!receives(instruction)) o.from = no_connection;
  if (!sends(instruction)) o.to = no_connection;
  if (o.source.count == 0) o.source = o.target;
  if (o.target.count == 0) o.target = o.source;
  if (!reads_source(instruction)) o.source = {};
  if (!stores(instruction)) o.target = {};
}

void drop_order(Site& site) {
  auto& orders = site.program.dependencies;
  if (!orders.empty()) orders.erase(orders.begin() + static_cast<std::ptrdiff_t>(site.below(orders.size())));
}

void add_order(Site& site) {
  const OperationId other = site.another();
  if (other != site.at) site.program.dependencies.push_back({other, site.at});
}

void change_order(Site& site) {
  auto& orders = site.program.dependencies;
  if (orders.empty()) return;
  Dependency& order = orders[site.below(orders.size())];
  site.at = order.after;
  const OperationId other = site.another();
  if (other != order.after) (site.below(2) == 0 ? order.before : order.after) = other;
  if (order.before == order.after) {
    order = orders.back();
    orders.pop_back();
  }
}

void reverse_order(Site& site) {
  auto& orders = site.program.dependencies;
  if (orders.empty()) return;
  Dependency& order = orders[site.below(orders.size())];
  std::swap(order.before, order.after);
}

void change_root(Site& site) {
  if (is_rooted(site.program.collective))
    site.program.root = static_cast<Rank>(site.below(static_cast<std::size_t>(site.program.ranks)));
}

void change_place(Site& site) {
  site.program.in_place = !site.program.in_place;
}

struct Change {
  std::string_view name;
  void (*apply)(Site&);
};

constexpr Change changes[] = {
    {"operation dropped", drop},
    {"operation twice", duplicate},
    {"operations of a thread swapped", swap_operations},
    {"operation moved to a thread", move_to_thread},
    {"another peer", change_peer},
    {"another channel", change_channel},
    {"connections of two operations swapped", swap_messages},
    {"another chunk", change_chunk},
    {"another buffer", change_buffer},
    {"another count", change_count},
    {"another act", change_act},
    {"wait dropped", drop_order},
    {"wait added", add_order},
    {"wait for another", change_order},
    {"wait reversed", reverse_order},
    {"another root", change_root},
    {"in place and out of place swapped", change_place},
};

constexpr auto names = [] {
  std::array<std::string_view, std::size(changes)> all;
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = changes[k].name;
  return all;
}();

auto fields(const ChunkRange& s) {
  return std::tuple(s.buffer, s.first, s.count);
}

auto fields(const Operation& o) {
  return std::tuple(o.rank, o.thread, o.instruction, fields(o.source), fields(o.target), o.from, o.to);
}

auto fields(const Dependency& o) {
  return std::tuple(o.before, o.after, o.on_start);
}

template <class List>
bool are_same(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return fields(x) == fields(y); });
}

bool is_same(const Program& a, const Program& b) {
  return are_same(a.operations, b.operations) && are_same(a.dependencies, b.dependencies) && a.root == b.root &&
         a.in_place == b.in_place;
}

/// Is it fixed which message goes where? A connection must be one thread's to send to and one's to receive from, as
/// readers ensure, unless there is one message anyway.
bool is_fixed(const Program& program) {
  struct Use {
    int sent = 0, received = 0;
    std::set<std::pair<Rank, std::int32_t>> senders = {}, receivers = {};
  };
  std::map<ConnectionId, Use> uses;
  for (std::size_t k = 0; k < program.operations.size(); ++k) {
    const Operation& o = program.operations[k];
    const std::pair thread{o.rank, program.threads_are_ordered ? o.thread : static_cast<std::int32_t>(k)};
    if (o.to != no_connection) {
      ++uses[o.to].sent;
      uses[o.to].senders.insert(thread);
    }
    if (o.from != no_connection) {
      ++uses[o.from].received;
      uses[o.from].receivers.insert(thread);
    }
  }
  return std::all_of(uses.begin(), uses.end(), [](const auto& u) {
    const Use& use = u.second;
    return use.sent <= 1 || use.received <= 1 || (use.senders.size() == 1 && use.receivers.size() == 1);
  });
}

}  // namespace

std::span<const std::string_view> program_changes() {
  return names;
}

std::optional<Program> ProgramMutator::mutant_of(const Program& original, std::size_t change) {
  constexpr int tries = 10;
  if (original.operations.empty()) return std::nullopt;
  for (int k = 0; k < tries; ++k) {
    Program mutant = original;
    Site site(mutant, random_);
    changes[change].apply(site);
    if (!mutant.operations.empty() && !is_same(mutant, original) && is_fixed(mutant)) return mutant;
  }
  return std::nullopt;
}

}  // namespace onceover::support
