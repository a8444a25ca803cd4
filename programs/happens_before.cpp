// Lowers a program into the graph of its events.
//
// Example: two ranks send to each other, then receive. Under rendezvous they wait for each other. With room for one
// message on each connection nobody waits, so the smallest depth is 1. It is found by halving, because more room never
// makes a cycle; 0, 1 and 2 are tried first.

#include "programs/happens_before.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace onceover::programs {

namespace {

/// Do both ends of a message have the same parts?
bool is_alike(const Program& program, OperationId send, OperationId receive) {
  const auto sent = parts_of(program, send);
  const auto received = parts_of(program, receive);
  return std::equal(sent.begin(), sent.end(), received.begin(), received.end(),
                    [](const Operation& a, const Operation& b) { return run_size(a) == run_size(b); });
}

std::optional<Mismatch> mismatch_of(const Program& program, const Matching& matching, ConnectionId connection) {
  const auto& sends = matching.sends[static_cast<std::size_t>(connection)];
  const auto& receives = matching.receives[static_cast<std::size_t>(connection)];
  const std::size_t both = std::min(sends.size(), receives.size());
  for (std::size_t k = 0; k < std::max(sends.size(), receives.size()); ++k) {
    const bool fits = k < both && is_alike(program, sends[k], receives[k]);
    if (!fits)
      return Mismatch{connection, k < sends.size() ? sends[k] : -1, k < receives.size() ? receives[k] : -1,
                      sends.size(), receives.size()};
  }
  return std::nullopt;
}

/// Collects the edges, one kind after the other.
class EdgeList {
 public:
  EdgeList(const Program& program, const Matching& matching) : program_(program), matching_(matching) {}

  /// With `relies`, adds only edges that are guaranteed.
  void add_own(bool relies) {
    const auto& operations = program_.operations;
    for (OperationId o = 0; o < static_cast<OperationId>(operations.size()); ++o) {
      edges.push_back({begin_of(o), middle_of(o), Why::itself});
      const bool is_early = relies && ends_early(program_, o);
      edges.push_back({is_early ? begin_of(o) : middle_of(o), end_of(o), Why::itself});
      if (o > 0 && program_.threads_are_ordered && same_thread(program_, o - 1, o))
        edges.push_back({end_of(o - 1), begin_of(o), Why::thread});
    }
  }

  void add_dependencies() {
    for (const Dependency& dependency : program_.dependencies)
      edges.push_back({dependency.on_start ? begin_of(dependency.before) : end_of(dependency.before),
                       begin_of(dependency.after), Why::dependency});
  }

  void add_messages() {
    for (OperationId o = 0; o < static_cast<OperationId>(matching_.sender_of.size()); ++o) {
      const OperationId sender = matching_.sender_of[static_cast<std::size_t>(o)];
      if (sender >= 0 && !program_.operations[static_cast<std::size_t>(o)].is_part)
        edges.push_back({middle_of(last_part(sender)), middle_of(o), Why::message});
    }
  }

  void add_room(std::uint32_t depth) {
    for (const auto& messages : matching_.messages)
      for (std::size_t k = depth; k < messages.size(); ++k) {
        const OperationId send = last_part(messages[k].first);
        const OperationId receive = depth == 0 ? messages[k].second : last_part(messages[k - depth].second);
        const bool is_fused = receives_too(send);
        edges.push_back({depth == 0 ? begin_of(receive) : middle_of(receive), is_fused ? middle_of(send) : end_of(send),
                         depth == 0 ? Why::partner : Why::room});
      }
  }

  std::vector<Edge> edges;

 private:
  OperationId last_part(OperationId first) const {
    return first + static_cast<OperationId>(parts_of(program_, first).size()) - 1;
  }
  bool receives_too(OperationId o) const {
    return receives(program_.operations[static_cast<std::size_t>(o)].instruction);
  }

  const Program& program_;
  const Matching& matching_;
};

/// Adds what comes after the middles of sends that end early. A step of the file may be several operations here, one
/// for each chunk.
class EarlySends {
 public:
  EarlySends(const Program& program, std::vector<Edge>& edges)
      : program_(program), edges_(edges), waits_(program.operations.size()) {
    for (const Dependency& order : program.dependencies) waits_[static_cast<std::size_t>(order.after)] = true;
  }

  void add() {
    for (OperationId first = 0; first < size(); first = end_of_step(first))
      if (ends_early(program_, first)) add_step(first);
  }

 private:
  OperationId size() const { return static_cast<OperationId>(program_.operations.size()); }
  const Operation& at(OperationId o) const { return formats::at(program_, o); }

  OperationId end_of_step(OperationId first) const {
    OperationId end = first + 1;
    while (end < size() && same_thread(program_, first, end) && at(end).number == at(first).number) ++end;
    return end;
  }

  bool begins_together(OperationId o) const { return sends(at(o).instruction) || waits_[static_cast<std::size_t>(o)]; }

  void add_step(OperationId first) {
    const OperationId end = end_of_step(first);
    for (OperationId o = first; o + 1 < end; ++o) add_edge(middle_of(o), middle_of(o + 1));
    OperationId next = end;
    while (next < size() && same_thread(program_, first, next) && at(next).instruction == Instruction::wait &&
           !begins_together(next))
      ++next;
    if (next == size() || !same_thread(program_, first, next)) return;
    if (begins_together(next)) return add_edge(middle_of(end - 1), begin_of(next));
    const OperationId next_end = end_of_step(next);
    for (OperationId o = first; o < end; ++o) add_edge(middle_of(o), end_of(next_end - 1));
    if (at(next).instruction != Instruction::reduce) add_same_places(first, end, next, next_end);
  }

