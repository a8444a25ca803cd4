// Terms: the symbolic values of one block, hash-consed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "schedules/types.h"

namespace onceover::verifier {

/// The symbolic value of a block on a rank; `nothing` if the rank holds none.
enum class Term : std::uint32_t { nothing = 0 };

/// All terms of one block: leaf(r), which is rank r's own contribution, and sum(a, b).
///
/// Leaf(r) has id r+1. A sum gets its id when it is first asked for, after its operands, so ids grow from the leaves to
/// the root. The same two operands give the same id again, in either order, because addition commutes, also in floating
/// point. So equal ids mean equal terms, and different ids mean terms that differ in more than the sides of sums.
///
/// A sum with an operand that no earlier sum has had is new, without a search. Other sums are looked up, by their
/// operands themselves and not by hashes of them, in an index that is updated only then. A schedule in which each
/// partial sum goes into one other sum, like most reduce-scatters, never needs the index. In such a schedule a term's
/// leaves are counted when it is made.
///
/// Memory: 16 bytes a term, and up to 32 more a sum for the index. There may be 2^30 terms; beyond that std::bad_alloc
/// is thrown. sum: O(1) expected. clear: O(ranks), keeps memory.
class TermTable {
 public:
  explicit TermTable(Rank ranks);

  /// Forgets all sums.
  void clear();

  /// Forgets all sums, and has this many leaves from now on.
  void clear(Rank ranks);

  Rank ranks() const { return ranks_; }
  Term leaf(Rank rank) const { return static_cast<Term>(rank + 1); }

  /// The term that joins two terms. Neither may be `nothing`.
  Term sum(Term a, Term b) {
    const Traits of_a = traits_[id(a)];
    const Traits of_b = traits_[id(b)];
    if (((of_a.marks() | of_b.marks()) & (is_operand | is_shared)) != 0 || a == b) return sum_with_used(a, b);
    traits_[id(a)].mark_operand();
    traits_[id(b)].mark_operand();
    return append({std::min(a, b), std::max(a, b)},
                  {of_a.leaves() + of_b.leaves(), std::max(of_a.marks(), of_b.marks()) + one_deeper});
  }

  bool is_leaf(Term term) const { return id(term) <= leaves(); }
  Rank rank_of(Term leaf) const { return static_cast<Rank>(id(leaf)) - 1; }
  /// The operand with the lower id, and the other one.
  Term first(Term sum) const { return node(sum).first; }
  Term second(Term sum) const { return node(sum).second; }

  /// The number of sums on the longest path down to a leaf.
  std::uint32_t depth(Term term) const { return traits_[id(term)].marks() / one_deeper; }

  /// How many leaves the term has, all different, if that is known without going down to them. It is known if no
  /// operand in the term, nor of it, had been an operand before: then paths down from the term fork and never meet
  /// again.
  std::optional<Rank> different_leaves(Term term) const {
    const Traits& traits = traits_[id(term)];
    if ((traits.marks() & is_shared) != 0) return std::nullopt;
    return static_cast<Rank>(traits.leaves());
  }

  /// One more than the largest id in use.
  std::uint32_t id_end() const { return end_; }

  static std::uint32_t id(Term term) { return static_cast<std::uint32_t>(term); }

 private:
  struct Node {
    Term first;
    Term second;
  };
  struct Slot {
    std::uint32_t epoch;  // slots of earlier epochs are free
    Term sum;
  };
  /// One word, because a processor stalls when it reads a whole word that was just written in parts.
  class Traits {
   public:
    Traits() = default;
    Traits(std::uint32_t leaves, std::uint32_t marks) : word_(std::uint64_t{leaves} << 32 | marks) {}

    std::uint32_t leaves() const { return static_cast<std::uint32_t>(word_ >> 32); }
    /// The two marks below, and the depth in units of `one_deeper`.
    std::uint32_t marks() const { return static_cast<std::uint32_t>(word_); }
    void mark_operand() { word_ |= is_operand; }

   private:
    std::uint64_t word_;
  };
  static constexpr std::uint32_t is_operand = 1;  // is it an operand of some sum?
  static constexpr std::uint32_t is_shared = 2;   // does a sum in it, or itself, have an operand that was one before?
  static constexpr std::uint32_t one_deeper = 4;

  std::uint32_t leaves() const { return static_cast<std::uint32_t>(ranks_); }
  const Node& node(Term sum) const { return nodes_[id(sum)]; }
  Term sum_with_used(Term a, Term b);
  Term find(Node operands);
  Slot& slot_of(Node operands);
  void bring_index_up_to_date();
  void make_room();

  Term append(Node operands, Traits traits) {
    if (end_ == room_) make_room();
    nodes_[end_] = operands;
    traits_[end_] = traits;
    return static_cast<Term>(end_++);
  }

  Rank ranks_;
  std::uint32_t end_ = 0;   // one more than the largest id in use
  std::uint32_t room_ = 0;  // how many ids nodes_ and traits_ have room for
  // Not touched before they are used.
  std::unique_ptr<Node[]> nodes_;     // by id; only sums have one
  std::unique_ptr<Traits[]> traits_;  // by id; those of `nothing` are never a summand's
  std::vector<Slot> index_;           // open addressing, a power of two, at most half full
  std::uint32_t indexed_ = 0;         // one more than the largest id in the index
  int index_shift_ = 64;
  std::uint32_t epoch_ = 1;
};

}  // namespace onceover::verifier
