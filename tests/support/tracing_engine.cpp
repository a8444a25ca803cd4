#include "tracing_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reference_engine.h"

namespace onceover::support::reference {

namespace {

using State = std::vector<std::map<Block, Traced>>;

bool is_run(const std::set<Rank>& ranks) {
  return *ranks.rbegin() - *ranks.begin() + 1 == static_cast<Rank>(ranks.size());
}

bool are_neighbours(const std::set<Rank>& a, const std::set<Rank>& b) {
  return is_run(a) && is_run(b) && (*a.rbegin() + 1 == *b.begin() || *b.rbegin() + 1 == *a.begin());
}

Traced sum(const Traced& held, const Traced& arriving) {
  Traced s = held;
  s.sum = fmt::format("({}+{})", std::min(held.sum, arriving.sum), std::max(held.sum, arriving.sum));
  s.in_order = held.in_order && arriving.in_order && are_neighbours(held.ranks, arriving.ranks);
  s.ranks.insert(arriving.ranks.begin(), arriving.ranks.end());
  s.transfers.insert(arriving.transfers.begin(), arriving.transfers.end());
  return s;
}

State start(const Header& h) {
  State state(static_cast<std::size_t>(h.ranks));
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.blocks; ++b)
      if (wanted(h, r, b) == 1) {
        const std::string x = fmt::format("x{}.{}", r, b);
        state[static_cast<std::size_t>(r)][b] = {x, {r}, true, {}};
      }
  return state;
}

/// Every block of every transfer of every step, in order.
struct Event {
  int step;
  Rank src, dst;
  Block block;
  Block into;
  Op op;
};

std::vector<Event> events_of(const Schedule& schedule) {
  std::vector<Event> events;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        for (Block b = 0; b < schedule.header().all_blocks(); ++b)
          if (set.contains(b)) events.push_back({step, t.src, t.dst, b, b + shift, t.op});
      });
  }
  return events;
}

bool is_foreign(const Header& h, Rank rank, Block block) {
  if (block >= h.blocks) return true;
  if (h.collective == Collective::allreduce) return h.owner(block) != rank;
  const bool everyone_begins = wanted(h, 0, block) == 1 && (h.ranks == 1 || wanted(h, 1, block) == 1);
  if (!everyone_begins && wanted(h, rank, block) == 1) return false;
  bool everyone_ends = true;
  for (Rank r = 0; r < h.ranks; ++r) everyone_ends = everyone_ends && must_hold(h, r, block);
  return everyone_ends || !must_hold(h, rank, block);
}

/// Does the rank, after the step, hold something of the block that came and that it will send, before a copy replaces
/// it?
bool is_staged(const std::vector<Event>& events, Rank rank, Block block, int step) {
  int copied = -1;          // the last copy until the step
  int next_copy = 1 << 30;  // the first one after it
  for (const Event& e : events)
    if (e.into == block && e.dst == rank && e.op == Op::copy)
      (e.step <= step ? copied : next_copy) = e.step <= step ? e.step : std::min(next_copy, e.step);
  bool came = copied >= 0;
  bool goes = false;
  for (const Event& e : events) {
    came = came || (e.into == block && e.dst == rank && e.step <= step);
    goes = goes || (e.block == block && e.src == rank && e.step > step && e.step <= next_copy);
  }
  return came && goes;
}

}  // namespace

