#include "proofs/routes/routed_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <mutex>

#include "base/parallel.h"
#include "base/stop.h"

namespace onceover::proofs {

namespace {

/// "step 0: rank 1 sends block 2 to rank 3, to be added".
std::string text(const BlockMove& move) {
  const bool stays = move.src == move.dst;
  const std::string there = stays ? "" : fmt::format(" to rank {}", move.dst);
  const std::string into = move.into == move.block ? "" : fmt::format(" into block {}", move.into);
  return fmt::format("step {}: rank {} {} block {}{}{}, to be {}", move.step, move.src, stays ? "moves its" : "sends",
                     move.block, there, into, move.op == Op::reduce ? "added" : "copied");
}

/// The first text of `of_step` that isn't empty, in the order of the steps. Threads share the steps.
std::optional<std::string> first_difference(int steps, int threads, const std::function<std::string(int)>& of_step) {
  const int at_once = std::max(1, steps / (8 * threads));  // steps one after the other often meet places side by side
  std::atomic<int> next = 0, first = INT_MAX;
  std::mutex mutex;
  std::string difference;
  run_workers(threads, [&](int) {
    for (int s = next.fetch_add(at_once); s < steps && first > s; s = next.fetch_add(at_once))
      for (int k = s; k < std::min(steps, s + at_once); ++k) {
        stop_point();
        std::string why = of_step(k);
        if (why.empty()) continue;
        const std::lock_guard lock(mutex);
        if (k > first) continue;
        first = k;
        difference = std::move(why);
      }
  });
  return difference.empty() ? std::nullopt : std::optional(difference);
}

// A step of takings is compared place by place: each transfer that lands somewhere must be what that place takes, no
// place is met twice, and those that none lands in must take nothing.

class TakingComparison {
 public:
  TakingComparison(const Schedule& actual, int step, const Taking& taking)
      : actual_(actual), step_(step), taking_(taking), met_(2 * at(std::int64_t{header().ranks} * header().blocks)) {}

  /// Empty if there is none.
  std::string difference() {
    std::string why;
    actual_.visit_transfers(step_, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some)
        if (why.empty()) why = difference_of(t);
    });
    return why.empty() ? missing() : why;
  }

 private:
  const Header& header() const { return actual_.header(); }
  bool is_rank(Rank r) const { return r >= 0 && r < header().ranks; }
  bool is_block(Block b) const { return b >= 0 && b < header().all_blocks() && b < 2 * header().blocks; }
  bool is_copy(Block b) const { return b >= header().blocks; }

  std::size_t place(Rank x, Block b) const { return at(std::int64_t{x} * 2 * header().blocks + b); }

  std::string difference_of(const Transfer& t) {
    std::string why;
    std::vector<Block> blocks;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      set.list(blocks);
      for (const Block b : blocks)
        if (why.empty()) why = difference_of({step_, t.src, t.dst, b, b + shift, t.op});
    });
    return why;
  }

  std::string difference_of(const BlockMove& move) {
    if (!is_taken(move)) return fmt::format("{}, which the theorem's schedule doesn't", text(move));
    if (char& met = met_[place(move.dst, move.into)]; met == 0) {
      met = 1;
      return {};
    }
    return fmt::format("{} twice, which the theorem's schedule doesn't", text(move));
  }

  bool is_taken(const BlockMove& move) const {
    if (!is_rank(move.src) || !is_rank(move.dst) || !is_block(move.block) || !is_block(move.into)) return false;
    const Block block = move.into % header().blocks;
    const Source source{move.src, is_copy(move.block), move.op};
    return move.block % header().blocks == block && taking_(move.dst, block, is_copy(move.into)) == source;
  }

  std::string missing() const {
    const Block copies = header().blocks;
    for (Rank x = 0; x < header().ranks; ++x)
      for (Block b = 0; b < 2 * copies; ++b) {
        if (met_[place(x, b)] != 0) continue;
        if (const auto source = taking_(x, b % copies, is_copy(b)))
          return fmt::format(
              "{}, in the theorem's schedule only",
              text({step_, source->rank, x, b % copies + (source->is_copy ? copies : 0), b, source->op}));
      }
    return {};
  }

  const Schedule& actual_;
  int step_;
  const Taking& taking_;
  std::vector<char> met_;
};

/// How the steps of `actual` from `first` on differ from `takings`, in a sentence: the first place that takes something
/// else than it should. O(ranks * blocks) time a step; 2 bytes for each rank and block, and thread.
std::optional<std::string> takings_difference(const Schedule& actual, int first, const Takings& takings, int threads) {
  return first_difference(static_cast<int>(takings.steps.size()), threads, [&](int s) {
    return TakingComparison(actual, first + s, takings.steps[at(s)]).difference();
  });
}

