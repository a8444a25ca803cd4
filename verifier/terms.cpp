#include "verifier/terms.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <new>
#include <utility>

namespace onceover::verifier {

TermTable::TermTable(Rank ranks) : ranks_(ranks), end_(leaves() + 1) {
  make_room();
  clear();
}

void TermTable::clear() {
  end_ = leaves() + 1;
  traits_[0] = {0, is_operand};
  std::fill_n(traits_.get() + 1, leaves(), Traits{1, 0});
  indexed_ = end_;
  if (++epoch_ == 0) {
    index_.assign(index_.size(), Slot{});
    epoch_ = 1;
  }
}

void TermTable::clear(Rank ranks) {
  if (ranks != ranks_) *this = TermTable(ranks);
  clear();
}

Term TermTable::sum_with_used(Term a, Term b) {
  assert(a != Term::nothing && b != Term::nothing);
  const Node operands{std::min(a, b), std::max(a, b)};
  Traits& of_a = traits_[id(a)];
  Traits& of_b = traits_[id(b)];
  if ((of_a.marks() & of_b.marks() & is_operand) != 0)
    if (const Term known = find(operands); known != Term::nothing) return known;
  of_a.mark_operand();
  of_b.mark_operand();
  const std::uint32_t depth = std::max(of_a.marks(), of_b.marks()) / one_deeper + 1;
  return append(operands, {0, depth * one_deeper | is_shared});
}

Term TermTable::find(Node operands) {
  bring_index_up_to_date();
  const Slot& slot = slot_of(operands);
  return slot.epoch == epoch_ ? slot.sum : Term::nothing;
}

TermTable::Slot& TermTable::slot_of(Node operands) {
  const std::uint64_t key = (std::uint64_t{id(operands.first)} << 32) | id(operands.second);
  std::size_t at = (key * 0x9E3779B97F4A7C15u) >> index_shift_;
  for (;; at = (at + 1) & (index_.size() - 1)) {
    Slot& slot = index_[at];
    if (slot.epoch != epoch_ || (first(slot.sum) == operands.first && second(slot.sum) == operands.second)) return slot;
  }
}

void TermTable::bring_index_up_to_date() {
  const std::size_t sums = end_ - leaves() - 1;
  if (index_.size() < 2 * sums || index_.empty()) {
    index_.assign(std::bit_ceil(4 * sums + 1024), Slot{});
    index_shift_ = 64 - std::countr_zero(index_.size());
    indexed_ = leaves() + 1;
  }
  for (; indexed_ < end_; ++indexed_) slot_of(nodes_[indexed_]) = {epoch_, static_cast<Term>(indexed_)};
}

void TermTable::make_room() {
  constexpr std::uint32_t most_terms = 1 << 30;  // so depths, and the doubling below, fit into 32 bits
  if (end_ > most_terms) throw std::bad_alloc();
  const std::uint32_t room = 2 * end_ + 64;
  std::unique_ptr<Node[]> nodes(new Node[room]);  // not made zero, which would touch all of it
  std::unique_ptr<Traits[]> traits(new Traits[room]);
  if (room_ > 0) {
    std::copy(nodes_.get() + leaves() + 1, nodes_.get() + end_, nodes.get() + leaves() + 1);
    std::copy_n(traits_.get(), end_, traits.get());
  }
  nodes_ = std::move(nodes);
  traits_ = std::move(traits);
  room_ = room;
}

}  // namespace onceover::verifier
