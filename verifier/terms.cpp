#include "verifier/terms.h"

#include <bit>

namespace onceover {

TermTable::TermTable(Rank ranks) : ranks_(ranks), traits_(std::size_t{leaves()} + 1) {}

void TermTable::clear() {
  nodes_.clear();
  traits_.assign(std::size_t{leaves()} + 1, 0);
  indexed_ = 0;
  if (++epoch_ == 0) {
    index_.assign(index_.size(), Slot{});
    epoch_ = 1;
  }
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
  if (index_.size() < 2 * nodes_.size() || index_.empty()) {
    index_.assign(std::bit_ceil(4 * nodes_.size() + 1024), Slot{});
    index_shift_ = 64 - std::countr_zero(index_.size());
    indexed_ = 0;
  }
  for (; indexed_ < nodes_.size(); ++indexed_)
    slot_of(nodes_[indexed_]) = {epoch_, static_cast<Term>(leaves() + 1 + indexed_)};
}

}  // namespace onceover
