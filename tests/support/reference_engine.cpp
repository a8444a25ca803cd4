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

State start(const Header& h) {
  State state(static_cast<std::size_t>(h.ranks), std::vector<Multiset>(static_cast<std::size_t>(h.blocks)));
  for (Rank r = 0; r < h.ranks; ++r)
    for (Block b = 0; b < h.blocks; ++b)
      if (starts_with(h, r, b)) {
        auto& value = state[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)];
        value.emplace(static_cast<std::size_t>(h.ranks), 0);
        (*value)[static_cast<std::size_t>(r)] = 1;
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
  Block block;
  Op op;
};

std::vector<BlockTransfer> block_transfers(const Schedule& schedule, int step) {
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::vector<BlockTransfer> all;
  for (const Transfer& t : transfers)
    for (Block b = 0; b < schedule.header().blocks; ++b)
      if (t.blocks.contains(b)) all.push_back({t.src, t.dst, b, t.op});
  return all;
}

/// Executes a step; marks the blocks that have no defined result from here on.
void execute_step(const std::vector<BlockTransfer>& transfers, State& state, std::vector<bool>& is_defined) {
  const State before = state;
  std::map<std::pair<Rank, Block>, std::vector<Op>> writes;
  for (const auto& t : transfers) writes[{t.dst, t.block}].push_back(t.op);
  for (const auto& t : transfers) {
    const auto block = static_cast<std::size_t>(t.block);
    const auto& ops = writes[{t.dst, t.block}];
    const bool conflict = ops.size() > 1 && std::count(ops.begin(), ops.end(), Op::copy) > 0;
    const Multiset& sent = before[static_cast<std::size_t>(t.src)][block];
    Multiset& held = state[static_cast<std::size_t>(t.dst)][block];
    if (!sent || conflict || (t.op == Op::reduce && !held) || t.src == t.dst)
      is_defined[block] = false;
    else
      held = t.op == Op::copy ? sent : sum(held, sent);
  }
}

bool is_right(const Header& h, Block block, const Multiset& value) {
  if (!value) return false;
  for (Rank c = 0; c < h.ranks; ++c)
    if ((*value)[static_cast<std::size_t>(c)] != wanted(h, c, block)) return false;
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
  outcome.block_is_defined.assign(static_cast<std::size_t>(h.blocks), true);
  outcome.final_values = start(h);
  for (int step = 0; step < schedule.steps(); ++step)
    execute_step(block_transfers(schedule, step), outcome.final_values, outcome.block_is_defined);
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
    for (const Transfer& t : transfers) {
      ++metrics.messages;
      metrics.max_sends_per_rank_step =
          std::max(metrics.max_sends_per_rank_step, ++sends[static_cast<std::size_t>(t.src)]);
      metrics.max_receives_per_rank_step =
          std::max(metrics.max_receives_per_rank_step, ++receives[static_cast<std::size_t>(t.dst)]);
      std::uint64_t runs = 0;
      for (Block b = 0; b < h.blocks; ++b) {
        if (!t.blocks.contains(b)) continue;
        ++metrics.block_transfers;
        ++sent[static_cast<std::size_t>(t.src)];
        if (b == 0 || !t.blocks.contains(b - 1)) ++runs;
      }
      metrics.max_runs_per_message = std::max(metrics.max_runs_per_message, runs);
    }
  }
  metrics.blocks_sent_min = *std::min_element(sent.begin(), sent.end());
  metrics.blocks_sent_max = *std::max_element(sent.begin(), sent.end());
  return metrics;
}

}  // namespace onceover::support::reference
