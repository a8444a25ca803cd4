// The messages of a schedule on their way through a network, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "network/link_loads.h"
#include "network/routing.h"
#include "schedules/schedule.h"

namespace onceover::network {

/// Why a schedule can't be followed through a network.
struct Unroutable {
  enum class Kind {
    ill_formed,  // a transfer names a missing rank or block, stays on its rank, or has no way
    exhausted,   // the budget, or the numbers that loads are counted in
  };
  Kind kind;
  std::string text;
};

struct FlowOptions {
  Routing routing = Routing::minimal;
  int threads = 0;                        // 0: as many as there are cores
  std::uint64_t budget = 10'000'000'000;  // links crossed by messages, or searched for their ways, at most
};

/// Steps whose messages are the same to a network.
struct StepKind {
  int step;   // the first of them
  int times;  // how many there are
};

/// The kinds of steps, by their first step. O(steps).
std::vector<StepKind> step_kinds(const Schedule& schedule);

/// What there is to see of a kind: its messages, their routes, and the loads of all links with all of them under way.
struct StepFlows {
  const std::vector<Transfer>& transfers;
  Router& router;
  const LinkLoads& loads;
};

/// Calls visit(kind's number, flows) for each kind, from several threads at once and in no order. `schedule` and
/// `network` have the same ranks, all of which reach each other.
/// Throws `Stopped` where all work is to stop: what was followed so far says nothing.
/// Time: O(links on the ways of the messages of one step a kind); memory: O(links + messages of a step) a thread.
tl::expected<void, Unroutable> follow(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                      const std::function<void(std::size_t, const StepFlows&)>& visit);

}  // namespace onceover::network
