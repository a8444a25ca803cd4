// What the waits of an MSCCL++ plan wait for: signals, by the counters of channels and semaphores, and packets.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "programs/plan_graph.h"

namespace onceover::programs {

/// A signal or wait, release or acquire.
struct CounterEvent {
  Event event;
  PlanSite site;
  std::uint32_t meetings;  // of its block before it, in all calls
  std::size_t thread;
  bool is_relaxed;
};

/// A counter of the waiting side: (waiting GPU, signalling GPU, type, number). That of a semaphore has the GPU twice.
struct CounterName {
  enum class Type : std::uint8_t { memory, port, semaphore };
  Rank waiting;
  Rank signalling;
  Type type;
  std::int32_t number;
  friend auto operator<=>(const CounterName&, const CounterName&) = default;
};

class PlanCounters {
 public:
  void signal(const CounterName& name, const CounterEvent& event) { counters_[name].signals.push_back(event); }
  void wait(const CounterName& name, const CounterEvent& event) { counters_[name].waits.push_back(event); }

  /// Adds edges to the graph, and what is starved, unbalanced or undetermined. `calls` of them have been added, one
  /// after the other.
  void connect(const ExecutionPlan& plan, PlanGraph& graph) const;

 private:
  struct Counter {
    std::vector<CounterEvent> signals;
    std::vector<CounterEvent> waits;
  };

  std::map<CounterName, Counter> counters_;
};

/// What a task moves. A transfer moves one movement of its operation, or to one target of it.
std::vector<Movement> movements_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanTask& task);

/// Is the target the movement's only source? A packet that is stored onto itself doesn't change.
bool is_unchanged(const Movement& movement, const Operand& target);

/// Adds the edges from writers to readers of packets, and what waits for a packet that nobody writes in its call, or
/// that several write. A reader is after the origin of the writer; if it reads all that a transfer has written, after
/// the transfer. O(cells * calls + what all tasks move).
void connect_packets(const ExecutionPlan& plan, const PlanMemory& memory, std::int32_t calls, PlanGraph& graph);

/// What packets order unit by unit, where whole operations aren't ordered.
///
/// An operation that sends a unit as a packet has read it before. Who waits for the packet goes on with that unit
/// alone, and may send it on. So if gpu 0 sends i[0], gpu 1 sends back a sum with it, and gpu 0 stores that in i[0],
/// then each unit is read before it is written, though nothing orders the two operations.
///
/// Built when it is first asked. Memory and time for that: O(what all tasks move).
class PacketChains {
 public:
  PacketChains(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph, const EventClocks& clocks)
      : plan_(plan), memory_(memory), graph_(graph), clocks_(clocks) {}

  /// Has task `reader` read the cell before task `writer` writes it? O(packets on the paths from the cell).
  bool is_read_before(std::uint32_t reader, std::uint32_t writer, Cell cell);

 private:
  /// A unit of a movement of a task.
  struct Unit {
    std::uint32_t task;
    std::uint32_t movement;
    std::uint32_t unit;
    friend bool operator==(const Unit&, const Unit&) = default;
  };

  using Packets = std::unordered_map<std::uint64_t, std::vector<Unit>>;  // by cell and call

  void build();
  /// The units of a task that read the cell, or write it.
  std::vector<Unit> units_at(std::uint32_t task, Cell cell, bool that_write) const;
  void add(Packets& to, const Operand& operand, std::uint32_t task, std::uint32_t movement) const;
  /// The unit and those that come after it through packets, or before it.
  std::vector<Unit> reached(const Unit& from, bool forward) const;
  bool is_before(const Unit& read, const Unit& written) const;
  std::uint64_t key(Cell cell, std::int32_t call) const { return static_cast<std::uint64_t>(call) << 32 | cell; }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  const PlanGraph& graph_;
  const EventClocks& clocks_;
  std::vector<std::vector<Movement>> movements_;  // by task
  Packets awaiting_;                              // what waits for a packet
  Packets sending_;                               // what sends it
};

}  // namespace onceover::programs
