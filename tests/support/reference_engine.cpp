#include "reference_engine.h"

#include <algorithm>
#include <map>
#include <set>

namespace onceover::support::reference {

namespace {

using State = std::vector<std::vector<Multiset>>;

// Written out per collective, on purpose not through the table that the verifier uses.
bool starts_with(const Header& h, Rank rank, Block block) {
  switch (h.collective) {
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce: return true;
    case Collective::allgather:
    case Collective::gather: return rank == h.owner(block);
    case Collective::broadcast:
    case Collective::scatter: return rank == h.root;
    case Collective::alltoall: return rank == (block / h.ranks) % h.ranks;
  }
  return false;
}

/// Without scratch, values count ranks; else each rank's contributions to each block.
struct Leaves {
  std::size_t ranks;
  bool by_block;

  std::size_t of(Rank r, Block b) const {
    return static_cast<std::size_t>(r) + (by_block ? static_cast<std::size_t>(b) * ranks : 0);
  }
};

Leaves leaves_of(const Schedule& schedule) {
  return {static_cast<std::size_t>(schedule.header().ranks), schedule.groups() != nullptr};
}

State start(const Header& h, const Leaves& leaves) {
  State state(static_cast<std::size_t>(h.ranks), std::vector<Multiset>(static_cast<std::size_t>(h.all_blocks())));
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.blocks; ++b)
      if (starts_with(h, r, b)) {
        auto& value = state[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)];
        value.emplace(leaves.of(h.ranks - 1, h.blocks - 1) + 1, 0);
        (*value)[leaves.of(r, b)] = 1;
      }
  return state;
}

Multiset sum(const Multiset& a, const Multiset& b) {
  Multiset both = a;
  for (std::size_t k = 0; k < both->size(); ++k) (*both)[k] += (*b)[k];
  return both;
}

struct BlockTransfer {
  Rank src, dst;
  Block block, into;
  Op op;
};

std::vector<BlockTransfer> block_transfers(const Schedule& schedule, int step) {
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::vector<BlockTransfer> all;
  for (const Transfer& t : transfers)
    for (Block b = 0; b < schedule.header().all_blocks(); ++b) {
      if (t.landings == nullptr && t.blocks.contains(b)) all.push_back({t.src, t.dst, b, b, t.op});
      if (t.landings != nullptr)
        t.for_each_landing([&](const BlockSet& set, Block shift) {
          if (set.contains(b)) all.push_back({t.src, t.dst, b, b + shift, t.op});
        });
    }
  return all;
}

/// Do all transfers into the block into which this one goes bring the same?
bool all_bring_the_same(const std::vector<BlockTransfer>& transfers, const BlockTransfer& one, const State& before) {
  auto brought = [&](const BlockTransfer& t) {
    return before[static_cast<std::size_t>(t.src)][static_cast<std::size_t>(t.block)];
  };
  return std::all_of(transfers.begin(), transfers.end(), [&](const BlockTransfer& t) {
    return t.dst != one.dst || t.into != one.into || brought(t) == brought(one);
  });
}

/// Executes a step; marks the blocks that have no defined result from here on.
void execute_step(const std::vector<BlockTransfer>& transfers, State& state, std::vector<bool>& is_defined) {
  const State before = state;
  std::map<std::pair<Rank, Block>, std::vector<Op>> writes;
  for (const auto& t : transfers) writes[{t.dst, t.into}].push_back(t.op);
  for (const auto& t : transfers) {
    const auto into = static_cast<std::size_t>(t.into);
    const auto& ops = writes[{t.dst, t.into}];
    const bool conflict = ops.size() > 1 && std::count(ops.begin(), ops.end(), Op::copy) > 0;
    const bool is_clash =
        conflict && std::count(ops.begin(), ops.end(), Op::reduce) == 0 && all_bring_the_same(transfers, t, before);
    const Multiset& sent = before[static_cast<std::size_t>(t.src)][static_cast<std::size_t>(t.block)];
    Multiset& held = state[static_cast<std::size_t>(t.dst)][into];
    if (is_clash && sent) held = sent;
    if (!sent || conflict || (t.op == Op::reduce && !held) || (t.src == t.dst && t.block == t.into))
      is_defined[into] = false;
    else
      held = t.op == Op::copy ? sent : sum(held, sent);
  }
}

/// A fault is one of all blocks that values flow to or from; of block 0 if no promised block is among them.
void spread_faults(const Schedule& schedule, std::vector<bool>& is_defined) {
  std::vector<Block> group(is_defined.size());
  for (std::size_t b = 0; b < group.size(); ++b) group[b] = static_cast<Block>(b);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (int step = 0; step < schedule.steps(); ++step)
      for (const auto& t : block_transfers(schedule, step)) {
        Block& a = group[static_cast<std::size_t>(t.block)];
        Block& b = group[static_cast<std::size_t>(t.into)];
        goes_on = goes_on || a != b;
        a = b = std::min(a, b);
      }
  }
  for (Block& g : group)
    if (g >= schedule.header().blocks) g = 0;
  const std::vector<bool> fault = is_defined;
  for (std::size_t b = 0; b < group.size(); ++b)
    for (std::size_t other = 0; other < group.size() && !fault[b]; ++other)
      if (group[other] == group[b]) is_defined[other] = false;
}

