// Findings in words; and for a race, why a wait that seems to order its two sides doesn't.

#include "programs/plan_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "formats/plan.h"

namespace onceover::programs {

namespace {

constexpr std::size_t most_shown = 12;

std::string call_text(const PlanSite& site) {
  return site.call == 0 ? "" : fmt::format(", in call {}", site.call + 1);
}

/// Are there no two meetings between them?
bool is_in_one_block(const PlanRace& race) {
  const PlanSite &a = race.tasks[0].site, &b = race.tasks[1].site;
  return race.tasks[0].kind == PlanTask::Kind::operation && race.tasks[1].kind == PlanTask::Kind::operation &&
         a.rank == b.rank && a.block == b.block && a.call == b.call;
}

bool is_transfer(const PlanTask& task) {
  return task.kind == PlanTask::Kind::operation && task.begin == task.end;
}

/// The side of a port channel that may still read what the next call's user overwrites; nothing if it isn't that.
std::optional<std::size_t> unflushed_side(const PlanRace& race) {
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (is_transfer(race.tasks[k]) && !race.writes[k] && race.tasks[1 - k].kind == PlanTask::Kind::start) return k;
  return std::nullopt;
}

std::vector<std::string> missing_lines(const PlanRace& race) {
  if (!race.why.empty() && !unflushed_side(race)) return race.why;
  const PlanSite &a = race.tasks[0].site, &b = race.tasks[1].site;
  if (unflushed_side(race)) return {"a call ends without waiting for transfers; only a flush waits for them"};
  if (!is_in_one_block(race)) return {"nothing makes either wait until the other is done"};
  if (a.operation == b.operation)
    return {"threads of the block do their elements on their own, so the ranges of one operation mustn't overlap"};
  if (is_transfer(race.tasks[0])) return {"nothing waits until the transfer is done, as a flush does"};
  return {"threads of a block run ahead of each other until they meet at a nop or a barrier"};
}

/// What one side of a race does.
std::string use_text(const ExecutionPlan& plan, const PlanTask& task, bool writes) {
  const std::int32_t call = task.site.call + 1;
  if (task.kind == PlanTask::Kind::start)
    return fmt::format("before call {} starts, the caller may {} it", call, writes ? "overwrite" : "still read");
  if (task.kind == PlanTask::Kind::end) return fmt::format("after call {} ends, the caller reads it", call);
  return fmt::format("{} {} it", task_text(plan, task), writes ? "writes" : "reads");
}

std::string race_headline(const ExecutionPlan& plan, const PlanRace& race, std::string_view headline,
                          const std::string& cell) {
  const auto side = unflushed_side(race);
  if (!side) return fmt::format("{} {}", headline, cell);
  const PlanTask& task = race.tasks[*side];
  const PlanOperation& o = operation_at(plan, task.site);
  return fmt::format(
      "the caller of call {} may overwrite {} while port channel {} still reads it: {}",
      race.tasks[1 - *side].site.call + 1, cell, o.ids[static_cast<std::size_t>(task.movement)],
      plan.is_as_executed ? "the runtime skips every flush" : fmt::format("no flush after the {}", o.word));
}

/// Does the operation use scratch of other GPUs as plain data, which doesn't follow the halves?
bool ignores_halves(const ExecutionPlan& plan, const PlanTask& task) {
  if (!plan.has_two_halves || task.kind != PlanTask::Kind::operation) return false;
  const PlanOperation& o = operation_at(plan, task.site);
  const auto is_plain = [&](const PlanRange& range, bool is_packet) {
    return range.buffer == Buffer::scratch && !is_packet &&
           (range.where != PlanRange::Where::local || o.channel == ChannelType::port);
  };
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if (is_plain(o.sources[k], is_packet_source(o, k))) return true;
  for (std::size_t k = 0; k < o.targets.size(); ++k)
    if (is_plain(o.targets[k], is_packet_target(o, k))) return true;
  return false;
}

void add_site(const ExecutionPlan& plan, const PlanSite& site, std::vector<Counterexample::Site>& sites) {
  if (site.operation >= 0) sites.push_back(site_of(plan, site));
}

}  // namespace

Counterexample::Site site_of(const ExecutionPlan& plan, const PlanSite& site) {
  const PlanOperation& o = operation_at(plan, site);
  return {.rank = site.rank,
          .thread = site.block,
          .number = o.position,
          .line = o.line,
          .column = o.column,
          .iteration = o.iteration};
}

std::string site_text(const ExecutionPlan& plan, const PlanSite& site) {
  if (site.operation < 0) return fmt::format("gpu {}, block {}, its begin or end", site.rank, site.block);
  const PlanOperation& o = operation_at(plan, site);
  const std::string iteration = o.iteration ? fmt::format(", iteration {}", *o.iteration + 1) : "";
  return fmt::format("gpu {}, block {}, operation {} ({}, line {}:{}){}", site.rank, site.block, o.position, o.word,
                     o.line, o.column, iteration);
}

std::string task_text(const ExecutionPlan& plan, const PlanTask& task) {
  if (task.kind == PlanTask::Kind::start)
    return fmt::format("the caller, before call {} starts on gpu {},", task.site.call + 1, task.site.rank);
  if (task.kind == PlanTask::Kind::end)
    return fmt::format("the caller, after call {} ends on gpu {},", task.site.call + 1, task.site.rank);
  return fmt::format("{}{}{}", is_transfer(task) ? "the transfer of " : "", site_text(plan, task.site),
                     call_text(task.site));
}

Counterexample::Told told_unsafe(std::string headline, std::string slot) {
  return {unsafe_fault, {std::move(headline)}, {.slot = std::move(slot)}};
}

Counterexample fault_of(const ExecutionPlan& plan, const PlanStarved& fault) {
  Counterexample::Told unsafe = told_unsafe(fmt::format("{}: {}", site_text(plan, fault.site), fault.why));
  add_site(plan, fault.site, unsafe.facts.sites);
  return {.what = std::move(unsafe), .rank = fault.site.rank};
}

Counterexample clash_of(const ExecutionPlan& plan, const PlanMemory& memory, const PacketClash& clash) {
  Counterexample::Told unsafe = told_unsafe(
      fmt::format("the packets in {} are written twice in a call", memory.text(clash.cell)), memory.text(clash.cell));
  for (const PlanSite& writer : clash.writers) {
    unsafe.lines.push_back(site_text(plan, writer) + " writes them");
    add_site(plan, writer, unsafe.facts.sites);
  }
  unsafe.lines.push_back(site_text(plan, clash.reader) + " waits for them, and may take them from either");
  add_site(plan, clash.reader, unsafe.facts.sites);
  return {.what = std::move(unsafe), .rank = memory.rank_of(clash.cell)};
}

Counterexample circle_of(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& circle) {
  std::vector<PlanSite> sites;
  for (auto edge = circle.rbegin(); edge != circle.rend(); ++edge) {
    const PlanSite& site = graph.sites[edge->after];
    if (site.operation < 0) continue;
    const bool is_again = !sites.empty() && sites.back().rank == site.rank && sites.back().block == site.block &&
                          sites.back().operation == site.operation;
    if (!is_again) sites.push_back(site);
  }
  Counterexample::Told unsafe = told_unsafe(fmt::format("{} operations wait for each other in a circle", sites.size()));
  for (const PlanSite& site : sites) {
    if (unsafe.lines.size() > most_shown) break;
    unsafe.lines.push_back(fmt::format("{}{} waits for the next", site_text(plan, site), call_text(site)));
    unsafe.facts.sites.push_back(site_of(plan, site));
  }
  if (sites.size() > most_shown) unsafe.lines.push_back(fmt::format("and {} more", sites.size() - most_shown));
  return {.what = std::move(unsafe), .rank = graph.sites[circle.front().before].rank};
}

Counterexample race_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanRace& race,
                       std::string_view headline) {
  Counterexample::Told unsafe =
      told_unsafe(race_headline(plan, race, headline, memory.text(race.cell)), memory.text(race.cell));
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    unsafe.lines.push_back(use_text(plan, race.tasks[k], race.writes[k]));
    add_site(plan, race.tasks[k].site, unsafe.facts.sites);
  }
  for (std::string& line : missing_lines(race)) unsafe.lines.push_back(std::move(line));
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
    if (ignores_halves(plan, race.tasks[k])) {
      unsafe.lines.push_back(
          fmt::format("{} uses scratch of another GPU as plain data, which doesn't follow the halves "
                      "of scratch that calls use in turn",
                      operation_at(plan, race.tasks[k].site).word));
      break;
    }
  return {.what = std::move(unsafe), .rank = memory.rank_of(race.cell)};
}

