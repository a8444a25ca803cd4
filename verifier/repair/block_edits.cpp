#include "verifier/repair/block_edits.h"

#include <algorithm>
#include <random>

#include "base/stop.h"
#include "schedules/listed_schedule.h"

namespace onceover::verifier {

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a >= b ? a - b : a + prime - b;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<__uint128_t>(a) * b;
  return plus(static_cast<std::uint64_t>(product & prime), static_cast<std::uint64_t>(product >> 61));
}

/// a^(prime - 2), by Fermat's little theorem.
std::uint64_t inverse(std::uint64_t a) {
  std::uint64_t power = 1;
  for (std::uint64_t left = prime - 2; left > 0; left >>= 1, a = times(a, a))
    if ((left & 1) != 0) power = times(power, a);
  return power;
}

Header repaired(Header header) {
  if (!header.algorithm.empty()) header.algorithm += ", repaired";
  return header;
}

std::vector<Run> runs_of(const BlockSet& set) {
  std::vector<Run> runs;
  set.for_each_run([&](Run run) { runs.push_back(run); });
  return runs;
}

/// A transfer whose blocks are being changed.
struct Message {
  Rank src;
  Rank dst;
  Op op;
  int lane;
  std::vector<Block> blocks;

  explicit Message(const Transfer& t) : src(t.src), dst(t.dst), op(t.op), lane(t.lane) { t.blocks.list(blocks); }
  Message(const Move& m, Block block) : src(m.src), dst(m.dst), op(m.op), lane(0), blocks{block} {}

  bool carries(const Move& m) const { return src == m.src && dst == m.dst && op == m.op; }
  bool has(Block block) const { return std::find(blocks.begin(), blocks.end(), block) != blocks.end(); }
};

void apply(const BlockEdit& edit, int step, std::vector<Message>& messages) {
  const auto message_for = [&](const Move& m, bool has_block) {
    return std::find_if(messages.begin(), messages.end(),
                        [&](const Message& each) { return each.carries(m) && each.has(edit.block) == has_block; });
  };
  if (const auto& drop = edit.edit.drop; drop && drop->step == step)
    std::erase(message_for(*drop, true)->blocks, edit.block);
  if (const auto& add = edit.edit.add; add && add->step == step) {
    const auto found = message_for(*add, false);
    if (found == messages.end())
      messages.emplace_back(*add, edit.block);
    else
      found->blocks.push_back(edit.block);
  }
}

void add_message(const Message& message, ListedSchedule::Builder& builder) {
  std::vector<Run> runs;
  for (const Block b : message.blocks) runs.push_back({b, b});
  normalise(runs);
  if (!runs.empty()) builder.add(message.src, message.dst, runs, message.op, message.lane);
}

bool is_of(const BlockEdit& edit, int step) {
  return (edit.edit.drop && edit.edit.drop->step == step) || (edit.edit.add && edit.edit.add->step == step);
}

void add_step(const std::vector<Transfer>& transfers, ListedSchedule::Builder& builder) {
  builder.begin_step();
  for (const Transfer& t : transfers) builder.add(t.src, t.dst, runs_of(t.blocks), t.op, t.lane);
}

}  // namespace

std::vector<Move> moves_of(const Trace& trace) {
  std::vector<Move> moves;
  moves.reserve(trace.move_count());
  trace.for_each_move([&](int step, Op op, BlockTransfer m) { moves.push_back({step, m.src, m.dst, op}); });
  return moves;
}

std::vector<Move> edited(std::span<const Move> moves, const MoveEdit& edit) {
  std::vector<Move> after(moves.begin(), moves.end());
  if (edit.drop) after.erase(std::find(after.begin(), after.end(), *edit.drop));
  if (edit.add) {
    const auto by_step = [](int step, const Move& m) { return step < m.step; };
    after.insert(std::upper_bound(after.begin(), after.end(), edit.add->step, by_step), *edit.add);
  }
  return after;
}

