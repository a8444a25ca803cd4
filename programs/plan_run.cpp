#include "programs/plan_run.h"

#include <algorithm>

#include "programs/plan_memory.h"
#include "programs/plan_waits.h"

namespace onceover::programs {

namespace {

constexpr std::int32_t no_call = -1;
constexpr std::uint32_t no_index = UINT32_MAX;

/// What a cell holds: data, or half a packet of a call.
struct CellValue {
  Term term = Term::nothing;
  std::int32_t packet_of = no_call;
};

class PlanRun {
 public:
  PlanRun(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph, const std::vector<Event>& order,
          std::int32_t calls)
      : plan_(plan),
        memory_(memory),
        graph_(graph),
        clocks_(graph, order, beginnings(graph)),
        chains_(plan, memory, graph, clocks_),
        results_(plan, memory),
        terms_(static_cast<Rank>(results_.leaves(calls))),
        values_(memory.cells()),
        cells_(memory.cells()),
        waiters_(memory.cells(), no_index),
        holds_plain_(memory.cells(), false) {
    findings_.has_postcondition = has_postcondition(plan_);
    std::vector<std::size_t> place(graph.events);
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (std::uint32_t t = 0; t < graph.tasks.size(); ++t) tasks_.push_back(t);
    std::stable_sort(tasks_.begin(), tasks_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return place[graph.tasks[a].end] < place[graph.tasks[b].end];
    });
  }

  PlanFindings run() {
    for (const std::uint32_t t : tasks_) {
      const PlanTask& task = graph_.tasks[t];
      if (task.kind == PlanTask::Kind::start) start(t, task);
      if (task.kind == PlanTask::Kind::end) end(t, task);
      if (task.kind == PlanTask::Kind::operation) execute(t, task);
    }
    for (Cell c = 0; c < waiters_.size() && !findings_.plain_packets; ++c)
      if (waiters_[c] != no_index && holds_plain_[c]) findings_.plain_packets = graph_.tasks[waiters_[c]].site;
    return std::move(findings_);
  }

 private:
  struct Use {
    std::uint32_t task;
    bool of_packet;
    bool lands_late = false;  // a packet stored onto itself: the GPU's own copy may come after those of others
  };

  /// The user has set the input. From the second call on the output may have been in use until now.
  void start(std::uint32_t t, const PlanTask& task) {
    const CellRun in = memory_.input(task.site.rank), out = memory_.output(task.site.rank);
    if (task.site.call > 0)
      for (Cell c = out.first; c < out.first + out.count; ++c) read(t, c, CellContent::plain);
    for (std::uint32_t u = 0; u < in.count; ++u) {
      write(t, in.first + u, CellContent::plain);
      values_[in.first + u] = {results_.leaf(terms_, task.site.call, task.site.rank, u)};
    }
  }

  void end(std::uint32_t t, const PlanTask& task) {
    const CellRun out = memory_.output(task.site.rank), of_first = memory_.output(0);
    for (std::uint32_t u = 0; u < out.count; ++u) {
      const Cell cell = out.first + u;
      read(t, cell, CellContent::plain);
      if (!has_postcondition(plan_)) continue;
      const CellValue value = values_[cell];
      const Term term = value.packet_of == no_call ? value.term : Term::nothing;
      if (!results_.is_right(terms_, term, task.site.call, task.site.rank, u)) {
        if (findings_.wrong_results++ == 0) findings_.wrong = result(task, cell, u, term);
        continue;
      }
      findings_.term_depth = std::max(findings_.term_depth, terms_.depth(term));
      compare(task, cell, u, term, of_first.count);
    }
  }

  PlanWrongResult result(const PlanTask& task, Cell cell, std::uint32_t unit, Term term) const {
    PlanWrongResult wrong{
        task.site.rank, task.site.call, cell, results_.due(task.site.rank, unit), results_.text(terms_, term),
        std::nullopt};
    if (const Use* last = cells_.last_write(cell); last && graph_.tasks[last->task].kind == PlanTask::Kind::operation)
      wrong.writer = graph_.tasks[last->task].site;
    return wrong;
  }

  /// In an allreduce, all ranks must have added in one order.
  void compare(const PlanTask& task, Cell cell, std::uint32_t unit, Term term, std::uint32_t units) {
    if (plan_.collective != "allreduce") return;
    const auto call = static_cast<std::size_t>(task.site.call);
    if (sums_.size() <= call) sums_.resize(call + 1);
    sums_[call].resize(units, Term::nothing);
    Term& first = sums_[call][unit];
    if (first == Term::nothing) first = term;
    if (first != term && !findings_.different) findings_.different = result(task, cell, unit, term);
  }

