#include "verifier/terms.h"

#include <bit>

namespace onceover {

TermTable::TermTable(Rank ranks) : ranks_(ranks) {
  index_.resize(1024);
  index_shift_ = 64 - std::countr_zero(index_.size());
}

void TermTable::clear() {
  nodes_.clear();
  if (++epoch_ == 0) {
    index_.assign(index_.size(), Slot{});
    epoch_ = 1;
  }
}

void TermTable::grow_index() {
  index_.assign(index_.size() * 2, Slot{});
  --index_shift_;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Term sum = static_cast<Term>(leaves() + 1 + k);
    slot_of(nodes_[k].first, nodes_[k].second) = {nodes_[k].first, nodes_[k].second, sum, epoch_};
  }
}

}  // namespace onceover
