#include "verifier/execution.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace onceover::verifier {

namespace {

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

}  // namespace

Execution::Execution(const Header& header) : header_(header), terms_(header.ranks) {}

void hold_initial_values(const Header& header, Block block, const Trace& trace, Foreign foreign, TermTable& terms,
                         std::vector<Term>& value) {
  const std::span<const Block> slots = trace.slots();
  auto is_promised = [&](Block slot) { return slot < header.blocks; };
  const bool has_foreign = slots.size() > 1 && std::any_of(slots.begin() + 1, slots.end(), is_promised);
  value.resize(trace.slot_count() * index(header.ranks));
  const Rank all = foreign == Foreign::together ? header.ranks + 1 : static_cast<Rank>(value.size());
  terms.clear(has_foreign ? all : header.ranks);
  const Holders begins = contract(header.collective).begins;
  auto begin_slot = [&](std::span<Term> cells, Block slot, auto&& leaf_of) {
    if (begins == Holders::everyone) {
      for (Rank r = 0; r < header.ranks; ++r) cells[index(r)] = leaf_of(r);
      return;
    }
    std::fill(cells.begin(), cells.end(), Term::nothing);
    const Rank holder = header.holder(begins, slot);
    cells[index(holder)] = leaf_of(holder);
  };
  auto cells_of = [&](std::size_t slot) {
    return std::span(value).subspan(slot * index(header.ranks), index(header.ranks));
  };
  begin_slot(cells_of(0), block, [&](Rank r) { return terms.leaf(r); });
  for (std::size_t k = 1; k < slots.size(); ++k)
    if (is_promised(slots[k]))
      begin_slot(cells_of(k), slots[k], [&](Rank r) {
        return terms.leaf(foreign == Foreign::together ? header.ranks : static_cast<Rank>(k) * header.ranks + r);
      });
    else
      for (Term& cell : cells_of(k)) cell = Term::nothing;
}

std::optional<Fault> Execution::run(Block block, const Trace& trace) {
  hold_initial_values(header_, block, trace, Foreign::together, terms_, value_);
  auto fault = run(trace);
  const bool has_foreign = terms_.ranks() > header_.ranks;
  if (!has_clash_ || !has_foreign) return fault;
  // Contributions to different other blocks, which were one leaf, aren't the same value.
  hold_initial_values(header_, block, trace, Foreign::apart, terms_, value_);
  return run(trace);
}

std::optional<Fault> Execution::run(const Trace& trace) {
  has_clash_ = false;
  if (written_.size() < value_.size()) written_.resize(value_.size());
  const Segments segments = trace.segments();
  std::size_t begin = 0;
  for (auto first = segments.begin(); first != segments.end();) {
    auto end = first + 1;
    while (end != segments.end() && end->step == first->step) ++end;
    assert(first->steps == 1 || end == first + 1);
    const bool has_one_move = end == first + 1 && first->end - begin == static_cast<std::size_t>(first->steps);
    const bool is_defined = has_one_move ? run_steps_of_one_move(trace.moves(), begin, *first)
                                         : run_step(trace.moves(), begin, {first, end});
    if (!is_defined) return fault_;
    begin = end[-1].end;
    first = end;
  }
  return std::nullopt;
}

inline bool Execution::run_step(const BlockTransfer* moves, std::size_t begin, Segments segments) {
  if (!read(moves, begin, segments.back().end)) return false;
  if (has_conflict(moves, begin, segments)) return false;
  const Term* arriving = arriving_.data();
  Term* const value = value_.data();
  for (const Trace::Segment& segment : segments) {
    const std::size_t end = segment.end;
    if (segment.op == Op::copy)
      for (; begin < end; ++begin) value[index(moves[begin].dst)] = *arriving++;
    else
      for (; begin < end; ++begin) {
        Term& held = value[index(moves[begin].dst)];
        if (held == Term::nothing) return fail(Fault::Kind::into_nothing, begin);
        held = terms_.sum(held, *arriving++);
      }
  }
  return true;
}

// A single move can't conflict with another.
inline bool Execution::run_steps_of_one_move(const BlockTransfer* moves, std::size_t begin,
                                             const Trace::Segment& segment) {
  Term* const value = value_.data();
  const bool is_copy = segment.op == Op::copy;
  for (; begin < segment.end; ++begin) {
    const Term sent = value[index(moves[begin].src)];
    Term& held = value[index(moves[begin].dst)];
    if (sent == Term::nothing) return fail(Fault::Kind::sends_nothing, begin);
    if (!is_copy && held == Term::nothing) return fail(Fault::Kind::into_nothing, begin);
    held = is_copy ? sent : terms_.sum(held, sent);
  }
  return true;
}

inline bool Execution::read(const BlockTransfer* moves, std::size_t begin, std::size_t end) {
  if (arriving_.size() < end - begin) arriving_.resize(2 * (end - begin));
  Term* arriving = arriving_.data();
  const Term* const value = value_.data();
  for (std::size_t h = begin; h < end; ++h) {
    const Term sent = value[index(moves[h].src)];
    if (sent == Term::nothing) return fail(Fault::Kind::sends_nothing, h);
    *arriving++ = sent;
  }
  return true;
}

// Only a copy can conflict, and only with another write, so steps without copies cost nothing here.
inline bool Execution::has_conflict(const BlockTransfer* moves, std::size_t begin, Segments segments) {
  if (std::none_of(segments.begin(), segments.end(),
                   [](const Trace::Segment& segment) { return segment.op == Op::copy; }))
    return false;
  if (stamp_ > UINT32_MAX - 4) {
    std::fill(written_.begin(), written_.end(), 0);
    stamp_ = 0;
  }
  stamp_ += 2;
  const std::size_t first = begin;
  for (const Trace::Segment& segment : segments) {
    const std::uint32_t forbidden = stamp_ + (segment.op == Op::copy ? 0 : 1);
    const std::uint32_t mark = stamp_ + (segment.op == Op::copy ? 1 : 0);
    for (; begin < segment.end; ++begin) {
      std::uint32_t& written = written_[index(moves[begin].dst)];
      if (written >= forbidden) return !are_clashes(moves, first, segments);
      written = mark;
    }
  }
  return false;
}

/// The step has conflicts. Are all of them copies of one value?
bool Execution::are_clashes(const BlockTransfer* moves, std::size_t begin, Segments segments) {
  std::map<Rank, Term> landed;  // by cell: what a copy brings; nothing: it is reduced into
  const Term* arriving = arriving_.data();
  for (const Trace::Segment& segment : segments)
    for (; begin < segment.end; ++begin, ++arriving) {
      const Term copied = segment.op == Op::copy ? *arriving : Term::nothing;
      const auto [at, is_first] = landed.try_emplace(moves[begin].dst, copied);
      if (!is_first && at->second != copied) return fail(Fault::Kind::conflict, begin);
    }
  return has_clash_ = true;
}

}  // namespace onceover::verifier