  void execute(std::uint32_t t, const PlanTask& task) {
    const std::vector<Movement> movements = movements_of(plan_, memory_, task);
    find_own_conflict(task, movements);
    for (const Movement& m : movements) {
      for (const Operand& o : m.sources)
        for (Cell c = o.cells.first; c < o.cells.first + o.cells.count; ++c) read(t, c, o.content);
      const std::uint32_t units = m.sources.front().units();
      for (std::uint32_t u = 0; u < units; ++u) {
        const CellValue value = sum(task, m, u);
        for (const Operand& o : m.targets)
          if (o.content == CellContent::plain || !is_unchanged(m, o)) store(t, o, u, value);
      }
      for (const Operand& o : m.targets)
        if (o.content != CellContent::plain && is_unchanged(m, o))
          for (Cell c = o.cells.first; c < o.cells.first + o.cells.count; ++c)
            cells_.read(c, {t, false, true}, [](const Use&) {});
    }
  }

  CellValue sum(const PlanTask& task, const Movement& m, std::uint32_t unit) {
    Term total = Term::nothing;
    bool is_first = true;
    for (const Operand& o : m.sources) {
      const Term term = load(task, o, unit);
      total = is_first                                          ? term
              : term == Term::nothing || total == Term::nothing ? Term::nothing
                                                                : terms_.sum(total, term);
      is_first = false;
    }
    return {total};
  }

  Term load(const PlanTask& task, const Operand& o, std::uint32_t unit) {
    if (o.content == CellContent::plain) {
      const CellValue& value = values_[o.cells.first + unit];
      return value.packet_of == no_call ? value.term : Term::nothing;
    }
    const CellValue &first = values_[o.cells.first + 2 * unit], &second = values_[o.cells.first + 2 * unit + 1];
    const bool is_whole =
        first.packet_of == task.site.call && second.packet_of == task.site.call && first.term == second.term;
    if (is_whole) return first.term;
    if (!findings_.lost_packets) findings_.lost_packets = task.site;
    return Term::nothing;
  }

  void store(std::uint32_t t, const Operand& o, std::uint32_t unit, CellValue value) {
    if (o.content == CellContent::plain) {
      write(t, o.cells.first + unit, o.content);
      values_[o.cells.first + unit] = value;
      return;
    }
    value.packet_of = graph_.tasks[t].site.call;
    for (const Cell c : {o.cells.first + 2 * unit, o.cells.first + 2 * unit + 1}) {
      write(t, c, o.content);
      values_[c] = value;
    }
  }

  /// Threads of a block run through their elements on their own. So what an operation writes it may read only at the
  /// same element, and write only once.
  void find_own_conflict(const PlanTask& task, const std::vector<Movement>& movements) {
    const auto overlap = [](const Operand& a, const Operand& b) {
      return std::max(a.cells.first, b.cells.first) <
             std::min(a.cells.first + a.cells.count, b.cells.first + b.cells.count);
    };
    const auto is_same = [](const Operand& a, const Operand& b) {
      return a.cells.first == b.cells.first && a.content == b.content;
    };
    std::vector<Operand> written;
    for (const Movement& m : movements)
      for (const Operand& target : m.targets) {
        if (target.content == CellContent::packets && is_unchanged(m, target)) continue;
        for (const Operand& other : written)
          if (overlap(target, other)) report_own(task, target.cells.first, true);
        written.push_back(target);
        for (const Movement& n : movements)
          for (const Operand& source : n.sources)
            if (overlap(target, source) && !(&n == &m && is_same(target, source)))
              report_own(task, target.cells.first, false);
      }
  }

  void report_own(const PlanTask& task, Cell cell, bool both_write) {
    if (findings_.races++ == 0) findings_.race = PlanRace{{task, task}, {both_write, true}, cell};
  }

  void read(std::uint32_t t, Cell cell, CellContent content) {
    const PlanTask& task = graph_.tasks[t];
    const bool is_packet = content == CellContent::packets;
    cells_.read(cell, {t, is_packet}, [&](const Use& w) {
      const PlanTask& writer = graph_.tasks[w.task];
      const bool is_awaited = is_packet && w.of_packet && writer.site.call == task.site.call;
      if (w.task != t && !is_awaited) check(writer, task, true, false, cell, false);
    });
    if (is_packet) waiters_[cell] = t;
  }