  void add_same_places(OperationId first, OperationId end, OperationId next, OperationId next_end) {
    std::map<std::int32_t, OperationId> sent;
    for (OperationId o = first; o < end; ++o) sent[place(first, end, o)] = o;
    for (OperationId o = next; o < next_end; ++o)
      if (const auto same = sent.find(place(next, next_end, o)); same != sent.end())
        add_edge(middle_of(same->second), middle_of(o));
  }

  /// Which of its step's chunks the operation moves.
  std::int32_t place(OperationId first, OperationId end, OperationId o) const {
    auto chunk = [&](OperationId of) { return stores(at(of).instruction) ? at(of).target.first : at(of).source.first; };
    std::int32_t least = chunk(first);
    for (OperationId other = first; other < end; ++other) least = std::min(least, chunk(other));
    return chunk(o) - least;
  }

  void add_edge(Event before, Event after) { edges_.push_back({before, after, Why::thread}); }

  const Program& program_;
  std::vector<Edge>& edges_;
  std::vector<bool> waits_;  // by operation: for others of its rank, besides the one before it in its thread?
};

}  // namespace

bool same_thread(const Program& program, OperationId a, OperationId b) {
  return at(program, a).rank == at(program, b).rank && at(program, a).thread == at(program, b).thread;
}

Matching match(const Program& program) {
  Matching matching;
  matching.sends.resize(program.connections.size());
  matching.receives.resize(program.connections.size());
  matching.sender_of.assign(program.operations.size(), -1);
  for (OperationId o = 0; o < static_cast<OperationId>(program.operations.size()); ++o) {
    const Operation& operation = program.operations[static_cast<std::size_t>(o)];
    if (operation.is_part) continue;
    if (receives(operation.instruction)) matching.receives[static_cast<std::size_t>(operation.from)].push_back(o);
    if (sends(operation.instruction)) matching.sends[static_cast<std::size_t>(operation.to)].push_back(o);
  }
  std::map<std::tuple<Rank, Rank, std::int64_t>, std::size_t> rooms;
  for (std::size_t c = 0; c < program.connections.size(); ++c) {
    const auto& sends = matching.sends[c];
    const auto& receives = matching.receives[c];
    const auto& [src, dst, channel] = program.connections[c];
    const std::size_t room = rooms.try_emplace({src, dst, channel}, rooms.size()).first->second;
    matching.messages.resize(rooms.size());
    for (std::size_t k = 0; k < std::min(sends.size(), receives.size()); ++k) {
      matching.messages[room].emplace_back(sends[k], receives[k]);
      const std::size_t parts = std::min(parts_of(program, sends[k]).size(), parts_of(program, receives[k]).size());
      for (std::size_t part = 0; part < parts; ++part)
        matching.sender_of[static_cast<std::size_t>(receives[k]) + part] = sends[k] + static_cast<OperationId>(part);
    }
    if (const auto mismatch = mismatch_of(program, matching, static_cast<ConnectionId>(c)))
      matching.mismatches.push_back(*mismatch);
  }
  return matching;
}

std::vector<Edge> edges(const Program& program, const Matching& matching, Depth depth) {
  EdgeList list(program, matching);
  list.edges.reserve(program.operations.size() * 5 + program.dependencies.size());
  list.add_own(false);
  list.add_dependencies();
  list.add_messages();
  if (depth) list.add_room(*depth);
  return std::move(list.edges);
}

std::vector<Edge> reliable_edges(const Program& program, const Matching& matching) {
  if (program.guarantees.reads_before_end) return edges(program, matching, std::nullopt);
  EdgeList list(program, matching);
  list.add_own(true);
  list.add_dependencies();
  list.add_messages();
  EarlySends(program, list.edges).add();
  return std::move(list.edges);
}

bool ends_early(const Program& program, OperationId operation) {
  return !program.guarantees.reads_before_end &&
         program.operations[static_cast<std::size_t>(operation)].instruction == Instruction::send;
}

Event storing(const Program& program, OperationId operation) {
  const Instruction instruction = program.operations[static_cast<std::size_t>(operation)].instruction;
  const bool is_late = !program.guarantees.stores_before_sending && receives(instruction) && sends(instruction);
  return is_late ? end_of(operation) : middle_of(operation);
}

std::vector<std::uint32_t> messages_before(const std::vector<Edge>& edges, const std::vector<Event>& order) {
  const Successors successors(static_cast<Event>(order.size()), edges);
  std::vector<std::uint32_t> messages(order.size());
  for (const Event event : order)
    successors.of(event, [&](const Edge& e) {
      messages[e.after] = std::max(messages[e.after], messages[event] + (e.why == Why::message ? 1 : 0));
    });
  return messages;
}

std::optional<std::uint32_t> smallest_depth(const Program& program, const Matching& matching) {
  auto suffices = [&](Depth depth) {
    return order_of(event_count(program), edges(program, matching, depth)).has_value();
  };
  std::size_t most = 0;
  for (const auto& messages : matching.messages) most = std::max(most, messages.size());
  // Most programs need no more than 1, which also says that room without end suffices.
  std::uint32_t low = 0, high = static_cast<std::uint32_t>(most);
  for (const std::uint32_t usual : {0u, 1u, 2u})
    if (usual < high && suffices(usual))
      high = usual;
    else if (usual < high)
      low = usual + 1;
  if (high == most && !suffices(std::nullopt)) return std::nullopt;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (suffices(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

}  // namespace onceover::programs
