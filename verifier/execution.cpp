#include "verifier/execution.h"

#include <algorithm>

namespace onceover {

namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

std::size_t begin_of(const std::vector<Trace::Leg>& legs, std::size_t leg) {
  return leg == 0 ? 0 : legs[leg - 1].end;
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
  for (std::size_t leg = 0; leg < legs.size();) {
    std::size_t end_leg = leg + 1;
    while (end_leg < legs.size() && legs[end_leg].step == legs[leg].step) ++end_leg;
    const std::size_t step_begin = begin_of(legs, leg);
    if (auto fault = read(trace, step_begin, legs[end_leg - 1].end)) return fault;
    if (auto fault = find_conflict(trace, leg, end_leg)) return fault;
    for (; leg < end_leg; ++leg) {
      const std::size_t begin = begin_of(legs, leg);
      if (legs[leg].op == Op::copy)
        copy(trace, begin, legs[leg].end, step_begin);
      else if (auto fault = reduce(trace, begin, legs[leg].end, step_begin))
        return fault;
    }
  }
  return std::nullopt;
}

std::optional<Fault> Execution::read(const Trace& trace, std::size_t begin, std::size_t end) {
  if (arriving_.size() < end - begin) arriving_.resize(end - begin);
  const Hop* hops = trace.hops();
  for (std::size_t h = begin; h < end; ++h) {
    const Term sent = value_[index(hops[h].src)];
    if (sent == Term::nothing) return Fault{Fault::Kind::sends_nothing, h};
    arriving_[h - begin] = sent;
  }
  return std::nullopt;
}

std::optional<Fault> Execution::reduce(const Trace& trace, std::size_t begin, std::size_t end, std::size_t step_begin) {
  const Hop* hops = trace.hops();
  for (std::size_t h = begin; h < end; ++h) {
    Term& held = value_[index(hops[h].dst)];
    if (held == Term::nothing) return Fault{Fault::Kind::into_nothing, h};
    held = terms_.sum(held, arriving_[h - step_begin]);
  }
  return std::nullopt;
}

void Execution::copy(const Trace& trace, std::size_t begin, std::size_t end, std::size_t step_begin) {
  const Hop* hops = trace.hops();
  for (std::size_t h = begin; h < end; ++h) value_[index(hops[h].dst)] = arriving_[h - step_begin];
}

// Only a copy can conflict, and only with another write: other steps cost nothing here.
std::optional<Fault> Execution::find_conflict(const Trace& trace, std::size_t first_leg, std::size_t end_leg) {
  const auto& legs = trace.legs();
  if (legs[end_leg - 1].end - begin_of(legs, first_leg) < 2) return std::nullopt;
  const auto first = legs.begin() + static_cast<std::ptrdiff_t>(first_leg);
  const auto last = legs.begin() + static_cast<std::ptrdiff_t>(end_leg);
  if (std::none_of(first, last, [](const Trace::Leg& leg) { return leg.op == Op::copy; })) return std::nullopt;
  if (stamp_ > UINT32_MAX - 4) {
    std::fill(written_.begin(), written_.end(), 0);
    stamp_ = 0;
  }
  stamp_ += 2;
  for (std::size_t leg = first_leg; leg < end_leg; ++leg) {
    const bool copies = legs[leg].op == Op::copy;
    for (std::size_t h = begin_of(legs, leg); h < legs[leg].end; ++h) {
      std::uint32_t& written = written_[index(trace.hops()[h].dst)];
      const bool before = written >= stamp_;
      const bool copied_before = written == stamp_ + 1;
      if (before && (copies || copied_before)) return Fault{Fault::Kind::conflict, h};
      written = stamp_ + (copies ? 1 : 0);
    }
  }
  return std::nullopt;
}

}  // namespace onceover