/// All hops of routes, a row a rank.
class HopTable {
 public:
  HopTable(const Routes& routes, int threads)
      : blocks_(routes.blocks()), hops_(at(std::int64_t{routes.ranks()} * blocks_)) {
    std::atomic<Rank> next = 0;
    std::atomic<std::uint64_t> count = 0;
    run_workers(threads, [&](int) {
      std::uint64_t found = 0;
      for (Rank x = next++; x < routes.ranks(); x = next++) {
        stop_point();
        const auto row = std::span(hops_).subspan(place(x, 0), at(blocks_));
        routes.fill(x, row);
        for (const Hop hop : row) found += hop.is_never() ? 0 : 1;
      }
      count += found;
    });
    count_ = count;
  }

  std::size_t place(Rank x, Block b) const { return at(std::int64_t{x} * blocks_ + b); }
  Hop operator[](std::size_t place) const { return hops_[place]; }
  std::size_t size() const { return hops_.size(); }
  std::uint64_t count() const { return count_; }
  Rank rank_at(std::size_t place) const { return static_cast<Rank>(place / at(blocks_)); }
  Block block_at(std::size_t place) const { return static_cast<Block>(place % at(blocks_)); }

 private:
  Block blocks_;
  std::vector<Hop> hops_;
  std::uint64_t count_ = 0;  // of those that aren't never
};

/// What rank x does in a phase that begins at step `first`: it sends, or, backwards, it receives.
BlockMove move_of(const Phase& phase, int first, Rank x, Block block, Hop hop) {
  const int step = first + phase.turned(hop.step());
  if (phase.backwards) return {step, hop.to(), x, block, block, phase.op};
  return {step, x, hop.to(), block, block, phase.op};
}

/// Compares the transfers of one phase: each must be that of its place in the table, and each place is met once.
/// Threads share the steps. A place belongs to one step, so no two threads meet the same place.
class PhaseComparison {
 public:
  PhaseComparison(const Schedule& actual, const Phase& phase, int first, const HopTable& table)
      : actual_(actual), phase_(phase), first_(first), table_(table), met_(table.size()) {}

  std::optional<std::string> difference(int threads) {
    auto found = first_difference(phase_.routes->steps(), threads, [&](int s) { return compared(s); });
    return found || count_ == table_.count() ? found : missing();
  }

 private:
  /// The first difference of a step, if there is one.
  std::string compared(int s) {
    std::uint64_t met = 0;
    std::string why;
    std::vector<Block> blocks;
    actual_.visit_transfers(first_ + s, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some) {
        if (!why.empty()) return;
        if (!may_be_here(t)) {
          why = fmt::format("step {}: rank {} sends to rank {} what the theorem's schedule doesn't", first_ + s, t.src,
                            t.dst);
          return;
        }
        t.blocks.list(blocks);
        met += blocks.size();
        if (const auto wrong = unexpected(s, t, blocks)) why = text(s, t, *wrong);
      }
    });
    count_ += met;
    return why;
  }

  bool may_be_here(const Transfer& t) const {
    const Header& h = actual_.header();
    const auto is_rank = [&](Rank r) { return r >= 0 && r < h.ranks; };
    return t.op == phase_.op && is_rank(t.src) && is_rank(t.dst) && t.blocks.inside(h.blocks) && t.landings == nullptr;
  }

  std::size_t row_of(const Transfer& t) const { return table_.place(phase_.backwards ? t.dst : t.src, 0); }
  Hop hop_of(int s, const Transfer& t) const { return {phase_.turned(s), phase_.backwards ? t.src : t.dst}; }

  /// The first of the blocks that the theorem's schedule doesn't send here, or not twice. Another step's place is
  /// another thread's.
  std::optional<Block> unexpected(int s, const Transfer& t, const std::vector<Block>& blocks) {
    const std::size_t row = row_of(t);
    const Hop hop = hop_of(s, t);
    for (const Block b : blocks) {
      if (table_[row + at(b)] != hop || met_[row + at(b)] != 0) return b;
      met_[row + at(b)] = 1;
    }
    return std::nullopt;
  }

  std::string text(int s, const Transfer& t, Block block) const {
    const bool is_here = table_[row_of(t) + at(block)] == hop_of(s, t);
    return fmt::format("{}{}, which the theorem's schedule doesn't",
                       proofs::text({first_ + s, t.src, t.dst, block, block, t.op}), is_here ? " twice" : "");
  }

  std::optional<std::string> missing() const {
    std::size_t place = 0;
    while (met_[place] != 0 || table_[place].is_never()) ++place;
    return fmt::format(
        "{}, in the theorem's schedule only",
        proofs::text(move_of(phase_, first_, table_.rank_at(place), table_.block_at(place), table_[place])));
  }

  const Schedule& actual_;
  const Phase& phase_;
  int first_;
  const HopTable& table_;
  std::vector<char> met_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace

