#include "verifier/replay.h"

#include <algorithm>

namespace onceover::verifier {

namespace {

/// The ranks where a block is at home: holding it there isn't staging. One of the two may be nobody; scratch has none.
std::pair<Rank, Rank> homes_of(const Header& header, Block block) {
  constexpr Rank nobody = -1;
  if (block >= header.blocks) return {nobody, nobody};
  const Contract& c = contract(header.collective);
  if (header.collective == Collective::allreduce) return {header.owner(block), nobody};
  return {c.begins == Holders::everyone ? nobody : header.holder(c.begins, block),
          c.ends == Holders::everyone ? nobody : header.holder(c.ends, block)};
}

}  // namespace

Replay::Replay(const Header& header, Foreign foreign)
    : header_(header), foreign_(foreign), ends_(contract(header.collective).ends), terms_(header.ranks) {}

void Replay::run(Block block, const Trace& trace) {
  block_ = block;
  has_forwardings_ = false;
  slots_.assign(trace.slots().begin(), trace.slots().end());
  hold_initial_values(header_, block, trace, foreign_, terms_, value_);
  made_by_.clear();
  moves_.resize(trace.move_count());
  std::size_t begin = 0, end = 0;
  auto end_step = [&] {
    for (; begin < end; ++begin) apply(moves_[begin]);
  };
  trace.for_each_move([&](int step, Op op, BlockTransfer move) {
    if (begin < end && moves_[begin].step != step) end_step();
    moves_[end++] = {step, op, move.src, move.dst, value(move.src), value(move.dst), Term::nothing};
  });
  end_step();
}

void Replay::apply(Move& m) {
  Term& held = value_[static_cast<std::size_t>(m.dst)];
  const std::uint32_t end = terms_.id_end();
  held = m.op == Op::copy ? m.sent : terms_.sum(held, m.sent);
  m.after = held;
  if (terms_.id_end() != end) made_by_.push_back(static_cast<std::size_t>(&m - moves_.data()));
}

/// Ends what the cell holds.
inline void Forwardings::leave(const Replay& replay, Rank cell) {
  Cell& held = cells_[static_cast<std::size_t>(cell)];
  if (held.until > held.since) {
    const Rank rank = replay.rank_of(cell);
    const auto [begin, end] = homes_[static_cast<std::size_t>(replay.slot_of(cell))];
    if (rank != begin && rank != end)
      forwardings_.push_back({rank, held.since, held.until, held.from, held.to, held.is_sum});
  }
  held = Cell{};
}

void Forwardings::find(const Replay& replay) {
  forwardings_.clear();
  if (!replay.leads()) return;
  cells_.assign(static_cast<std::size_t>(replay.cells()), Cell{});
  homes_.clear();
  for (Rank cell = 0; cell < replay.cells(); cell += replay.header().ranks)
    homes_.push_back(homes_of(replay.header(), replay.block_of(cell)));
  auto send = [&](const Replay::Move& move) {
    Cell& cell = cells_[static_cast<std::size_t>(move.src)];
    if (cell.since < 0) return;
    const Rank to = replay.rank_of(move.dst);
    cell.to = cell.until == move.step ? std::min(cell.to, to) : to;
    cell.until = move.step;
  };
  auto receive = [&](const Replay::Move& move) {
    if (move.op == Op::copy) leave(replay, move.dst);
    Cell& cell = cells_[static_cast<std::size_t>(move.dst)];
    cell.is_sum = cell.is_sum || move.op == Op::reduce;
    if (cell.since >= 0) return;
    cell.since = move.step;
    cell.from = replay.rank_of(move.src);
  };
  const auto moves = replay.moves();
  for (std::size_t begin = 0, end = 0; begin < moves.size(); begin = end) {
    for (; end < moves.size() && moves[end].step == moves[begin].step; ++end) send(moves[end]);
    for (std::size_t m = begin; m < end; ++m) receive(moves[m]);
  }
  for (Rank cell = 0; cell < replay.cells(); ++cell) leave(replay, cell);
}

}  // namespace onceover::verifier