/// The contributions to this block by rank, and how many there are to other blocks.
Multiset seen_from(const Header& h, const Leaves& leaves, Block block, const Multiset& value) {
  if (!value || !leaves.by_block) return value;
  Multiset seen(std::in_place, leaves.ranks + 1, 0);
  for (Block b = 0; b < h.blocks; ++b)
    for (Rank r = 0; r < h.ranks; ++r)
      (*seen)[b == block ? static_cast<std::size_t>(r) : leaves.ranks] += (*value)[leaves.of(r, b)];
  return seen;
}

bool is_right(const Header& h, Block block, const Multiset& value) {
  if (!value) return false;
  for (std::size_t c = 0; c < value->size(); ++c)
    if ((*value)[c] != (static_cast<Rank>(c) < h.ranks ? wanted(h, static_cast<Rank>(c), block) : 0)) return false;
  return true;
}

}  // namespace

bool must_hold(const Header& h, Rank rank, Block block) {
  switch (h.collective) {
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::broadcast: return true;
    case Collective::reduce_scatter:
    case Collective::scatter:
    case Collective::alltoall: return rank == h.owner(block);
    case Collective::reduce:
    case Collective::gather: return rank == h.root;
  }
  return false;
}

std::uint64_t wanted(const Header& h, Rank contributor, Block block) {
  return starts_with(h, contributor, block) ? 1 : 0;
}

Outcome execute(const Schedule& schedule) {
  const Header& h = schedule.header();
  Outcome outcome;
  const Leaves leaves = leaves_of(schedule);
  outcome.block_is_defined.assign(static_cast<std::size_t>(h.all_blocks()), true);
  outcome.final_values = start(h, leaves);
  for (int step = 0; step < schedule.steps(); ++step)
    execute_step(block_transfers(schedule, step), outcome.final_values, outcome.block_is_defined);
  if (leaves.by_block) spread_faults(schedule, outcome.block_is_defined);
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.blocks; ++b) {
      Multiset& value = outcome.final_values[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)];
      value = seen_from(h, leaves, b, value);
    }
  for (Block b = 0; b < h.blocks; ++b) {
    if (!outcome.block_is_defined[static_cast<std::size_t>(b)]) {
      ++outcome.undefined_blocks;
      continue;
    }
    for (Rank r = 0; r < h.ranks; ++r) {
      const Multiset& value = outcome.final_values[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)];
      if (must_hold(h, r, b) && !is_right(h, b, value)) ++outcome.wrong_results;
    }
  }
  outcome.well_formed = outcome.undefined_blocks == 0;
  outcome.exactly_once = outcome.well_formed && outcome.wrong_results == 0;
  return outcome;
}

Metrics measure(const Schedule& schedule) {
  const Header& h = schedule.header();
  Metrics metrics;
  metrics.steps = schedule.steps();
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(h.ranks));
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    std::vector<std::uint64_t> sends(static_cast<std::size_t>(h.ranks));
    std::vector<std::uint64_t> receives(static_cast<std::size_t>(h.ranks));
    const auto sent_before = metrics.messages;
    for (const Transfer& t : transfers) {
      if (t.src == t.dst) continue;
      ++metrics.messages;
      metrics.max_sends_per_rank_step =
          std::max(metrics.max_sends_per_rank_step, ++sends[static_cast<std::size_t>(t.src)]);
      metrics.max_receives_per_rank_step =
          std::max(metrics.max_receives_per_rank_step, ++receives[static_cast<std::size_t>(t.dst)]);
      std::uint64_t runs = 0;
      for (Block b = 0; b < h.all_blocks(); ++b) {
        if (!t.blocks.contains(b)) continue;
        ++metrics.block_transfers;
        ++sent[static_cast<std::size_t>(t.src)];
        if (b == 0 || !t.blocks.contains(b - 1)) ++runs;
      }
      metrics.max_runs_per_message = std::max(metrics.max_runs_per_message, runs);
    }
    const bool is_local = !transfers.empty() && metrics.messages == sent_before;
    metrics.steps -= is_local ? 1 : 0;
    metrics.local_steps += is_local ? 1 : 0;
  }
  metrics.blocks_sent_min = *std::min_element(sent.begin(), sent.end());
  metrics.blocks_sent_max = *std::max_element(sent.begin(), sent.end());
  return metrics;
}

}  // namespace onceover::support::reference
