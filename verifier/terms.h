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
/// ids grow from the leaves to the root; the same two operands give the same id again, in either order, since addition
/// commutes, in floating-point, too. So equal ids mean equal terms, and different ids terms that differ in more than
/// the sides of sums: the table compares operands, never hashes of them.
///
/// Memory: 12 bytes a sum and up to 64 more for the index. sum: O(1) expected. clear: O(1), keeps memory.
class TermTable {
 public:
  explicit TermTable(Rank ranks);

  /// Forgets all sums.
  void clear();

  Rank ranks() const { return ranks_; }
  Term leaf(Rank rank) const { return static_cast<Term>(rank + 1); }

  /// The term that joins two terms. Neither may be `nothing`.
  Term sum(Term a, Term b);

  bool is_leaf(Term term) const { return id(term) <= leaves(); }
  Rank rank_of(Term leaf) const { return static_cast<Rank>(id(leaf)) - 1; }
  /// The operand that was numbered first, and the other one.
  Term first(Term sum) const { return node(sum).first; }
  Term second(Term sum) const { return node(sum).second; }

  /// Number of sums on the longest way down to a leaf.
  std::uint32_t depth(Term term) const { return is_leaf(term) ? 0 : node(term).depth; }

  /// One more than the largest id in use.
  std::uint32_t id_end() const { return leaves() + 1 + static_cast<std::uint32_t>(nodes_.size()); }

  static std::uint32_t id(Term term) { return static_cast<std::uint32_t>(term); }

 private:
  struct Node {
    Term first;
    Term second;
    std::uint32_t depth;
  };
  struct Slot {
    Term first;
    Term second;
    Term sum;
    std::uint32_t epoch;  // slots of older epochs are free
  };

  std::uint32_t leaves() const { return static_cast<std::uint32_t>(ranks_); }
  const Node& node(Term sum) const { return nodes_[id(sum) - leaves() - 1]; }
  Term add_node(Term first, Term second);
  Slot& slot_of(Term first, Term second);
  void grow_index();

  Rank ranks_;
  std::vector<Node> nodes_;
  std::vector<Slot> index_;  // open addressing, a power of two, at most half full
  int index_shift_;
  std::uint32_t epoch_ = 1;
};

inline TermTable::Slot& TermTable::slot_of(Term first, Term second) {
  const std::uint64_t key = (std::uint64_t{id(first)} << 32) | id(second);
  std::size_t at = (key * 0x9E3779B97F4A7C15u) >> index_shift_;
  for (;; at = (at + 1) & (index_.size() - 1)) {
    Slot& slot = index_[at];
    if (slot.epoch != epoch_ || (slot.first == first && slot.second == second)) return slot;
  }
}

inline Term TermTable::sum(Term a, Term b) {
  assert(a != Term::nothing && b != Term::nothing);
  const Term first = std::min(a, b);
  const Term second = std::max(a, b);
  Slot& slot = slot_of(first, second);
  if (slot.epoch == epoch_) return slot.sum;
  const Term sum = add_node(first, second);
  slot = {first, second, sum, epoch_};
  if (nodes_.size() * 2 > index_.size()) grow_index();
  return sum;
}

inline Term TermTable::add_node(Term first, Term second) {
  const std::uint32_t depth = 1 + std::max(this->depth(first), this->depth(second));
  nodes_.push_back({first, second, depth});
  return static_cast<Term>(id_end() - 1);
}

}  // namespace onceover
