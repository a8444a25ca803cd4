// Is there an order of the messages within steps in which an operator that doesn't commute is safe?
//
// The ranks that a sum holds after a step don't depend on the order within the step. So if they aren't a run of
// neighbours, no order helps: a gap. If they are, the search looks for an order within the step, for each rank: the
// first in which all its sums grow from run to run, for all blocks at once, because a message carries many.
//
// Example: rank 1 holds its own contribution and receives those of 3 and 2. With 3 first the sum is {1, 3}, which isn't
// a run; with 2 first it is {1, 2}, then {1, 2, 3}.
//
// Orders of up to 6 messages are tried, at most 720; more messages keep their order. The verifier judges the resulting
// schedule. Sets are words of 64 bits, so there may be at most 64 ranks. Memory: O(ranks * blocks).

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "papers/evidence.h"
#include "papers/searches.h"
#include "schedules/listed_schedule.h"
#include "verifier/replay.h"
#include "verifier/term_judgement.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

using Ranks = std::uint64_t;  // a set of them

bool is_run(Ranks ranks) {
  const Ranks shifted = ranks >> std::countr_zero(ranks);
  return (shifted & (shifted + 1)) == 0;
}

std::string text(Ranks ranks) {
  std::vector<Rank> list;
  for (Rank r = 0; r < 64; ++r)
    if ((ranks >> r & 1) != 0) list.push_back(r);
  return fmt::format("{}", fmt::join(list, ", "));
}

/// A block on a rank: whose contributions it has, and the first gap in the sums that made it.
struct Held {
  Ranks ranks = 0;
  int gap = -1;
};

/// Executes a schedule on sets of ranks, and looks for an order of what reaches each rank in each step.
class Orders {
 public:
  explicit Orders(const Schedule& schedule) : schedule_(schedule), header_(schedule.header()) {
    const Holders begins = contract(header_.collective).begins;
    for (Rank r = 0; r < header_.ranks; ++r) {
      now_.emplace_back(static_cast<std::size_t>(header_.blocks));
      for (Block b = 0; b < header_.blocks; ++b)
        if (header_.holds(begins, r, b)) held(now_, r, b) = {Ranks{1} << r};
    }
  }

  BestOrder find() {
    for (int step = 0; step < schedule_.steps(); ++step) execute(step);
    const Holders ends = contract(header_.collective).ends;
    for (Rank r = 0; r < header_.ranks; ++r)
      for (Block b = 0; b < header_.blocks; ++b)
        if (const int gap = held(now_, r, b).gap; gap >= 0 && header_.holds(ends, r, b))
          return {.gap = gaps_[static_cast<std::size_t>(gap)]};
    return {.schedule = std::make_shared<ListedSchedule>(header_, std::move(ordered_))};
  }

 private:
  using State = std::vector<std::vector<Held>>;  // by rank and block

