#include "programs/plan_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace onceover::programs {

namespace {

/// Does `a` come before `b`, or is it `b`, for reasons of their own block or GPU alone? Both are of one GPU.
bool comes_first(const CounterEvent& a, const CounterEvent& b) {
  if (a.site.block != b.site.block) return a.site.call < b.site.call;
  if (a.meetings != b.meetings) return a.meetings < b.meetings;
  return a.thread == b.thread && a.site.operation <= b.site.operation;
}

bool is_chain(const std::vector<CounterEvent>& events) {
  for (std::size_t k = 1; k < events.size(); ++k)
    if (!comes_first(events[k - 1], events[k])) return false;
  return true;
}

/// How many signals may come without this one: those that it doesn't come before.
std::size_t how_many_without(const std::vector<CounterEvent>& signals, const CounterEvent& signal) {
  return static_cast<std::size_t>(std::count_if(
      signals.begin(), signals.end(), [&](const CounterEvent& other) { return !comes_first(signal, other); }));
}

std::string counter_text(const CounterName& name) {
  if (name.type == CounterName::Type::semaphore)
    return fmt::format("semaphore {} of gpu {}", name.number, name.waiting);
  return fmt::format("{} channel {} from gpu {} to gpu {}", name.type == CounterName::Type::port ? "port" : "memory",
                     name.number, name.signalling, name.waiting);
}

}  // namespace

void PlanCounters::connect(const ExecutionPlan& plan, PlanGraph& graph) const {
  for (const auto& [name, counter] : counters_) {
    const bool is_semaphore = name.type == CounterName::Type::semaphore;
    const auto& [signals, waits] = counter;
    const std::size_t given =
        is_semaphore
            ? static_cast<std::size_t>(
                  plan.gpus[static_cast<std::size_t>(name.waiting)].semaphores[static_cast<std::size_t>(name.number)])
            : 0;
    const std::string numbers = fmt::format("{} has {} and {}", counter_text(name),
                                            counted(signals.size(), is_semaphore ? "release" : "signal"),
                                            counted(waits.size(), is_semaphore ? "acquire" : "wait"));
    if (waits.size() > signals.size() + given) graph.starved.push_back({waits[signals.size() + given].site, numbers});
    if (waits.size() != signals.size())
      graph.unbalanced.push_back({waits.empty() ? signals.front().site : waits.front().site, numbers});
    if (!is_chain(waits)) {
      graph.undetermined =
          fmt::format("several threads wait on {}, and it isn't fixed which of them comes first", counter_text(name));
      for (const CounterEvent& wait : waits)
        for (const CounterEvent& signal : signals) graph.any_matching.push_back({signal.event, wait.event, Why::rule});
      continue;
    }
    const bool are_signals_chain = is_chain(signals);
    for (std::size_t k = 0; k < signals.size(); ++k) {
      const CounterEvent& signal = signals[k];
      const std::size_t without = are_signals_chain ? k : how_many_without(signals, signal);
      if (without + given >= waits.size()) continue;
      const CounterEvent& wait = waits[without + given];
      const bool publishes = !signal.is_relaxed && !wait.is_relaxed;
      graph.edges.push_back({signal.event, wait.event, publishes ? Why::rule : Why::relaxed});
    }
    if (are_signals_chain) continue;
    graph.has_free_signals = true;
    for (const CounterEvent& wait : waits)
      for (const CounterEvent& signal : signals)
        if (signal.site.call == wait.site.call) graph.edges.push_back({signal.event, wait.event, Why::some_run});
  }
}

}  // namespace onceover::programs
