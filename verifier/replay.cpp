#include "verifier/replay.h"

namespace onceover::verifier {

Replay::Replay(const Header& header, Foreign foreign)
    : header_(header), foreign_(foreign), ends_(contract(header.collective).ends), terms_(header.ranks) {}

void Replay::run(Block block, const Trace& trace) {
  block_ = block;
  slots_.assign(trace.slots().begin(), trace.slots().end());
  hold_initial_values(header_, block, trace, foreign_, terms_, value_);
  made_by_.clear();
  moves_.resize(trace.move_count());
  Move* next = moves_.data();
  trace.for_each_move([&](int step, Op op, BlockTransfer move) {
    *next++ = {step, op, move.src, move.dst, Term::nothing, Term::nothing, Term::nothing};
  });
  for (std::size_t begin = 0, end = 0; begin < moves_.size(); begin = end) {
    for (; end < moves_.size() && moves_[end].step == moves_[begin].step; ++end) {
      moves_[end].sent = value(moves_[end].src);
      moves_[end].before = value(moves_[end].dst);
    }
    for (std::size_t m = begin; m < end; ++m) apply(m);
  }
}

void Replay::apply(std::size_t move) {
  Move& m = moves_[move];
  Term& held = value_[static_cast<std::size_t>(m.dst)];
  const std::uint32_t end = terms_.id_end();
  held = m.op == Op::copy ? m.sent : terms_.sum(held, m.sent);
  m.after = held;
  if (terms_.id_end() != end) made_by_.push_back(move);
}

}  // namespace onceover::verifier
