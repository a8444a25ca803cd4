#include "viz/block_trace.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace onceover::viz {

BlockTrace::BlockTrace(const Schedule& schedule, Block block) : schedule_(schedule), slots_{block} {
  if (schedule.groups() == nullptr) return;
  for (const Block other : schedule.groups()->of(block))
    if (other != block) slots_.push_back(other);
  trace_.set_slots(slots_);
}

const Trace& BlockTrace::before(int end) {
  for (; step_ < end; ++step_) {
    schedule_.transfers(step_, transfers_);
    for (const Transfer& t : transfers_)
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        for (const Block block : slots_)
          if (set.contains(block)) add({cell(block, t.src), cell(block + shift, t.dst)}, t.op);
      });
  }
  return trace_;
}

void BlockTrace::add(BlockTransfer move, Op op) {
  *trace_.room(1) = move;
  trace_.commit(1);
  trace_.end_segment(step_, op);
}

Rank BlockTrace::cell(Block block, Rank rank) const {
  const auto slot = std::find(slots_.begin(), slots_.end(), block) - slots_.begin();
  return static_cast<Rank>(slot) * schedule_.header().ranks + rank;
}

namespace {

struct MoveOfStep {
  Op op;
  BlockTransfer cells;
};

std::map<int, std::vector<MoveOfStep>> moves_by_step(const Trace& trace) {
  std::map<int, std::vector<MoveOfStep>> moves;
  trace.for_each_move([&](int step, Op op, BlockTransfer move) { moves[step].push_back({op, move}); });
  return moves;
}

}  // namespace

ContributionTrace::ContributionTrace(const Schedule& schedule, Block block, Rank contributor) {
  const Rank ranks = schedule.header().ranks;
  std::map<Rank, int> since{{contributor, 0}};  // of the cells that hold it, from which step on
  const auto leave = [&](Rank cell, int end) {
    held_[cell % ranks].push_back({since.at(cell), end});
    since.erase(cell);
  };
  BlockTrace trace(schedule, block);
  for (const auto& [step, moves] : moves_by_step(trace.before(schedule.steps()))) {
    std::set<Rank> come, go;
    for (const auto& [op, cells] : moves) {
      const bool brings = since.contains(cells.src);
      if (brings) legs_.insert({step, cells.src % ranks, cells.dst % ranks});
      if (brings) come.insert(cells.dst);
      if (!brings && op == Op::copy && since.contains(cells.dst)) go.insert(cells.dst);
    }
    for (const Rank cell : go) leave(cell, step + 1);
    for (const Rank cell : come) since.emplace(cell, step + 1);
  }
  while (!since.empty()) leave(since.begin()->first, schedule.steps());
}

BlockContent BlockContentTable::of(Term root) {
  if (root == Term::nothing) return {};
  const bool has_own_only = terms_.ranks() == ranks_;
  if (const auto leaves = terms_.different_leaves(root); leaves && has_own_only)
    return {static_cast<int>(*leaves), false};
  // Operands have smaller ids than their sum.
  while (contents_.size() <= TermTable::id(root)) add(static_cast<Term>(contents_.size()));
  return contents_[TermTable::id(root)];
}

void BlockContentTable::add(Term term) {
  std::vector<std::uint64_t> who;
  BlockContent content;
  if (terms_.is_leaf(term)) {
    const auto rank = static_cast<std::size_t>(terms_.rank_of(term));
    if (terms_.rank_of(term) < ranks_) {
      who.resize(rank / 64 + 1);
      who.back() = std::uint64_t{1} << rank % 64;
    }
  } else {
    const auto first = TermTable::id(terms_.first(term)), second = TermTable::id(terms_.second(term));
    const auto& fewer = who_[first].size() < who_[second].size() ? who_[first] : who_[second];
    who = who_[first].size() < who_[second].size() ? who_[second] : who_[first];
    content.has_duplicate = contents_[first].has_duplicate || contents_[second].has_duplicate;
    for (std::size_t k = 0; k < fewer.size(); ++k) {
      content.has_duplicate = content.has_duplicate || (who[k] & fewer[k]) != 0;
      who[k] |= fewer[k];
    }
  }
  for (const std::uint64_t word : who) content.contributions += std::popcount(word);
  who_.push_back(std::move(who));
  contents_.push_back(content);
}

Rank contributors(const Header& header) {
  return contract(header.collective).begins == Holders::everyone ? header.ranks : 1;
}

void set_block_contents(const Header& header, const std::vector<Block>& slots, const Execution& execution,
                        BlockContentTable& table, Rank rank, std::vector<BlockContent>& row) {
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slot > 0 && slots[slot] < header.blocks) continue;
    const Rank cell = static_cast<Rank>(slot) * header.ranks + rank;
    const BlockContent held = table.of(execution.value(cell));
    BlockContent& known = row[static_cast<std::size_t>(slots[slot])];
    if (held.contributions >= known.contributions) known = held;
  }
}

}  // namespace onceover::viz
