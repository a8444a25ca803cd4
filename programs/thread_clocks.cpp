#include "programs/thread_clocks.h"

#include "base/rows.h"

namespace onceover::programs {

namespace {

constexpr std::uint64_t most_thread_clocks = std::uint64_t{1} << 25;  // rows * threads of a rank

}  // namespace

ThreadMarks::ThreadMarks(const Program& program)
    : are_middles_ends_(program.guarantees.stores_before_sending && program.guarantees.reads_before_end),
      ranks_(static_cast<std::size_t>(program.ranks)),
      threads_(program.operations.size()),
      positions_(program.operations.size()) {
  number_threads(program);
  number_early_reads(program);
}

void ThreadMarks::number_threads(const Program& program) {
  const auto& operations = program.operations;
  std::vector<bool> waits_for_last(operations.size(), program.threads_are_ordered);
  for (const Dependency& order : program.dependencies)
    if (order.before + 1 == order.after && !order.on_start)
      waits_for_last[static_cast<std::size_t>(order.after)] = true;
  for (std::size_t o = 0; o < operations.size(); ++o) {
    const bool goes_on = o > 0 && operations[o].rank == operations[o - 1].rank &&
                         operations[o].thread == operations[o - 1].thread && waits_for_last[o];
    RankThreads& rank = ranks_[static_cast<std::size_t>(operations[o].rank)];
    if (rank.end == 0) rank.begin = static_cast<OperationId>(o);
    rank.end = static_cast<OperationId>(o) + 1;
    threads_[o] = goes_on ? threads_[o - 1] : rank.chains++;
    positions_[o] = goes_on ? positions_[o - 1] + 1 : 0;
  }
}

/// Each early read waits for the one before it in its thread, because all threads of a block begin a send together.
void ThreadMarks::number_early_reads(const Program& program) {
  early_.assign(program.operations.size(), {0, 0});
  for (std::size_t o = 0; o < early_.size(); ++o) {
    if (!ends_early(program, static_cast<OperationId>(o))) continue;
    std::size_t last = o;
    while (last > 0 && positions_[last] > 0 && early_[last].value == 0) --last;
    early_[o] = early_[last].value > 0
                    ? ChainMark{early_[last].chain, early_[last].value + 1}
                    : ChainMark{ranks_[static_cast<std::size_t>(program.operations[o].rank)].chains++, 1};
  }
}

ChainMark ThreadMarks::at(Event event) const {
  const auto o = static_cast<std::size_t>(operation_of(event));
  const bool is_middle = event == middle_of(operation_of(event));
  if (is_middle && early_[o].value > 0) return early_[o];
  return {threads_[o], 2 * positions_[o] + (is_middle && !are_middles_ends_ ? 1 : 2)};
}

std::optional<ThreadClocks> ThreadClocks::of(const ThreadMarks& marks, Rank rank, Event first, Event count,
                                             const std::vector<Edge>& edges, const std::vector<Event>& order,
                                             const std::vector<Event>& kept) {
  const auto shifted = [first](Event event) { return event - first; };
  EventGraph graph{.events = count, .edges = edges, .chains = marks.chains(rank)};
  for (Edge& e : graph.edges) e.before -= first, e.after -= first;
  for (OperationId id = marks.begin(rank); id < marks.end(rank); ++id)
    for (const Event event : {middle_of(id), end_of(id)}) graph.steps.push_back({event - first, marks.at(event)});
  const std::vector<Event> places = mapped(order, shifted), asked = mapped(kept, shifted);
  if (std::uint64_t{ClockTable::rows_needed(graph, places, true, asked)} * graph.chains > most_thread_clocks)
    return std::nullopt;
  return ThreadClocks(first, EventClocks(graph, places, asked));
}

ClockMaker::ClockMaker(const Program& program, const std::vector<Edge>& edges, const std::vector<Event>& order)
    : edges_(edges), order_(order), marks_(program), homes_(static_cast<std::size_t>(program.ranks)) {
  const auto rank_of = [&](Event event) { return static_cast<std::size_t>(at(program, operation_of(event)).rank); };
  for (const Event event : order) homes_[rank_of(event)].order.push_back(event);
  for (const Edge& e : edges)
    if (const std::size_t rank = rank_of(e.before); rank == rank_of(e.after)) homes_[rank].edges.push_back(e);
}

std::optional<ThreadClocks> ClockMaker::at_home(Rank rank, const std::vector<Event>& kept) const {
  const OperationId first = marks_.begin(rank);
  const Home& home = homes_[static_cast<std::size_t>(rank)];
  return ThreadClocks::of(marks_, rank, begin_of(first), begin_of(marks_.end(rank) - first), home.edges, home.order,
                          kept);
}

std::optional<ThreadClocks> ClockMaker::everywhere(Rank rank, const std::vector<Event>& kept) const {
  return ThreadClocks::of(marks_, rank, 0, static_cast<Event>(order_.size()), edges_, order_, kept);
}

}  // namespace onceover::programs