  void write(std::uint32_t t, Cell cell, CellContent content) {
    const PlanTask& task = graph_.tasks[t];
    const bool is_packet = content != CellContent::plain;
    bool was_awaited = false;
    const auto with_read = [&](const Use& r) {
      was_awaited |= r.of_packet;
      if (r.task == t || clocks_.is_ordered(graph_.tasks[r.task], task)) return;
      if (!r.lands_late && chains_.is_read_before(r.task, t, cell))
        findings_.uses_packet_chains = true;
      else
        check(graph_.tasks[r.task], task, r.lands_late, true, cell, true);
    };
    cells_.write(cell, {t, is_packet}, with_read, [&](const Use& w) {
      const bool follows_its_reader = was_awaited && w.of_packet;
      if (w.task != t && !follows_its_reader)
        check(graph_.tasks[w.task], task, true, true, cell, is_packet && w.of_packet);
    });
    if (!is_packet) holds_plain_[cell] = true;
    if (!plan_.in_place && task.kind == PlanTask::Kind::operation && !findings_.overwritten)
      find_overwritten(task, cell);
  }

  void find_overwritten(const PlanTask& task, Cell cell) {
    const CellRun in = memory_.input(memory_.rank_of(cell));
    if (cell >= in.first && cell < in.first + in.count) findings_.overwritten = task.site;
  }

  /// `is_control`: need the second not see what the first has written?
  void check(const PlanTask& first, const PlanTask& second, bool first_writes, bool second_writes, Cell cell,
             bool is_control) {
    const auto found = [&] {
      return PlanRace{{first, second},
                      {first_writes, second_writes},
                      cell,
                      {clocks_.known(second.begin, first.done.chain), clocks_.known(first.begin, second.done.chain)}};
    };
    if (!clocks_.is_ordered(first, second)) {
      if (findings_.races++ > 0) return;
      findings_.race = found();
      if (is_of_two_operations(*findings_.race) && first_writes && second_writes && is_looser(second, first, cell))
        turn(*findings_.race);
      return;
    }
    const bool is_given = is_control || first.kind == PlanTask::Kind::start;
    if (is_given || clocks_.is_published(first, second)) return;
    auto& relaxed = first.site.call == second.site.call ? findings_.relaxed : findings_.relaxed_between_calls;
    if (!relaxed) relaxed = found();
  }

  static bool is_of_two_operations(const PlanRace& race) {
    return race.tasks[0].kind == PlanTask::Kind::operation && race.tasks[1].kind == PlanTask::Kind::operation;
  }

  static void turn(PlanRace& race) {
    std::swap(race.tasks[0], race.tasks[1]);
    std::swap(race.writes[0], race.writes[1]);
    std::swap(race.known[0], race.known[1]);
  }

  static bool is_of_one_block(const PlanTask& a, const PlanTask& b) {
    return a.site.rank == b.site.rank && a.site.block == b.site.block && a.site.call == b.site.call;
  }

  /// Of two writes that race, is `a` the one to look at? It is of a later call, or less is known of it where the cell
  /// is: nobody there waits for its end, or it doesn't wait for the begin of the call there. Those of one block stay in
  /// its order.
  bool is_looser(const PlanTask& a, const PlanTask& b, Cell cell) const {
    if (is_of_one_block(a, b)) return false;
    if (a.site.call != b.site.call) return a.site.call > b.site.call;
    const auto order = [&](const PlanTask& task) {
      int known = 0;
      for (const PlanTask& user : graph_.tasks) {
        if (user.site.rank != memory_.rank_of(cell) || user.site.call != task.site.call) continue;
        if (user.kind == PlanTask::Kind::end && clocks_.is_ordered(task, user)) known += 2;
        if (user.kind == PlanTask::Kind::start && clocks_.is_ordered(user, task)) known += 1;
      }
      return known;
    };
    const int of_a = order(a), of_b = order(b);
    return of_a != of_b ? of_a < of_b : a.site.operation > b.site.operation;
  }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  const PlanGraph& graph_;
  EventClocks clocks_;
  PacketChains chains_;
  PlanResults results_;
  TermTable terms_;
  PlanFindings findings_;
  std::vector<std::uint32_t> tasks_;  // in order
  std::vector<CellValue> values_;
  CellHistory<Use> cells_;
  std::vector<std::uint32_t> waiters_;   // the last task that waited for a packet in a cell
  std::vector<bool> holds_plain_;        // has anything else than a packet ever been written to it?
  std::vector<std::vector<Term>> sums_;  // by call and unit, on the first rank that ended
};

}  // namespace

PlanFindings run_plan(const ExecutionPlan& plan, const PlanMemory& memory, const PlanGraph& graph,
                      const std::vector<Event>& order, std::int32_t calls) {
  return PlanRun(plan, memory, graph, order, calls).run();
}

}  // namespace onceover::programs
