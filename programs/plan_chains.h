// PacketChains: what packets order unit by unit, where whole operations aren't ordered.
//
// An operation that sends a unit as a packet has read it before. Who waits for the packet goes on with that unit alone,
// and may send it on. So if gpu 0 sends i[0], gpu 1 sends back a sum with it, and gpu 0 stores that in i[0], then each
// unit is read before it is written, though nothing orders the two operations.
#pragma once

#include <unordered_map>

#include "programs/event_clocks.h"
#include "programs/plan_graph.h"

namespace onceover::programs {

/// Built when it is first asked. Memory and time for that: O(what all tasks move).
class PacketChains {
 public:
  PacketChains(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph, const EventClocks& clocks)
      : plan_(plan), memory_(memory), graph_(graph), clocks_(clocks) {}

  /// Has task `reader` read the cell before task `writer` writes it? O(packets on the ways from the cell).
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
