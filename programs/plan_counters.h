// PlanCounters: the counters of channels and semaphores of an MSCCL++ plan, and which signals a wait can't do without.
#pragma once

#include <map>
#include <tuple>

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

}  // namespace onceover::programs
