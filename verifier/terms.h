// Terms: the symbolic values of one block, hash-consed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/types.h"

namespace onceover {

/// The symbolic value of a block on a rank. `nothing` means that the rank holds none.
enum class Term : std::uint32_t { nothing = 0 };

/// All terms of one block: leaf(r), rank r's own contribution, and sum(a, b).
///
/// Leaf(r) is r+1. A sum is numbered when it is first asked for, after its operands, so ids grow from the leaves to the
/// root; the same two operands give the same id again, in either order, since addition commutes, in floating-point,
/// too. So equal ids mean equal terms, and different ids terms that differ in more than the sides of sums.
///
/// A sum with an operand that no sum has had before is new without a look. Others are looked up, by their operands and
/// never by hashes of them, in an index that is brought up to date only then: schedules in which each partial sum
/// goes into one other, as in most reduce-scatters, never need it.
///
/// Memory: 4 bytes a term and 8 a sum, and up to 32 more a sum for the index. sum: O(1) expected. clear: O(ranks),
/// keeps memory.
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
  std::uint32_t depth(Term term) const { return traits_[id(term)] / 2; }

  /// One more than the largest id in use.
  std::uint32_t id_end() const { return static_cast<std::uint32_t>(traits_.size()); }

  static std::uint32_t id(Term term) { return static_cast<std::uint32_t>(term); }

 private:
  struct Node {
    Term first;
    Term second;
  };
  struct Slot {
    std::uint32_t epoch;  // slots of older epochs are free
    Term sum;
  };
  static constexpr std::uint32_t is_operand = 1;

  std::uint32_t leaves() const { return static_cast<std::uint32_t>(ranks_); }
  const Node& node(Term sum) const { return nodes_[id(sum) - leaves() - 1]; }
  Term find(Node operands);
  Slot& slot_of(Node operands);
  void bring_index_up_to_date();

  Rank ranks_;
  std::vector<Node> nodes_;            // of sums
  std::vector<std::uint32_t> traits_;  // by id: twice the depth, plus is_operand if some sum has it as an operand
  std::vector<Slot> index_;            // open addressing, a power of two, at most half full
  std::size_t indexed_ = 0;            // sums that are in the index, the first ones
  int index_shift_ = 64;
  std::uint32_t epoch_ = 1;
};

inline Term TermTable::sum(Term a, Term b) {
  assert(a != Term::nothing && b != Term::nothing);
  const Node operands{std::min(a, b), std::max(a, b)};
  const std::uint32_t of_a = traits_[id(a)];
  const std::uint32_t of_b = traits_[id(b)];
  if (((of_a & of_b) & is_operand) != 0)
    if (const Term known = find(operands); known != Term::nothing) return known;
  traits_[id(a)] = of_a | is_operand;
  traits_[id(b)] = of_b | is_operand;
  nodes_.push_back(operands);
  traits_.push_back((std::max(of_a, of_b) / 2 + 1) * 2);
  return static_cast<Term>(id_end() - 1);
}

}  // namespace onceover
