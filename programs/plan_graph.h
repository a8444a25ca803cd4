// PlanGraph: what must happen before what in every run of an MSCCL++ plan, over several calls.
//
// Threads of a block run ahead of each other until they meet, at a nop or a barrier. Between two meetings:
//
// - an operation on data begins after the meeting before it, and has ended at the meeting after it. Nothing orders two
//   of them in a row, nor one and a signal after it, nor a wait and one after it;
// - the k-th channel or semaphore of an operation is served by thread k. These events of one thread come in order.
//
// An event also comes after these:
//
// - a wait after the signals that it can't do without: after s, if fewer signals of its counter than it needs may come
//   without s. If one thread gives them all, the k-th wait comes after the k-th signal. Acquires and releases alike;
// - the leaving of a barrier after all blocks have arrived;
// - a transfer of a port channel after its request and what was requested of the channel before; its signal alike;
// - the end of a call on a GPU after its blocks, the next call's start after that. Only a flush waits for transfers.
//
// Edges by rule also publish what was written before. A relaxed signal, or the flag of a packet, is an edge that is
// `relaxed`: it doesn't. Edges of `some_run` add what may make an event wait in some run, so a graph without a cycle of
// all three never hangs; one with a cycle of the first two always does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/plan.h"
#include "programs/event_graph.h"
#include "programs/plan_memory.h"

namespace onceover::programs {

/// Where an event is in the plan; the start and end of a call have no block, a meeting no operation.
struct PlanSite {
  Rank rank = 0;
  std::int32_t block = -1;
  std::int32_t operation = -1;  // of the block's list
  std::int32_t call = 0;
};

/// Something that uses memory: an operation on data, one movement of it on a port channel, the start or end of a call.
struct PlanTask {
  enum class Kind : std::uint8_t { operation, start, end };
  Kind kind = Kind::operation;
  PlanSite site = {};
  std::int32_t movement = -1;  // -1: all
  bool only_waits = false;     // of a rppkt on a port channel: the threads wait for packets, and a transfer moves them
  Event begin = 0;             // nothing is read or written before
  Event end = 0;               // all is, from here on
  Event origin = 0;            // has happened when anything is written: the begin, or a transfer's request
  ChainMark done = {};         // what is after this mark is after the task
};

/// An operation that waits for what never comes.
struct PlanStarved {
  PlanSite site;
  std::string why;
};

/// A packet that several tasks write in one call, so that its reader may take it from any of them.
struct PacketClash {
  PlanSite reader;
  Cell cell;
  std::array<PlanSite, 2> writers;  // two of them
};

/// Its chains are a block's number of meetings, a GPU's starts and ends, a channel's transfers.
struct PlanGraph : EventGraph {
  std::vector<PlanSite> sites = {};  // by event
  std::vector<PlanTask> tasks = {};
  std::vector<PlanStarved> starved = {};
  std::vector<PlanStarved> unbalanced = {};  // counters that later calls find changed
  std::optional<PacketClash> clash = {};
  bool has_free_signals = false;                 // do threads signal on one channel in no fixed order?
  bool has_free_requests = false;                // do threads put requests on a port channel in no fixed order?
  std::optional<std::string> undetermined = {};  // why it isn't fixed what a wait waits for
  /// If only that several threads wait on a channel: each of them after all its signals, which is more than any run
  /// has.
  std::vector<Edge> any_matching = {};
};

/// The graph of `calls` calls, without the edges of packets. Barriers must be well-formed. O(operations * calls), and
/// the square of the signals of a counter.
PlanGraph plan_graph(const ExecutionPlan& plan, std::int32_t calls);

/// A barrier whose blocks aren't as many as it waits for, or don't meet equally often.
std::optional<PlanStarved> ill_formed_barrier(const ExecutionPlan& plan);

/// The events at which tasks begin.
std::vector<Event> beginnings(const PlanGraph& graph);

inline const PlanOperation& operation_at(const ExecutionPlan& plan, const PlanSite& site) {
  return plan.gpus[static_cast<std::size_t>(site.rank)]
      .blocks[static_cast<std::size_t>(site.block)]
      .operations[static_cast<std::size_t>(site.operation)];
}

}  // namespace onceover::programs
