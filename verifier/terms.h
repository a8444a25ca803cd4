// Terms: the symbolic values of one block, hash-consed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "schedules/types.h"

namespace onceover {

/// The symbolic value of a block on a rank. `nothing` means that the rank holds none.
enum class Term : std::uint32_t { nothing = 0 };

/// All terms of one block: leaf(r), rank r's own contribution, and sum(a, b).
///
/// Leaves need no memory: leaf(r) is r+1. A sum is numbered when it is first asked for, after its operands, so
/// ids grow from the leaves to the root; the same two operands in the same order give the same id again. So equal
/// ids mean equal terms: the table compares operands, never hashes of them.
///
/// Memory: 12 bytes a sum and up to 64 more for the index. sum: O(1) expected. clear: O(1), keeps memory.
class TermTable {
 public:
  explicit TermTable(Rank ranks);

  /// Forgets all sums.
  void clear();

  Rank ranks() const { return ranks_; }
  Term leaf(Rank rank) const { return static_cast<Term>(rank + 1); }

  /// The term that joins what is held with what arrives. Neither may be `nothing`.
  Term sum(Term held, Term arriving);

  bool is_leaf(Term term) const { return id(term) <= leaves(); }
  Rank rank_of(Term leaf) const { return static_cast<Rank>(id(leaf)) - 1; }
  Term held(Term sum) const { return node(sum).held; }
  Term arriving(Term sum) const { return node(sum).arriving; }

  /// Number of sums on the longest way down to a leaf.
  std::uint32_t depth(Term term) const { return is_leaf(term) ? 0 : node(term).depth; }

  /// One more than the largest id in use.
  std::uint32_t id_end() const { return leaves() + 1 + static_cast<std::uint32_t>(nodes_.size()); }

  static std::uint32_t id(Term term) { return static_cast<std::uint32_t>(term); }

 private:
  struct Node {
    Term held;
    Term arriving;
    std::uint32_t depth;
  };
  struct Slot {
    Term held;
    Term arriving;
    Term sum;
    std::uint32_t epoch;  // slots of older epochs are free
  };

  std::uint32_t leaves() const { return static_cast<std::uint32_t>(ranks_); }
  const Node& node(Term sum) const { return nodes_[id(sum) - leaves() - 1]; }
  Term add_node(Term held, Term arriving);
  Slot& slot_of(Term held, Term arriving);
  void grow_index();

  Rank ranks_;
  std::vector<Node> nodes_;
  std::vector<Slot> index_;  // open addressing, a power of two, at most half full
  int index_shift_;
  std::uint32_t epoch_ = 1;
};

inline TermTable::Slot& TermTable::slot_of(Term held, Term arriving) {
  const std::uint64_t key = (std::uint64_t{id(held)} << 32) | id(arriving);
  std::size_t at = (key * 0x9E3779B97F4A7C15u) >> index_shift_;
  for (;; at = (at + 1) & (index_.size() - 1)) {
    Slot& slot = index_[at];
    if (slot.epoch != epoch_ || (slot.held == held && slot.arriving == arriving)) return slot;
  }
}

inline Term TermTable::sum(Term held, Term arriving) {
  assert(held != Term::nothing && arriving != Term::nothing);
  Slot& slot = slot_of(held, arriving);
  if (slot.epoch == epoch_) return slot.sum;
  const Term sum = add_node(held, arriving);
  slot = {held, arriving, sum, epoch_};
  if (nodes_.size() * 2 > index_.size()) grow_index();
  return sum;
}

inline Term TermTable::add_node(Term held, Term arriving) {
  const std::uint32_t depth = 1 + std::max(this->depth(held), this->depth(arriving));
  nodes_.push_back({held, arriving, depth});
  return static_cast<Term>(id_end() - 1);
}

}  // namespace onceover