Counterexample result_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanWrongResult& wrong,
                         std::string_view headline) {
  Counterexample::Told unsafe = told_unsafe(
      fmt::format("{}{} {} {}", memory.text(wrong.cell),
                  wrong.call > 0 ? fmt::format(", after call {},", wrong.call + 1) : "", headline, wrong.found),
      memory.text(wrong.cell));
  unsafe.lines.push_back("expected " + wrong.due);
  unsafe.lines.push_back(wrong.writer ? "it was written last by " + site_text(plan, *wrong.writer)
                                      : "no operation writes it");
  if (wrong.writer) add_site(plan, *wrong.writer, unsafe.facts.sites);
  return {.what = std::move(unsafe), .rank = wrong.rank};
}

// If all threads of a block did their operations together, one after another, more would be ordered than is. The graph
// has edges for that, which hold in some runs only. A path from one task to the other that takes as few of these as
// possible is the order that its author had in mind, and the first of them on the path is where it breaks.
//
// Example: a put, a signal, and on the other GPU a wait, a nop, a read. The path goes put, signal, wait, nop, read; all
// of it holds in every run but the step from the put to the signal, between which a nop is missing.

namespace {

constexpr std::uint32_t not_reached = UINT32_MAX;

/// The path from one event to another with the fewest edges of some runs only; empty if there is none.
std::vector<Edge> likeliest_path(const PlanGraph& graph, Event from, Event to) {
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
  std::vector<Edge> path;
  if (cost[to] == not_reached) return path;
  for (Event at = to; at != from && by[at] != nullptr; at = by[at]->before) path.push_back(*by[at]);
  std::reverse(path.begin(), path.end());
  return path;
}

bool is_in_same_block(const PlanSite& a, const PlanSite& b) {
  return a.rank == b.rank && a.block == b.block && a.call == b.call;
}

bool is_wait(const ExecutionPlan& plan, const PlanSite& site) {
  if (site.operation < 0) return false;
  const PlanInstruction what = operation_at(plan, site).instruction;
  return what == PlanInstruction::wait || what == PlanInstruction::acquire || what == PlanInstruction::barrier;
}

/// The last wait on the path for another block.
std::optional<PlanSite> wait_on(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& path) {
  for (auto edge = path.rbegin(); edge != path.rend(); ++edge) {
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

std::vector<std::string> broken_path(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& path) {
  const auto gap = std::find_if(path.begin(), path.end(), [](const Edge& e) { return e.why == Why::some_run; });
  const auto wait = wait_on(plan, graph, path);
  if (gap == path.end() || !wait) return {};
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
  auto lines = broken_path(plan, graph, likeliest_path(graph, first.end, second.begin));
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