int RoutedSchedule::steps() const {
  int steps = 0;
  for (const Phase& phase : phases) steps += phase.routes->steps();
  return steps + static_cast<int>(takings.steps.size());
}

RoutedSchedule along(Collective collective, RoutesPtr routes) {
  RoutedSchedule schedule{routes->ranks(), routes->blocks()};
  if (is_carried(collective)) {
    schedule.phases.push_back({routes, Op::copy});
    return schedule;
  }
  if (collective != Collective::allgather && collective != Collective::broadcast)
    schedule.phases.push_back({routes, Op::reduce});
  if (collective != Collective::reduce_scatter && collective != Collective::reduce)
    schedule.phases.push_back({.routes = routes, .op = Op::copy, .backwards = true});
  return schedule;
}

RoutedSchedule merged_along(const RoutesPtr& routes) {
  if (routes->steps() == 0) return {routes->ranks(), routes->blocks()};
  const RoutesPtr first = without_last_step(routes);
  return {routes->ranks(),
          routes->blocks(),
          {{first, Op::reduce}, {meeting(routes), Op::reduce}, {.routes = first, .op = Op::copy, .backwards = true}}};
}

namespace {

void visit_takings(const RoutedSchedule& schedule, int step, const std::function<void(const BlockMove&)>& visit) {
  const Block copies = schedule.blocks;
  for (const Taking& taking : schedule.takings.steps) {
    for (Rank x = 0; x < schedule.ranks; ++x)
      for (Block b = 0; b < schedule.blocks; ++b)
        for (const bool to_copy : {false, true})
          if (const auto source = taking(x, b, to_copy))
            visit({step, source->rank, x, source->is_copy ? copies + b : b, to_copy ? copies + b : b, source->op});
    ++step;
  }
}

}  // namespace

void visit_moves(const RoutedSchedule& schedule, const std::function<void(const BlockMove&)>& visit) {
  int first = 0;
  for (const Phase& phase : schedule.phases) {
    const HopTable table(*phase.routes, 1);
    std::vector<std::vector<std::size_t>> of_step(at(phase.routes->steps()));
    for (std::size_t place = 0; place < table.size(); ++place)
      if (!table[place].is_never()) of_step[at(phase.turned(table[place].step()))].push_back(place);
    const auto by_receiver = [&](std::size_t a, std::size_t b) {
      return std::pair(table[a].to(), table.block_at(a)) < std::pair(table[b].to(), table.block_at(b));
    };
    for (std::vector<std::size_t>& places : of_step) {
      if (phase.op == Op::copy && !phase.backwards) std::sort(places.begin(), places.end(), by_receiver);
      for (const std::size_t place : places)
        visit(move_of(phase, first, table.rank_at(place), table.block_at(place), table[place]));
    }
    first += phase.routes->steps();
  }
  visit_takings(schedule, first, visit);
}

std::optional<std::string> difference(const Schedule& actual, const RoutedSchedule& expected, int threads) {
  const Header& h = actual.header();
  if (h.ranks != expected.ranks || h.blocks != expected.blocks || actual.steps() != expected.steps())
    return fmt::format("{} ranks, {} blocks and {} steps; in the theorem's schedule {}, {} and {}", h.ranks, h.blocks,
                       actual.steps(), expected.ranks, expected.blocks, expected.steps());
  if (h.scratch != expected.scratch())
    return fmt::format("{} scratch blocks, in the theorem's schedule {}", h.scratch, expected.scratch());
  std::optional<HopTable> table;
  const Routes* of = nullptr;
  int first = 0;
  for (const Phase& phase : expected.phases) {
    if (phase.routes.get() != of) table.emplace(*phase.routes, threads);
    of = phase.routes.get();
    if (auto found = PhaseComparison(actual, phase, first, *table).difference(threads)) return found;
    first += phase.routes->steps();
  }
  return takings_difference(actual, first, expected.takings, threads);
}

bool is_too_large_to_compare(const Schedule& schedule) {
  const Header& h = schedule.header();
  const std::uint64_t results = static_cast<std::uint64_t>(h.ranks) * static_cast<std::uint64_t>(h.blocks);
  return h.ranks > most_compared_ranks || schedule.block_transfers() + results > most_compared;
}

}  // namespace onceover::proofs