bool BlockTrial::is_right(Block block, std::span<const Move> moves) {
  trace_.clear();
  for (const Move& m : moves) trace_.add(m.step, m.op, {m.src, m.dst});
  return !execution_.run(block, trace_) && !execution_.has_clash() &&
         check_.judge(block, trace_, execution_).wrong == 0;
}

EditSearch::EditSearch(const Header& header, int steps)
    : header_(header),
      steps_(steps),
      trial_(header),
      of_contributor_(static_cast<std::size_t>(header.ranks)),
      of_result_(of_contributor_.size()),
      held_(static_cast<std::size_t>(steps + 1) * of_contributor_.size()),
      influence_(held_.size()),
      inverse_(held_.size()),
      sorted_(held_.size()) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<Residue> any(1, prime - 1);
  for (Residue& x : of_contributor_) x = any(random);
  for (Residue& y : of_result_) y = any(random);
}

/// What ranks hold before each step. A copy replaces the value even if reductions arrive in the same step.
void EditSearch::hold(Block block, std::span<const Move> moves) {
  const Contract& c = contract(header_.collective);
  Residue all = 0, due = 0;
  for (Rank r = 0; r < header_.ranks; ++r) {
    const bool begins = header_.holds(c.begins, r, block);
    held(0, r) = begins ? of_contributor_[static_cast<std::size_t>(r)] : 0;
    all = plus(all, held(0, r));
    if (header_.holds(c.ends, r, block)) due = plus(due, of_result_[static_cast<std::size_t>(r)]);
  }
  wanted_ = times(all, due);
  std::size_t next = 0;
  for (int step = 0; step < steps_; ++step) {
    const auto before = held_.begin() + static_cast<std::ptrdiff_t>(place(step, 0));
    std::copy_n(before, header_.ranks, before + header_.ranks);
    const std::size_t begin = next;
    while (next < moves.size() && moves[next].step == step) ++next;
    const auto now = moves.subspan(begin, next - begin);
    for (const Move& m : now)
      if (m.op == Op::copy) held(step + 1, m.dst) = held(step, m.src);
    for (const Move& m : now)
      if (m.op == Op::reduce) held(step + 1, m.dst) = plus(held(step + 1, m.dst), held(step, m.src));
  }
}

/// The influence of what ranks hold before each step on the results, from the end backward.
void EditSearch::weigh(Block block, std::span<const Move> moves) {
  const Holders ends = contract(header_.collective).ends;
  for (Rank r = 0; r < header_.ranks; ++r)
    influence_[place(steps_, r)] = header_.holds(ends, r, block) ? of_result_[static_cast<std::size_t>(r)] : 0;
  std::size_t next = moves.size();
  for (int step = steps_ - 1; step >= 0; --step) {
    const auto after = influence_.begin() + static_cast<std::ptrdiff_t>(place(step + 1, 0));
    std::copy_n(after, header_.ranks, after - header_.ranks);
    const std::size_t end = next;
    while (next > 0 && moves[next - 1].step == step) --next;
    const auto now = moves.subspan(next, end - next);
    for (const Move& m : now)
      if (m.op == Op::copy) influence_[place(step, m.dst)] = 0;
    for (const Move& m : now) {
      Residue& of_source = influence_[place(step, m.src)];
      of_source = plus(of_source, influence_[place(step + 1, m.dst)]);
    }
  }
}

/// What is wanted of the results, less what they are.
EditSearch::Residue EditSearch::lack() const {
  Residue got = 0;
  for (Rank r = 0; r < header_.ranks; ++r) got = plus(got, times(influence_[place(0, r)], held_[place(0, r)]));
  return minus(wanted_, got);
}

void EditSearch::sort_held() {
  for (int step = 0; step < steps_; ++step) {
    for (Rank r = 0; r < header_.ranks; ++r) sorted_[place(step, r)] = {held_[place(step, r)], r};
    const auto begin = sorted_.begin() + static_cast<std::ptrdiff_t>(place(step, 0));
    std::sort(begin, begin + header_.ranks,
              [](const Held& a, const Held& b) { return std::pair(a.value, a.rank) < std::pair(b.value, b.rank); });
  }
}

