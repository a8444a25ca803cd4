#include "programs/plan_findings.h"

#include <fmt/format.h>

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

}  // namespace onceover::programs
