// What the waits of a plan wait for: signals, then packets, then what packets order unit by unit.

#include "programs/plan_waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sentences.h"
#include "formats/plan.h"

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
          if (o.content != CellContent::plain && !is_unchanged(m, o)) write(t, o.cells);
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

bool is_unchanged(const Movement& movement, const Operand& target) {
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

namespace {

/// The first cell of a unit.
Cell cell_of(const Operand& o, std::uint32_t unit) {
  return o.cells.first + (o.content == CellContent::plain ? unit : 2 * unit);
}

}  // namespace

void PacketChains::build() {
  if (!movements_.empty()) return;
  for (std::uint32_t t = 0; t < graph_.tasks.size(); ++t) {
    movements_.push_back(movements_of(plan_, memory_, graph_.tasks[t]));
    for (std::uint32_t m = 0; m < movements_.back().size(); ++m) {
      const Movement& movement = movements_.back()[m];
      for (const Operand& o : movement.sources)
        if (o.content == CellContent::packets) add(awaiting_, o, t, m);
      for (const Operand& o : movement.targets)
        if (o.content != CellContent::plain && !is_unchanged(movement, o)) add(sending_, o, t, m);
    }
  }
}

void PacketChains::add(Packets& to, const Operand& operand, std::uint32_t task, std::uint32_t movement) const {
  for (std::uint32_t u = 0; u < operand.units(); ++u)
    to[key(cell_of(operand, u), graph_.tasks[task].site.call)].push_back({task, movement, u});
}

std::vector<PacketChains::Unit> PacketChains::units_at(std::uint32_t task, Cell cell, bool that_write) const {
  std::vector<Unit> units;
  for (std::uint32_t m = 0; m < movements_[task].size(); ++m)
    for (const Operand& o : that_write ? movements_[task][m].targets : movements_[task][m].sources)
      if (cell >= o.cells.first && cell < o.cells.first + o.cells.count)
        units.push_back({task, m, (cell - o.cells.first) / (o.content == CellContent::plain ? 1 : 2)});
  return units;
}

std::vector<PacketChains::Unit> PacketChains::reached(const Unit& from, bool forward) const {
  std::vector<Unit> seen{from};
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const Unit at = seen[k];
    const Movement& movement = movements_[at.task][at.movement];
    for (const Operand& o : forward ? movement.targets : movement.sources) {
      const bool is_sent =
          forward ? o.content != CellContent::plain && !is_unchanged(movement, o) : o.content == CellContent::packets;
      if (!is_sent) continue;
      const Packets& others = forward ? awaiting_ : sending_;
      const auto found = others.find(key(cell_of(o, at.unit), graph_.tasks[at.task].site.call));
      if (found == others.end()) continue;
      for (const Unit& next : found->second)
        if (std::find(seen.begin(), seen.end(), next) == seen.end()) seen.push_back(next);
    }
  }
  return seen;
}

bool PacketChains::is_before(const Unit& read, const Unit& written) const {
  const std::vector<Unit> after = reached(read, true), before = reached(written, false);
  return std::any_of(after.begin(), after.end(), [&](const Unit& a) {
    return std::any_of(before.begin(), before.end(), [&](const Unit& b) {
      return a == b || clocks_.is_ordered(graph_.tasks[a.task], graph_.tasks[b.task]);
    });
  });
}

bool PacketChains::is_read_before(std::uint32_t reader, std::uint32_t writer, Cell cell) {
  build();
  const std::vector<Unit> read = units_at(reader, cell, false), written = units_at(writer, cell, true);
  const auto is_before_all = [&](const Unit& r) {
    return std::all_of(written.begin(), written.end(), [&](const Unit& w) { return is_before(r, w); });
  };
  return !read.empty() && !written.empty() && std::all_of(read.begin(), read.end(), is_before_all);
}

}  // namespace onceover::programs
