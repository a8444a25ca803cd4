#include "programs/plan_clocks.h"

#include <algorithm>

namespace onceover::programs {

PlanClocks::PlanClocks(const PlanGraph& graph, const std::vector<PlanEvent>& order)
    : chains_(graph.chains), all_(clocks(graph, order, true)), publishing_(clocks(graph, order, false)) {}

PlanClocks::Clocks PlanClocks::clocks(const PlanGraph& graph, const std::vector<PlanEvent>& order,
                                      bool with_relaxed) const {
  Clocks clocks(graph.events.size() * chains_, 0);
  std::vector<std::size_t> place(graph.events.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::vector<PlanEdge> edges;
  for (const PlanEdge& e : graph.edges)
    if (e.kind == PlanEdgeKind::ordered || (with_relaxed && e.kind == PlanEdgeKind::relaxed)) edges.push_back(e);
  std::sort(edges.begin(), edges.end(),
            [&](const PlanEdge& a, const PlanEdge& b) { return place[a.after] < place[b.after]; });
  std::vector<ChainStep> steps = graph.steps;
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const ChainStep& a, const ChainStep& b) { return place[a.event] < place[b.event]; });
  auto step = steps.begin();
  auto edge = edges.begin();
  for (const PlanEvent event : order) {
    std::uint32_t* const clock = &clocks[event * chains_];
    for (; edge != edges.end() && edge->after == event; ++edge) {
      const std::uint32_t* const before = &clocks[edge->before * chains_];
      for (std::size_t c = 0; c < chains_; ++c) clock[c] = std::max(clock[c], before[c]);
    }
    for (; step != steps.end() && step->event == event; ++step)
      clock[step->mark.chain] = std::max(clock[step->mark.chain], step->mark.value);
  }
  return clocks;
}

}  // namespace onceover::programs