  static Held& held(State& state, Rank rank, Block block) {
    return state[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
  }

  void execute(int step) {
    std::vector<Transfer> transfers;
    schedule_.transfers(step, transfers);
    std::map<Rank, std::vector<Transfer>> arriving;
    for (const Transfer& t : transfers) arriving[t.dst].push_back(t);
    ordered_.begin_step();
    before_ = now_;
    for (auto& [dst, messages] : arriving) {
      for (const Transfer& t : messages) receive(t);
      note_gaps(step, dst);
      put_in_order(messages);
      for (const Transfer& t : messages) write_down(t);
    }
  }

  void receive(const Transfer& t) {
    t.blocks.for_each_block({0, header_.blocks}, [&](Block b) {
      const Held& sent = held(before_, t.src, b);
      Held& here = held(now_, t.dst, b);
      if (t.op == Op::copy) here = {};
      here.ranks |= sent.ranks;
      if (here.gap < 0) here.gap = sent.gap;
    });
  }

  void note_gaps(int step, Rank dst) {
    for (Block b = 0; b < header_.blocks; ++b) {
      Held& here = held(now_, dst, b);
      if (here.gap >= 0 || here.ranks == 0 || is_run(here.ranks)) continue;
      here.gap = static_cast<int>(gaps_.size());
      gaps_.push_back(
          fmt::format("whatever the order within the steps, rank {} has of block {} the sum of ranks {} "
                      "after step {}",
                      dst, b, text(here.ranks), step));
    }
  }

  /// Puts the messages in the first order in which all sums without a gap grow from run to run. They keep their order
  /// if there is none for all blocks.
  void put_in_order(std::vector<Transfer>& messages) {
    const std::vector<Transfer> given = messages;
    std::vector<std::size_t> order(given.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (!grow_as_runs(messages)) {
      if (order.size() > 6 || !std::next_permutation(order.begin(), order.end())) {
        messages = given;
        return;
      }
      for (std::size_t k = 0; k < order.size(); ++k) messages[k] = given[order[k]];
    }
  }

  bool grow_as_runs(const std::vector<Transfer>& messages) {
    std::map<Block, Ranks> sums;
    bool do_all = true;
    for (const Transfer& t : messages)
      t.blocks.for_each_block({0, header_.blocks}, [&](Block b) {
        if (held(now_, t.dst, b).gap >= 0) return;
        Ranks& sum = sums.try_emplace(b, t.op == Op::copy ? 0 : held(before_, t.dst, b).ranks).first->second;
        sum |= held(before_, t.src, b).ranks;
        do_all = do_all && is_run(sum);
      });
    return do_all;
  }

  void write_down(const Transfer& t) {
    std::vector<Run> runs;
    t.blocks.for_each_block({0, header_.blocks}, [&](Block b) {
      if (runs.empty() || runs.back().last + 1 != b) runs.push_back({b, b});
      runs.back().last = b;
    });
    ordered_.add(t.src, t.dst, runs, t.op, t.lane);
  }

  const Schedule& schedule_;
  const Header& header_;
  State before_;
  State now_;
  std::vector<std::string> gaps_;
  ListedSchedule::Builder ordered_;
};

bool is_order_preserving(const Schedule& schedule) {
  const Report report = verify(schedule, {.required = {"order-preserving"}});
  return report.verdict == Verdict::pass;
}

bool has_layout(const Request& request) {
  const SchedulePtr schedule = find_algorithm("swing")->make(request);
  return verify(*schedule, {.required = {"contiguous"}}).verdict == Verdict::pass;
}

SchedulePtr swing(std::string_view row, Rank p) {
  return find_algorithm(row)->make(on_line(Collective::allreduce, p));
}

ClaimFinding refuted(std::string where, std::string why) {
  return {.refutation = Refutation{std::move(where), std::move(why)}};
}

}  // namespace

BestOrder best_order(const Schedule& schedule) {
  if (schedule.header().ranks > 64) throw std::logic_error("more than 64 ranks");
  return Orders(schedule).find();
}

namespace {

/// For p = 2..40, some order within the steps makes Swing order-preserving only for 2, 3 and 4.
ClaimFinding order_for_2_to_4_alone() {
  for (Rank p = 2; p <= 40; ++p) {
    const BestOrder best = best_order(*swing("swing", p));
    if (best.schedule != nullptr && !is_order_preserving(*best.schedule))
      return {.unknown = fmt::format("p = {}: no order serves all blocks", p)};
    if ((best.schedule != nullptr) != (p <= 4))
      return refuted(fmt::format("p = {}", p), best.schedule ? "some order does" : best.gap);
  }
  return {};
}

/// Latency-optimal Swing ends with p/4 different sums of a block for p = 8, 16, .., 256.
ClaimFinding p_over_4_sums() {
  for (Rank p = 8; p <= 256; p *= 2) {
    const SchedulePtr schedule = swing("swing-latency", p);
    Replay replay(schedule->header());
    std::vector<Term> sums;
    schedule->traces({0, 1}, [&](Block block, const Trace& trace) {
      replay.run(block, trace);
      for (Rank r = 0; r < p; ++r) sums.push_back(replay.value(r));
    });
    const auto found = disagreement(sums);
    const std::uint64_t distinct = found ? found->distinct : 1;
    if (distinct != static_cast<std::uint64_t>(p) / 4)
      return refuted(fmt::format("p = {}", p), fmt::format("there are {} different sums", distinct));
  }
  return {};
}

ClaimFinding no_layout_on_6x6() {
  return has_layout({Collective::allreduce, {6, 6}}) ? refuted("torus 6x6", "there is a layout") : ClaimFinding{};
}

/// A layout in which all messages of Swing are contiguous exists for p = 2^a, 3 * 2^a and one more than these.
ClaimFinding layouts() {
  for (Rank p = 2; p <= 130; ++p) {
    const auto even = static_cast<std::uint32_t>(p - p % 2);
    const bool is_said = std::has_single_bit(even) || (even % 3 == 0 && std::has_single_bit(even / 3));
    if (has_layout(on_line(Collective::allreduce, p)) != is_said)
      return refuted(fmt::format("p = {}", p), is_said ? "there is no layout" : "there is a layout");
  }
  return {};
}

}  // namespace

/// Orders of sums.
std::vector<NamedEvidence> swing_orders() {
  return {
      {"swing-order-for-2-to-4-alone", search("p = 2..40, all orders within the steps", order_for_2_to_4_alone)},
      {"swing-layouts", search("p = 2..130", layouts)},
      {"swing-no-layout-on-6x6", search("torus 6x6", no_layout_on_6x6)},
      {"swing-p-over-4-sums", search("p = 2^3..2^8", p_over_4_sums)},
  };
}

}  // namespace onceover::papers
