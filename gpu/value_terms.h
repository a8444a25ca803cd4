// What a GPU's values are made of: hash-consed terms over the elements of inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/element_type.h"

namespace onceover::gpu {

/// A term, by its number; `none` for a value that no input had a part in.
enum class ValueTerm : std::uint32_t { none = 0 };

enum class TermKind : std::uint8_t {
  none,
  leaf,       // an input's element: of buffer `a` in call `c`, element `b`
  unwritten,  // memory that holds nothing: of buffer `a`, poisoned in call `c`; element `b`
  constant,   // `type`, bits a | b << 32
  combined,   // `operation` of a and b, in `type`; a <= b, since operations here commute
  converted,  // a, rounded from type `c` to `type`
  widened,    // a, converted exactly from type `c` to `type`
  switched,  // a sum that a multimem instruction made, the c-th of a run, in an order that isn't told: `combined`s in a
  packed,    // two halves of other terms, side by side
  opaque,    // what anything else makes of its operands
};

enum class Combining : std::uint8_t { add, multiply, minimum, maximum, bit_and, bit_or, bit_xor };

struct TermNode {
  TermKind kind;
  std::uint8_t detail;  // a Combining, or what the kind says
  ElementType type;
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t c;

  friend bool operator==(const TermNode&, const TermNode&) = default;
};

/// All terms of a run. A term's operands have lower numbers, and equal terms have equal numbers.
///
/// A term with an operand that no earlier term has had is new, without a search. Others are looked up in an index that
/// is updated only then. Memory: 24 bytes a term, and up to 16 more for the index. There may be 2^30 terms; beyond that
/// std::bad_alloc is thrown. Making a term: O(1) expected.
class ValueTerms {
 public:
  ValueTerms();

  /// The elements of a buffer in a call: element `e` is the returned term plus `e`. Once for each buffer and call.
  ValueTerm leaves(ElementType type, std::size_t buffer, std::uint64_t elements, std::uint32_t call);
  ValueTerm unwritten(ElementType type, std::size_t buffer, std::uint64_t element, std::uint32_t call);
  ValueTerm constant(ElementType type, std::uint64_t bits);
  /// A sum with a constant zero is the other operand.
  ValueTerm combined(Combining operation, ElementType type, ValueTerm a, ValueTerm b);
  /// A term converted exactly and back is the term.
  ValueTerm converted(ElementType to, ElementType from, ValueTerm a);
  /// Two sums of the same may be added up in different orders, so each `instance` is a term of its own.
  ValueTerm switched(ElementType type, ValueTerm a, std::uint32_t instance);
  ValueTerm packed(std::uint8_t detail, ElementType type, ValueTerm a, ValueTerm b);
  ValueTerm opaque(std::uint8_t detail, ElementType type, ValueTerm a, ValueTerm b, std::uint32_t c);

  const TermNode& operator[](ValueTerm term) const { return nodes_[static_cast<std::uint32_t>(term)]; }
  std::size_t size() const { return nodes_.size(); }
  /// Does the term contain memory that holds nothing?
  bool has_unwritten(ValueTerm term) const { return has_unwritten_[static_cast<std::uint32_t>(term)]; }

 private:
  ValueTerm made(const TermNode& node);
  ValueTerm appended(const TermNode& node);
  bool has_new_operand(const TermNode& node) const;
  void mark_operands(const TermNode& node);
  void bring_index_up_to_date();
  ValueTerm made_atom(const TermNode& node);
  std::uint32_t& slot_of(std::vector<std::uint32_t>& index, const TermNode& node);

  std::vector<TermNode> nodes_;
  bool contains_unwritten(const TermNode& node) const;

  std::vector<bool> has_unwritten_;  // by term
  std::vector<bool> is_operand_;     // by term: of some term?
  // Open addressing, powers of two, at most half full.
  std::vector<std::uint32_t> index_;  // of terms with operands
  std::size_t indexed_ = 1;           // the first term that isn't there, if it has operands
  std::vector<std::uint32_t> atoms_;  // of unwritten memory and constants
  std::size_t atom_count_ = 0;
};

}  // namespace onceover::gpu
