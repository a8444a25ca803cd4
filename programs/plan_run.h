// PlanRun: an MSCCL++ plan at one size, run once in an order that its graph allows, with all accesses checked.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "programs/event_graph.h"
#include "programs/plan_graph.h"
#include "verifier/terms.h"

namespace onceover::programs {

/// Two accesses to a cell, at least one of them a write, that nothing orders.
struct PlanRace {
  std::array<PlanTask, 2> tasks;  // in one possible order
  std::array<bool, 2> writes;
  Cell cell;
  std::array<std::uint32_t, 2> known = {};  // meetings of each block that are certainly over when the other begins
  std::vector<std::string> why = {};        // why what seems to order them doesn't, in lines
};

/// A unit of an output that a call leaves wrong.
struct PlanWrongResult {
  Rank rank;
  std::int32_t call;
  Cell cell;
  std::string due;
  std::string found;
  std::optional<PlanSite> writer;
};

/// What a run found, the first of each kind.
struct PlanFindings {
  std::optional<PlanRace> race = {};
  std::uint64_t races = 0;
  std::optional<PlanRace> relaxed = {};  // what is read, or replaced, was published by relaxed signals only
  std::optional<PlanRace> relaxed_between_calls = {};
  std::optional<PlanSite> lost_packets = {};   // waits for packets that something else replaced
  std::optional<PlanSite> plain_packets = {};  // waits for packets where data is written that may look like them
  std::optional<PlanSite> overwritten = {};    // writes to an input, out of place
  std::optional<PlanWrongResult> wrong = {};
  std::uint64_t wrong_results = 0;
  std::optional<PlanWrongResult> different = {};  // a sum in another order than on the first GPU
  bool has_postcondition = true;
  bool uses_packet_chains = false;  // did packets order units whose operations aren't ordered?
  std::uint32_t term_depth = 0;
};

/// Runs the tasks in the order of their ends. `order` is one of all edges; packets are connected.
///
/// In each cell and that order, a read must come after the last write, and a write after that and the reads since then;
/// that orders all pairs, because order is transitive. A packet's read comes after its write by itself.
///
/// Who waits for a packet takes any bytes with the call's flag for it. So where packets are awaited, no call may write
/// anything else.
///
/// Data: each unit of each call's inputs is a leaf. What nothing has set is nothing, and so is a packet that is read as
/// data, or the sum with nothing. Memory: O(cells). Time: O(what all tasks move, and the sums of the outputs).
PlanFindings run_plan(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph,
                      const std::vector<Event>& order, std::int32_t calls);

}  // namespace onceover::programs
