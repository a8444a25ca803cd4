#include "programs/plan_findings.h"

#include <fmt/format.h>

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

std::string missing_text(const PlanRace& race) {
  const PlanSite &a = race.tasks[0].site, &b = race.tasks[1].site;
  if (!is_in_one_block(race)) return "nothing makes either wait until the other is done";
  if (a.operation == b.operation)
    return "threads of the block do their elements on their own, so the ranges of one operation mustn't overlap";
  const bool is_transfer = race.tasks[0].begin == race.tasks[0].end;
  if (is_transfer) return "nothing waits until the transfer is done, as a flush does";
  return "threads of a block run ahead of each other until they meet at a nop or a barrier";
}

void add_site(const ExecutionPlan& plan, const PlanSite& site, std::vector<Counterexample::Site>& sites) {
  if (site.operation >= 0) sites.push_back(site_of(plan, site));
}

}  // namespace

Counterexample::Site site_of(const ExecutionPlan& plan, const PlanSite& site) {
  const PlanOperation& o = operation_at(plan, site);
  return {.rank = site.rank, .thread = site.block, .number = o.position, .line = o.line, .column = o.column};
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
    return fmt::format("the start of call {} on gpu {}, until which its user has the buffers,", task.site.call + 1,
                       task.site.rank);
  if (task.kind == PlanTask::Kind::end)
    return fmt::format("the end of call {} on gpu {}, from which its user has the buffers,", task.site.call + 1,
                       task.site.rank);
  const bool is_transfer = task.begin == task.end;
  return fmt::format("{}{}{}", is_transfer ? "the transfer of " : "", site_text(plan, task.site), call_text(task.site));
}

Counterexample fault_of(const ExecutionPlan& plan, const PlanStarved& fault) {
  Counterexample::Unsafe unsafe{fmt::format("{}: {}", site_text(plan, fault.site), fault.why)};
  add_site(plan, fault.site, unsafe.sites);
  return {.what = std::move(unsafe), .rank = fault.site.rank};
}

Counterexample circle_of(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& circle) {
  Counterexample::Unsafe unsafe;
  std::vector<PlanSite> sites;
  for (auto edge = circle.rbegin(); edge != circle.rend(); ++edge) {
    const PlanSite& site = graph.sites[edge->after];
    if (site.operation < 0) continue;
    const bool is_again = !sites.empty() && sites.back().rank == site.rank && sites.back().block == site.block &&
                          sites.back().operation == site.operation;
    if (!is_again) sites.push_back(site);
  }
  unsafe.headline = fmt::format("{} operations wait for each other in a circle", sites.size());
  for (const PlanSite& site : sites) {
    if (unsafe.lines.size() == most_shown) break;
    unsafe.lines.push_back(fmt::format("{}{} waits for the next", site_text(plan, site), call_text(site)));
    unsafe.sites.push_back(site_of(plan, site));
  }
  if (sites.size() > most_shown) unsafe.lines.push_back(fmt::format("and {} more", sites.size() - most_shown));
  return {.what = std::move(unsafe), .rank = graph.sites[circle.front().before].rank};
}

Counterexample race_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanRace& race,
                       std::string_view headline) {
  Counterexample::Unsafe unsafe{fmt::format("{} {}", headline, memory.text(race.cell))};
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    unsafe.lines.push_back(
        fmt::format("{} {} it", task_text(plan, race.tasks[k]), race.writes[k] ? "writes" : "reads"));
    add_site(plan, race.tasks[k].site, unsafe.sites);
  }
  unsafe.lines.push_back(missing_text(race));
  return {.what = std::move(unsafe), .rank = memory.rank_of(race.cell), .slot = memory.text(race.cell)};
}

Counterexample result_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanWrongResult& wrong,
                         std::string_view headline) {
  Counterexample::Unsafe unsafe{fmt::format("{}{} {} {}", memory.text(wrong.cell),
                                            wrong.call > 0 ? fmt::format(", after call {},", wrong.call + 1) : "",
                                            headline, wrong.found)};
  unsafe.lines.push_back("expected " + wrong.due);
  unsafe.lines.push_back(wrong.writer ? "it was written last by " + site_text(plan, *wrong.writer)
                                      : "no operation writes it");
  if (wrong.writer) add_site(plan, *wrong.writer, unsafe.sites);
  return {.what = std::move(unsafe), .rank = wrong.rank, .slot = memory.text(wrong.cell)};
}

}  // namespace onceover::programs
