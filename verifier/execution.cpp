#include "verifier/execution.h"

#include <algorithm>

namespace onceover {

namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

}  // namespace

Execution::Execution(const Header& header)
    : header_(header), terms_(header.ranks), value_(index(header.ranks)), written_(index(header.ranks)) {}

void Execution::start(Block block) {
  terms_.clear();
  const Holders begins = contract(header_.collective).begins;
  if (begins != Holders::everyone) {
    std::fill(value_.begin(), value_.end(), Term::nothing);
    const Rank holder = header_.holder(begins, block);
    value_[index(holder)] = terms_.leaf(holder);
    return;
  }
  for (Rank r = 0; r < header_.ranks; ++r) value_[index(r)] = terms_.leaf(r);
}

std::optional<Fault> Execution::run(Block block, const Trace& trace) {
  start(block);
  const auto& legs = trace.legs();
  Step step{trace.hops(), 0, 0, 0, 0};
  while (step.end_leg < legs.size()) {
    step.first_leg = step.end_leg;
    step.begin = step.end;
    while (step.end_leg < legs.size() && legs[step.end_leg].step == legs[step.first_leg].step) ++step.end_leg;
    step.end = legs[step.end_leg - 1].end;
    if (!run_step(step, legs)) return fault_;
  }
  return std::nullopt;
}

inline bool Execution::run_step(const Step& step, const std::vector<Trace::Leg>& legs) {
  if (!read(step)) return false;
  if (has_conflict(step, legs)) return false;
  std::size_t begin = step.begin;
  for (std::size_t leg = step.first_leg; leg < step.end_leg; ++leg) {
    const std::size_t end = legs[leg].end;
    if (legs[leg].op == Op::copy)
      copy(step, begin, end);
    else if (!reduce(step, begin, end))
      return false;
    begin = end;
  }
  return true;
}

inline bool Execution::read(const Step& step) {
  if (arriving_.size() < step.end - step.begin) arriving_.resize(step.end - step.begin);
  for (std::size_t h = step.begin; h < step.end; ++h) {
    const Term sent = value_[index(step.hops[h].src)];
    if (sent == Term::nothing) return fail(Fault::Kind::sends_nothing, h);
    arriving_[h - step.begin] = sent;
  }
  return true;
}

inline bool Execution::reduce(const Step& step, std::size_t begin, std::size_t end) {
  for (std::size_t h = begin; h < end; ++h) {
    Term& held = value_[index(step.hops[h].dst)];
    if (held == Term::nothing) return fail(Fault::Kind::into_nothing, h);
    held = terms_.sum(held, arriving_[h - step.begin]);
  }
  return true;
}

inline void Execution::copy(const Step& step, std::size_t begin, std::size_t end) {
  for (std::size_t h = begin; h < end; ++h) value_[index(step.hops[h].dst)] = arriving_[h - step.begin];
}

// Only a copy can conflict, and only with another write: other steps cost nothing here.
inline bool Execution::has_conflict(const Step& step, const std::vector<Trace::Leg>& legs) {
  if (step.end - step.begin < 2) return false;
  const auto first = legs.begin() + static_cast<std::ptrdiff_t>(step.first_leg);
  const auto last = legs.begin() + static_cast<std::ptrdiff_t>(step.end_leg);
  if (std::none_of(first, last, [](const Trace::Leg& leg) { return leg.op == Op::copy; })) return false;
  if (stamp_ > UINT32_MAX - 4) {
    std::fill(written_.begin(), written_.end(), 0);
    stamp_ = 0;
  }
  stamp_ += 2;
  std::size_t h = step.begin;
  for (auto leg = first; leg != last; ++leg) {
    const bool copies = leg->op == Op::copy;
    for (; h < leg->end; ++h) {
      std::uint32_t& written = written_[index(step.hops[h].dst)];
      const bool before = written >= stamp_;
      const bool copied_before = written == stamp_ + 1;
      if (before && (copies || copied_before)) return !fail(Fault::Kind::conflict, h);
      written = stamp_ + (copies ? 1 : 0);
    }
  }
  return false;
}

}  // namespace onceover
