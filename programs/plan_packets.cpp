#include "programs/plan_packets.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/plan.h"

namespace onceover::programs {

namespace {

constexpr std::int64_t no_task = -1;

/// Does the other run lie in this one?
bool covers(const CellRun& run, const CellRun& other) {
  return run.first <= other.first && other.first + other.count <= run.first + run.count;
}

/// The packets of one call.
class Packets {
 public:
  Packets(const ExecutionPlan& plan, const PlanMemory& memory, PlanGraph& graph, const std::vector<std::size_t>& tasks)
      : plan_(plan),
        memory_(memory),
        graph_(graph),
        tasks_(tasks),
        writers_(memory.cells(), no_task),
        others_(memory.cells(), no_task) {}

  void connect() {
    for (const std::size_t t : tasks_)
      for (const Movement& m : movements_of(plan_, memory_, graph_.tasks[t]))
        for (const Operand& o : m.targets)
          if (o.content != CellContent::plain && !stays(m, o)) write(t, o.cells);
    for (const std::size_t t : tasks_)
      for (const Movement& m : movements_of(plan_, memory_, graph_.tasks[t]))
        for (const Operand& o : m.sources)
          if (o.content == CellContent::packets) read(t, o.cells);
  }

 private:
  void write(std::size_t task, const CellRun& cells) {
    for (Cell c = cells.first; c < cells.first + cells.count; ++c)
      (writers_[c] == no_task ? writers_ : others_)[c] = static_cast<std::int64_t>(task);
  }

  void read(std::size_t task, const CellRun& cells) {
    std::int64_t before = no_task;
    for (Cell c = cells.first; c < cells.first + cells.count; ++c) {
      const std::int64_t writer = writers_[c];
      if (writer == no_task) return starve(task, c);
      const bool is_clash = others_[c] != no_task;
      if (is_clash && !graph_.clash)
        graph_.clash = PacketClash{graph_.tasks[task].site, c, {site_of_task(writer), site_of_task(others_[c])}};
      if (writer != before)
        connect(graph_.tasks[static_cast<std::size_t>(writer)], graph_.tasks[task], cells, is_clash);
      before = writer;
    }
  }

  const PlanSite& site_of_task(std::int64_t task) const { return graph_.tasks[static_cast<std::size_t>(task)].site; }

  void starve(std::size_t task, Cell cell) {
    const PlanSite& site = graph_.tasks[task].site;
    graph_.starved.push_back({site, fmt::format("it waits for packets in {}, which nobody sends in call {}",
                                                memory_.text(cell), site.call + 1)});
  }

  /// If several tasks write a packet, its reader takes that of any; here, of the first.
  void connect(const PlanTask& writer, const PlanTask& reader, const CellRun& cells, bool is_clash) {
    graph_.edges.push_back({writer.end, reader.end, Why::some_run});
    if (is_clash) return;
    graph_.edges.push_back({writer.origin, reader.end, Why::relaxed});
    const bool is_transfer = writer.begin == writer.end;
    if (is_transfer && covers(cells, movements_of(plan_, memory_, writer).front().targets.front().cells))
      graph_.edges.push_back({writer.end, reader.end, Why::relaxed});
  }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  PlanGraph& graph_;
  const std::vector<std::size_t>& tasks_;
  std::vector<std::int64_t> writers_;  // by cell, the first
  std::vector<std::int64_t> others_;   // the last, if there are several
};

}  // namespace

bool stays(const Movement& movement, const Operand& target) {
  return movement.sources.size() == 1 && movement.sources.front().content == target.content &&
         movement.sources.front().cells.first == target.cells.first;
}

std::vector<Movement> movements_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanTask& task) {
  if (task.kind != PlanTask::Kind::operation) return {};
  const PlanOperation& operation = operation_at(plan, task.site);
  std::vector<Movement> all = memory.movements(operation, task.site.call);
  if (task.only_waits) all.front().targets.clear();
  if (task.movement < 0) return all;
  const auto k = static_cast<std::size_t>(task.movement);
  if (all.size() > 1 || operation.targets.size() == 1) return {all[all.size() > 1 ? k : 0]};
  all.front().targets = {all.front().targets[k]};
  return all;
}

void connect_packets(const ExecutionPlan& plan, const PlanMemory& memory, std::int32_t calls, PlanGraph& graph) {
  std::vector<std::vector<std::size_t>> by_call(static_cast<std::size_t>(calls));
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    by_call[static_cast<std::size_t>(graph.tasks[t].site.call)].push_back(t);
  for (const auto& tasks : by_call) Packets(plan, memory, graph, tasks).connect();
}

}  // namespace onceover::programs