/// All at once: the product of all but one is the product of all, divided by that one.
void EditSearch::invert_influences() {
  Residue product = 1;
  for (std::size_t k = 0; k < influence_.size(); ++k) {
    inverse_[k] = product;
    if (influence_[k] != 0) product = times(product, influence_[k]);
  }
  Residue rest = inverse(product);
  for (std::size_t k = influence_.size(); k-- > 0;) {
    if (influence_[k] == 0) continue;
    inverse_[k] = times(inverse_[k], rest);
    rest = times(rest, influence_[k]);
  }
}

template <class Visit>
void EditSearch::for_each_holder(int step, Residue value, Visit&& visit) const {
  const auto begin = sorted_.begin() + static_cast<std::ptrdiff_t>(place(step, 0));
  const auto end = begin + header_.ranks;
  auto holder = std::partition_point(begin, end, [&](const Held& h) { return h.value < value; });
  for (; holder != end && holder->value == value; ++holder) visit(holder->rank);
}

/// Adds the edits by which a move brings what results lack.
void EditSearch::add_moves(const std::optional<Move>& dropped, Residue lack, std::vector<MoveEdit>& found) const {
  for (int step = 0; step < steps_; ++step)
    for (Rank dst = 0; dst < header_.ranks; ++dst) {
      if (influence_[place(step + 1, dst)] == 0) continue;
      const Residue missing = times(lack, inverse_[place(step + 1, dst)]);
      const auto add = [&](Op op) {
        return [&, op](Rank src) {
          const Move added{step, src, dst, op};
          if (src != dst && added != dropped) found.push_back({dropped, added});
        };
      };
      for_each_holder(step, missing, add(Op::reduce));
      for_each_holder(step, plus(missing, held_[place(step, dst)]), add(Op::copy));
    }
}

std::optional<std::vector<MoveEdit>> EditSearch::find(Block block, std::span<const Move> moves, std::int64_t& budget) {
  std::vector<MoveEdit> found;
  const auto places = static_cast<std::int64_t>(held_.size());
  const auto look_up = [&](std::span<const Move> left, const std::optional<Move>& dropped) {
    hold(block, left);
    weigh(block, left);
    const Residue missing = lack();
    if (missing == 0 && dropped) found.push_back({dropped, {}});
    if (missing == 0) return;
    sort_held();
    invert_influences();
    add_moves(dropped, missing, found);
  };
  budget -= places * static_cast<std::int64_t>(moves.size() + 1);
  if (budget < 0 || stop_requested()) return std::nullopt;
  look_up(moves, {});
  for (std::size_t k = 0; k < moves.size(); ++k)
    if (k == 0 || moves[k] != moves[k - 1]) look_up(edited(moves, {moves[k], {}}), moves[k]);
  budget -= static_cast<std::int64_t>(std::uint64_t{found.size()} * moves.size());
  if (budget < 0) return std::nullopt;
  std::erase_if(found, [&](const MoveEdit& edit) { return !trial_.is_right(block, edited(moves, edit)); });
  return found;
}

SchedulePtr with_edits(const Schedule& schedule, std::vector<BlockEdit> edits) {
  ListedSchedule::Builder builder;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    const bool is_edited = std::any_of(edits.begin(), edits.end(), [&](const BlockEdit& e) { return is_of(e, step); });
    if (!is_edited) {
      add_step(transfers, builder);
      continue;
    }
    std::vector<Message> messages(transfers.begin(), transfers.end());
    for (const BlockEdit& edit : edits) apply(edit, step, messages);
    builder.begin_step();
    for (const Message& message : messages) add_message(message, builder);
  }
  return std::make_shared<ListedSchedule>(repaired(schedule.header()), std::move(builder));
}

SchedulePtr with_swapped(const Schedule& schedule, int first, int second) {
  ListedSchedule::Builder builder;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step == first ? second : step == second ? first : step, transfers);
    add_step(transfers, builder);
  }
  Header header = repaired(schedule.header());
  header.names = with_swapped_steps(header.names, first, second, schedule.steps());
  return std::make_shared<ListedSchedule>(std::move(header), std::move(builder));
}

}  // namespace onceover::verifier
