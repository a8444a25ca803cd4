#include "proofs/routes/routed_schedule.h"

#include <fmt/format.h>

#include "base/stop.h"

namespace onceover::proofs {

namespace {

std::string text(const BlockMove& move) {
  return fmt::format("step {}: rank {} sends block {} to rank {}, {}", move.step, move.src, move.block, move.dst,
                     move.op == Op::reduce ? "to be added" : "to be copied");
}

/// All hops of routes, a row a rank.
class HopTable {
 public:
  explicit HopTable(const Routes& routes)
      : blocks_(routes.blocks()), hops_(at(std::int64_t{routes.ranks()} * blocks_)) {
    for (Rank x = 0; x < routes.ranks(); ++x) {
      stop_point();
      const auto row = std::span(hops_).subspan(place(x, 0), at(blocks_));
      routes.fill(x, row);
      for (const Hop hop : row) count_ += hop.is_never() ? 0 : 1;
    }
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
  if (phase.op == Op::reduce) return {step, x, hop.to(), block, Op::reduce};
  return {step, hop.to(), x, block, Op::copy};
}

/// Compares the transfers of one phase: each must be that of its place in the table, and each place is met once.
class PhaseComparison {
 public:
  PhaseComparison(const Schedule& actual, const Phase& phase, int first, const HopTable& table)
      : actual_(actual), phase_(phase), first_(first), table_(table), met_(table.size()) {}

  std::optional<std::string> difference() {
    for (int s = 0; s < phase_.routes->steps() && !found_; ++s) {
      stop_point();
      actual_.visit_transfers(first_ + s, [&](std::span<const Transfer> some) {
        for (const Transfer& t : some)
          if (!found_) compare(s, t);
      });
    }
    if (!found_ && count_ != table_.count()) found_ = missing();
    return found_;
  }

 private:
  void compare(int s, const Transfer& t) {
    const bool forwards = phase_.op == Op::reduce;
    const Rank x = forwards ? t.src : t.dst;
    const Rank other = forwards ? t.dst : t.src;
    const Hop expected(phase_.turned(s), other);
    const bool is_inside = x >= 0 && x < actual_.header().ranks && t.blocks.inside(actual_.header().blocks);
    if (!is_inside || t.op != phase_.op) {
      found_ = fmt::format("step {}: rank {} sends to rank {} what the theorem's schedule doesn't", first_ + s, t.src,
                           t.dst);
      return;
    }
    t.blocks.for_each_run([&](Run run) {
      for (Block b = run.first; b <= run.last; ++b) {
        const std::size_t place = table_.place(x, b);
        if (table_[place] != expected || met_[place] != 0)
          return tell_first({first_ + s, t.src, t.dst, b, t.op}, met_[place] != 0 ? "twice" : "");
        met_[place] = 1;
        ++count_;
      }
    });
  }

  void tell_first(const BlockMove& move, std::string_view how_often) {
    if (!found_)
      found_ = fmt::format("{}{}{}, which the theorem's schedule doesn't", text(move), how_often.empty() ? "" : " ",
                           how_often);
  }

  std::string missing() const {
    std::size_t place = 0;
    while (met_[place] != 0 || table_[place].is_never()) ++place;
    return fmt::format("{}, in the theorem's schedule only",
                       text(move_of(phase_, first_, table_.rank_at(place), table_.block_at(place), table_[place])));
  }

  const Schedule& actual_;
  const Phase& phase_;
  int first_;
  const HopTable& table_;
  std::vector<char> met_;
  std::uint64_t count_ = 0;
  std::optional<std::string> found_;
};

}  // namespace

int RoutedSchedule::steps() const {
  int steps = 0;
  for (const Phase& phase : phases) steps += phase.routes->steps();
  return steps;
}

RoutedSchedule along(Collective collective, RoutesPtr routes) {
  RoutedSchedule schedule{routes->ranks(), routes->blocks()};
  if (collective != Collective::allgather && collective != Collective::broadcast)
    schedule.phases.push_back({routes, Op::reduce});
  if (collective != Collective::reduce_scatter && collective != Collective::reduce)
    schedule.phases.push_back({routes, Op::copy});
  return schedule;
}

void visit_moves(const RoutedSchedule& schedule, const std::function<void(const BlockMove&)>& visit) {
  int first = 0;
  for (const Phase& phase : schedule.phases) {
    const HopTable table(*phase.routes);
    std::vector<std::vector<std::size_t>> of_step(at(phase.routes->steps()));
    for (std::size_t place = 0; place < table.size(); ++place)
      if (!table[place].is_never()) of_step[at(phase.turned(table[place].step()))].push_back(place);
    for (const std::vector<std::size_t>& places : of_step)
      for (const std::size_t place : places)
        visit(move_of(phase, first, table.rank_at(place), table.block_at(place), table[place]));
    first += phase.routes->steps();
  }
}

std::optional<std::string> difference(const Schedule& actual, const RoutedSchedule& expected) {
  const Header& h = actual.header();
  if (h.ranks != expected.ranks || h.blocks != expected.blocks || actual.steps() != expected.steps())
    return fmt::format("{} ranks, {} blocks and {} steps; in the theorem's schedule {}, {} and {}", h.ranks, h.blocks,
                       actual.steps(), expected.ranks, expected.blocks, expected.steps());
  std::optional<HopTable> table;
  const Routes* of = nullptr;
  int first = 0;
  for (const Phase& phase : expected.phases) {
    if (phase.routes.get() != of) table.emplace(*phase.routes);
    of = phase.routes.get();
    if (auto found = PhaseComparison(actual, phase, first, *table).difference()) return found;
    first += phase.routes->steps();
  }
  return std::nullopt;
}

bool is_too_large_to_compare(const Schedule& schedule) {
  const Header& h = schedule.header();
  const std::uint64_t results = static_cast<std::uint64_t>(h.ranks) * static_cast<std::uint64_t>(h.blocks);
  return h.ranks > most_compared_ranks || schedule.block_transfers() + results > most_compared;
}

}  // namespace onceover::proofs
