// Events are visited in order. Each has a row of the table: that of its only predecessor, if nothing happens at it, or
// a row of its own. A row is free again when all events that have it were used by their successors, unless one is kept.

#include "programs/event_clocks.h"

#include <algorithm>
#include <span>

namespace onceover::programs {

namespace {

constexpr std::uint64_t most_clock_entries = std::uint64_t{1} << 27;
constexpr std::uint64_t most_clock_work = std::uint64_t{1} << 33;  // edges * chains
constexpr std::uint32_t no_row = UINT32_MAX;

bool has_relaxed(const EventGraph& graph) {
  return std::any_of(graph.edges.begin(), graph.edges.end(), [](const Edge& e) { return e.why == Why::relaxed; });
}

/// Says which row each event gets, in order, and which rows it is made of.
class RowPlanner {
 public:
  RowPlanner(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
             const std::vector<Event>& kept)
      : order_(order), begin_(std::size_t{graph.events} + 1, 0), step_begin_(std::size_t{graph.events} + 1, 0) {
    const auto counts = [&](const Edge& e) {
      return e.why != Why::some_run && (with_relaxed || e.why != Why::relaxed);
    };
    uses_.assign(graph.events, 0);
    for (const Edge& e : graph.edges)
      if (counts(e)) ++begin_[e.after + 1], ++uses_[e.before];
    for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    before_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (const Edge& e : graph.edges)
      if (counts(e)) before_[next[e.after]++] = e.before;
    sort_steps(graph);
    for (const Event event : kept) ++uses_[event];
  }

  /// Calls make(event, row, predecessors, is_shared) for each event in order. Returns how many rows there are.
  template <class Make>
  std::size_t run(std::vector<std::uint32_t>& row_of, Make&& make) {
    row_of.assign(begin_.size() - 1, no_row);
    std::vector<std::uint32_t> owners;  // of each row: the events that have it and are still used
    std::vector<std::uint32_t> free;
    const auto release = [&](Event e) {
      if (--uses_[e] == 0 && --owners[row_of[e]] == 0) free.push_back(row_of[e]);
    };
    for (const Event e : order_) {
      const std::span<const Event> before(before_.data() + begin_[e], begin_[e + 1] - begin_[e]);
      const bool shares = before.size() == 1 && step_begin_[e] == step_begin_[e + 1];
      if (shares) {
        row_of[e] = row_of[before[0]];
      } else if (free.empty()) {
        row_of[e] = static_cast<std::uint32_t>(owners.size());
        owners.push_back(0);
      } else {
        row_of[e] = free.back();
        free.pop_back();
      }
      ++owners[row_of[e]];
      ++uses_[e];  // by itself, until it is made
      make(e, before, shares);
      for (const Event b : before) release(b);
      release(e);
    }
    return owners.size();
  }

  std::span<const ChainMark> steps(Event e) const {
    return {marks_.data() + step_begin_[e], step_begin_[e + 1] - step_begin_[e]};
  }

 private:
  void sort_steps(const EventGraph& graph) {
    for (const ChainStep& step : graph.steps) ++step_begin_[step.event + 1];
    for (std::size_t k = 1; k < step_begin_.size(); ++k) step_begin_[k] += step_begin_[k - 1];
    marks_.resize(graph.steps.size());
    std::vector<std::size_t> next(step_begin_.begin(), step_begin_.end() - 1);
    for (const ChainStep& step : graph.steps) marks_[next[step.event]++] = step.mark;
  }

  const std::vector<Event>& order_;
  std::vector<std::size_t> begin_;  // by event, into before_
  std::vector<Event> before_;
  std::vector<std::size_t> step_begin_;  // by event, into marks_
  std::vector<ChainMark> marks_;
  std::vector<std::uint32_t> uses_;  // by event: its successors to come, and what may be asked
};

}  // namespace

ClockTable::ClockTable(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
                       const std::vector<Event>& kept)
    : chains_(graph.chains) {
  rows_.resize(rows_needed(graph, order, with_relaxed, kept) * chains_);
  RowPlanner planner(graph, order, with_relaxed, kept);
  planner.run(row_of_, [&](Event e, std::span<const Event> before, bool shares) {
    if (shares) return;
    // The row may have been another event's, but none of those before: they are still used.
    std::uint32_t* const clock = &rows_[std::size_t{row_of_[e]} * chains_];
    if (before.empty()) std::fill_n(clock, chains_, 0);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const std::uint32_t* const theirs = at(before[k]);
      const auto has_same = [&](Event b) { return row_of_[b] == row_of_[before[k]]; };
      if (k == 0)
        std::copy_n(theirs, chains_, clock);
      else if (std::none_of(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(k), has_same))
        for (std::size_t c = 0; c < chains_; ++c) clock[c] = std::max(clock[c], theirs[c]);
    }
    for (const ChainMark& mark : planner.steps(e)) clock[mark.chain] = std::max(clock[mark.chain], mark.value);
  });
}

std::size_t ClockTable::rows_needed(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
                                    const std::vector<Event>& kept) {
  std::vector<std::uint32_t> rows;
  return RowPlanner(graph, order, with_relaxed, kept).run(rows, [](Event, std::span<const Event>, bool) {});
}

EventClocks::EventClocks(const EventGraph& graph, const std::vector<Event>& order, const std::vector<Event>& kept)
    : all_(graph, order, true, kept) {
  if (has_relaxed(graph)) publishing_.emplace(graph, order, false, kept);
}

bool EventClocks::are_too_large(const EventGraph& graph, const std::vector<Event>& order,
                                const std::vector<Event>& kept) {
  std::size_t rows = ClockTable::rows_needed(graph, order, true, kept);
  if (has_relaxed(graph)) rows += ClockTable::rows_needed(graph, order, false, kept);
  return std::uint64_t{rows} * graph.chains > most_clock_entries ||
         std::uint64_t{graph.edges.size()} * graph.chains > most_clock_work;
}

}  // namespace onceover::programs
