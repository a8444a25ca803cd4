#include "verifier/replay.h"

namespace onceover::verifier {

Replay::Replay(const Header& header, Foreign foreign)
    : header_(header), foreign_(foreign), ends_(contract(header.collective).ends), terms_(header.ranks) {}

void Replay::run(Block block, const Trace& trace) {
  block_ = block;
  has_stays_ = false;
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

}  // namespace onceover::verifier
