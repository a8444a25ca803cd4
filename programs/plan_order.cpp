// If all threads of a block did their operations together, one after another, more would be ordered than is. The graph
// has edges for that, which hold in some runs only. A way from one task to the other that takes as few of these as
// possible is the order that its author had in mind, and the first of them on the way is where it breaks.
//
// Example: a put, a signal, and on the other GPU a wait, a nop, a read. The way goes put, signal, wait, nop, read; all
// of it holds in every run but the step from the put to the signal, between which a nop is missing.

#include "programs/plan_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "programs/plan_findings.h"

namespace onceover::programs {

namespace {

constexpr std::uint32_t not_reached = UINT32_MAX;

/// The way from one event to another with the fewest edges of some runs only; empty if there is none.
std::vector<Edge> likeliest_way(const PlanGraph& graph, Event from, Event to) {
  const Successors next(graph.events, graph.edges);
  std::vector<std::uint32_t> cost(graph.events, not_reached);
  std::vector<const Edge*> by(graph.events, nullptr);
  std::deque<Event> open{from};
  cost[from] = 0;
  while (!open.empty()) {
    const Event at = open.front();
    open.pop_front();
    next.of(at, [&](const Edge& edge) {
      const std::uint32_t more = edge.why == Why::some_run ? 1 : 0;
      if (cost[at] + more >= cost[edge.after]) return;
      cost[edge.after] = cost[at] + more;
      by[edge.after] = &edge;
      more == 0 ? open.push_front(edge.after) : open.push_back(edge.after);
    });
  }
  std::vector<Edge> way;
  if (cost[to] == not_reached) return way;
  for (Event at = to; at != from && by[at] != nullptr; at = by[at]->before) way.push_back(*by[at]);
  std::reverse(way.begin(), way.end());
  return way;
}

bool is_in_same_block(const PlanSite& a, const PlanSite& b) {
  return a.rank == b.rank && a.block == b.block && a.call == b.call;
}

bool is_wait(const ExecutionPlan& plan, const PlanSite& site) {
  if (site.operation < 0) return false;
  const PlanInstruction what = operation_at(plan, site).instruction;
  return what == PlanInstruction::wait || what == PlanInstruction::acquire || what == PlanInstruction::barrier;
}

/// The last wait on the way for another block.
std::optional<PlanSite> wait_on(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& way) {
  for (auto edge = way.rbegin(); edge != way.rend(); ++edge) {
    const PlanSite& site = graph.sites[edge->after];
    if (is_wait(plan, site) && !is_in_same_block(graph.sites[edge->before], site)) return site;
  }
  return std::nullopt;
}

std::string gap_text(const ExecutionPlan& plan, const PlanSite& before, const PlanSite& after) {
  if (!is_in_same_block(before, after) || before.operation < 0 || after.operation < 0)
    return fmt::format("but {} needn't wait for {}: the wait may be for another", site_text(plan, after),
                       site_text(plan, before));
  const auto position = [&](const PlanSite& site) { return operation_at(plan, site).position; };
  return fmt::format("but the threads of gpu {}, block {} don't meet between operations {} and {}: no nop stands there",
                     before.rank, before.block, position(before), position(after));
}

std::vector<std::string> broken_way(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& way) {
  const auto gap = std::find_if(way.begin(), way.end(), [](const Edge& e) { return e.why == Why::some_run; });
  const auto wait = wait_on(plan, graph, way);
  if (gap == way.end() || !wait) return {};
  return {fmt::format("{} seems to order them,", site_text(plan, *wait)),
          gap_text(plan, graph.sites[gap->before], graph.sites[gap->after])};
}

bool is_of_one_block(const PlanSite& a, const PlanSite& b) {
  return a.rank == b.rank && a.block == b.block;
}

std::pair<std::int32_t, std::int32_t> moment(const PlanSite& site) {
  return {site.call, site.operation};
}

/// Does the block of the task come to the site before it comes to the task? At the end of a call, any block has.
bool is_before(const PlanSite& site, const PlanTask& task) {
  if (task.kind == PlanTask::Kind::operation)
    return is_of_one_block(site, task.site) && moment(site) < moment(task.site);
  return site.rank == task.site.rank && site.call <= task.site.call - (task.kind == PlanTask::Kind::start ? 1 : 0);
}

/// The last wait before the second task for a signal of the first task's block that comes before that task.
std::vector<std::string> early_signal(const ExecutionPlan& plan, const PlanGraph& graph, const PlanTask& first,
                                      const PlanTask& second) {
  if (first.kind != PlanTask::Kind::operation) return {};
  const Edge* last = nullptr;
  for (const Edge& edge : graph.edges) {
    const PlanSite &from = graph.sites[edge.before], &to = graph.sites[edge.after];
    const bool is_too_early =
        is_in_same_block(from, first.site) && from.operation >= 0 && moment(from) < moment(first.site);
    if (edge.why == Why::some_run || !is_wait(plan, to) || is_of_one_block(from, to)) continue;
    if (!is_too_early || !is_before(to, second)) continue;
    if (last == nullptr || moment(graph.sites[last->after]) < moment(to)) last = &edge;
  }
  if (last == nullptr) return {};
  return {fmt::format("{} seems to order them,", site_text(plan, graph.sites[last->after])),
          fmt::format("but it waits for {}, which comes before operation {}",
                      site_text(plan, graph.sites[last->before]), operation_at(plan, first.site).position)};
}

/// Why the first isn't over when the second begins, though a wait seems to see to that.
std::vector<std::string> seeming_order_of(const ExecutionPlan& plan, const PlanGraph& graph, const PlanTask& first,
                                          const PlanTask& second) {
  auto lines = broken_way(plan, graph, likeliest_way(graph, first.end, second.begin));
  return lines.empty() ? early_signal(plan, graph, first, second) : lines;
}

}  // namespace

void add_any_matching(PlanGraph& graph) {
  std::vector<Edge> added;
  const Successors next(graph.events, graph.edges);
  std::vector<bool> follows;
  Event of = graph.events;  // the wait that `follows` is about
  for (const Edge& edge : graph.any_matching) {
    if (edge.after != of) {
      of = edge.after;
      follows.assign(graph.events, false);
      std::vector<Event> open{of};
      while (!open.empty()) {
        const Event at = open.back();
        open.pop_back();
        next.of(at, [&](const Edge& e) {
          if (e.why != Why::some_run && !follows[e.after]) follows[e.after] = true, open.push_back(e.after);
        });
      }
    }
    if (!follows[edge.before]) added.push_back(edge);
  }
  graph.edges.insert(graph.edges.end(), added.begin(), added.end());
}

std::vector<std::string> seeming_order(const ExecutionPlan& plan, const PlanGraph& graph, const PlanRace& race) {
  auto lines = seeming_order_of(plan, graph, race.tasks[0], race.tasks[1]);
  return lines.empty() ? seeming_order_of(plan, graph, race.tasks[1], race.tasks[0]) : lines;
}

}  // namespace onceover::programs