Traces trace(const Schedule& schedule) {
  const Header& h = schedule.header();
  const std::vector<Event> events = events_of(schedule);
  Traces traces;
  State state = start(h);
  for (std::size_t begin = 0, end = 0; begin < events.size(); begin = end) {
    const State before = state;
    for (; end < events.size() && events[end].step == events[begin].step; ++end) {
      const Event& e = events[end];
      const int id = traces.block_transfers++;
      Traced sent = before[static_cast<std::size_t>(e.src)].at(e.block);
      const auto& receiver = before[static_cast<std::size_t>(e.dst)];
      const auto had = receiver.find(e.into);
      if (had != receiver.end() && had->second.sum == sent.sum) {
        ++traces.known;
        if (e.op == Op::copy) continue;  // nothing changes
      } else {
        traces.unknown.insert(id);
      }
      sent.transfers.insert(id);
      auto& held = state[static_cast<std::size_t>(e.dst)];
      held[e.into] = e.op == Op::copy ? sent : sum(held.at(e.into), sent);
    }
  }
  traces.results.resize(static_cast<std::size_t>(h.ranks));
  for (Rank r = 0; r < h.ranks; ++r)
    for (const auto& [block, value] : state[static_cast<std::size_t>(r)])
      if (block < h.blocks && must_hold(h, r, block)) traces.results[static_cast<std::size_t>(r)][block] = value;
  for (Rank r = 0; r < h.ranks; ++r)
    for (int step = 0; step < schedule.steps(); ++step) {
      std::uint64_t staged = 0;
      for (Block b = 0; b < h.all_blocks(); ++b)
        if (is_foreign(h, r, b) && is_staged(events, r, b, step)) ++staged;
      traces.staged = std::max(traces.staged, staged);
    }
  return traces;
}

namespace {

/// A block lies in a rank's buffer for another rank: it came from there, or is a sum that goes there.
struct Use {
  bool is_sum;
  Rank rank, peer;
  int since, until;

  int message() const { return is_sum ? until : since; }
};

/// What becomes of the block on the rank from step `begin` on, until a copy replaces it at `end`.
std::optional<Use> use_between(const std::vector<Event>& events, Rank rank, Block block, int begin, int end) {
  Use use{false, rank, -1, -1, -1};
  Rank from = -1, to = -1;
  for (const Event& e : events) {
    if (e.into != block || e.dst != rank || e.step < begin || e.step >= end) continue;
    if (use.since < 0) use.since = e.step, from = e.src;
    use.is_sum = use.is_sum || e.op == Op::reduce;
  }
  for (const Event& e : events) {
    if (use.since < 0 || e.block != block || e.src != rank || e.step <= use.since || e.step > end) continue;
    to = e.step == use.until ? std::min(to, e.dst) : e.dst;
    use.until = e.step;
  }
  use.peer = use.is_sum ? to : from;
  return use.until > use.since && use.peer != rank ? std::optional(use) : std::nullopt;
}

std::vector<Use> uses_of(const Schedule& schedule) {
  const Header& h = schedule.header();
  const std::vector<Event> events = events_of(schedule);
  std::vector<Use> uses;
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.all_blocks(); ++b) {
      if (!is_foreign(h, r, b)) continue;
      std::set<int> bounds{0, schedule.steps()};
      for (const Event& e : events)
        if (e.into == b && e.dst == r && e.op == Op::copy) bounds.insert(e.step);
      for (auto begin = bounds.begin(); std::next(begin) != bounds.end(); ++begin)
        if (const auto use = use_between(events, r, b, *begin, *std::next(begin))) uses.push_back(*use);
    }
  return uses;
}

}  // namespace

bool reuses_full_buffers(const Schedule& schedule) {
  const std::vector<Use> uses = uses_of(schedule);
  for (const Use& a : uses)
    for (const Use& b : uses)
      if (a.is_sum == b.is_sum && a.rank == b.rank && a.peer == b.peer && a.message() != b.message() &&
          a.since <= b.until && b.since <= a.until)
        return true;
  return false;
}

bool is_order_preserving(const Traces& traces) {
  for (const auto& blocks : traces.results)
    for (const auto& [block, value] : blocks)
      if (!value.in_order) return false;
  return true;
}

std::size_t most_different_sums(const Traces& traces, Block blocks) {
  std::size_t most = 0;
  for (Block b = 0; b < blocks; ++b) {
    std::set<std::string> sums;
    for (const auto& results : traces.results)
      if (const auto found = results.find(b); found != results.end()) sums.insert(found->second.sum);
    most = std::max(most, sums.size());
  }
  return most;
}

int redundant_transfers(const Traces& traces) {
  std::set<int> used;
  for (const auto& blocks : traces.results)
    for (const auto& [block, value] : blocks) used.insert(value.transfers.begin(), value.transfers.end());
  int redundant = traces.known;
  for (const int id : traces.unknown) redundant += used.count(id) == 0 ? 1 : 0;
  return redundant;
}

}  // namespace onceover::support::reference
