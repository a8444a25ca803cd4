#include "gpu/value_terms.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace onceover::gpu {
namespace {

std::uint64_t hash_of(const TermNode& node) {
  std::uint64_t hash = static_cast<std::uint64_t>(node.kind) << 16 | std::uint64_t{node.detail} << 8 |
                       static_cast<std::uint64_t>(node.type);
  for (const std::uint32_t part : {node.a, node.b, node.c}) hash = (hash ^ hash >> 29) * 0x9E3779B97F4A7C15u + part;
  hash *= 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 32;
}

bool is_exact(ElementType to, ElementType from) {
  using enum ElementType;
  switch (from) {
    case e4m3:
    case e5m2: return to == f16 || to == f32 || to == f64;
    case f16:
    case bf16: return to == f32 || to == f64;
    case f32: return to == f64;
    default: return false;
  }
}

/// Is the constant a zero, of either sign?
bool is_zero(const TermNode& node) {
  if (node.kind != TermKind::constant) return false;
  const std::uint64_t bits = node.a | std::uint64_t{node.b} << 32;
  if (!is_floating(node.type)) return bits == 0;
  const auto sign = std::uint64_t{1} << (8 * size_of(node.type) - 1);
  return (bits & ~sign) == 0;
}

std::uint32_t id(ValueTerm term) {
  return static_cast<std::uint32_t>(term);
}

}  // namespace

ValueTerms::ValueTerms()
    : nodes_{TermNode{}}, has_unwritten_{false}, is_operand_{true}, index_(1 << 12), atoms_(1 << 10) {}

ValueTerm ValueTerms::leaves(ElementType type, std::size_t buffer, std::uint64_t elements, std::uint32_t call) {
  const auto first = static_cast<ValueTerm>(nodes_.size());
  for (std::uint64_t element = 0; element < elements; ++element)
    appended({TermKind::leaf, static_cast<std::uint8_t>(element >> 32), type, static_cast<std::uint32_t>(buffer),
              static_cast<std::uint32_t>(element), call});
  return first;
}

ValueTerm ValueTerms::unwritten(ElementType type, std::size_t buffer, std::uint64_t element, std::uint32_t call) {
  return made_atom({TermKind::unwritten, static_cast<std::uint8_t>(element >> 32), type,
                    static_cast<std::uint32_t>(buffer), static_cast<std::uint32_t>(element), call});
}

ValueTerm ValueTerms::constant(ElementType type, std::uint64_t bits) {
  return made_atom(
      {TermKind::constant, 0, type, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), 0});
}

ValueTerm ValueTerms::combined(Combining operation, ElementType type, ValueTerm a, ValueTerm b) {
  if (operation == Combining::add) {
    if (is_zero((*this)[a])) return b;
    if (is_zero((*this)[b])) return a;
  }
  return made({TermKind::combined, static_cast<std::uint8_t>(operation), type, std::min(id(a), id(b)),
               std::max(id(a), id(b)), 0});
}

ValueTerm ValueTerms::converted(ElementType to, ElementType from, ValueTerm a) {
  if (to == from) return a;
  const TermNode node = (*this)[a];
  if (node.kind == TermKind::widened && static_cast<ElementType>(node.c) == to) return static_cast<ValueTerm>(node.a);
  const TermKind kind = is_exact(to, from) ? TermKind::widened : TermKind::converted;
  return made({kind, 0, to, id(a), 0, static_cast<std::uint32_t>(from)});
}

ValueTerm ValueTerms::switched(ElementType type, ValueTerm a, std::uint32_t instance) {
  return made({TermKind::switched, 0, type, id(a), 0, instance});
}

ValueTerm ValueTerms::packed(std::uint8_t detail, ElementType type, ValueTerm a, ValueTerm b) {
  return made({TermKind::packed, detail, type, id(a), id(b), 0});
}

ValueTerm ValueTerms::opaque(std::uint8_t detail, ElementType type, ValueTerm a, ValueTerm b, std::uint32_t c) {
  return made({TermKind::opaque, detail, type, id(a), id(b), c});
}

ValueTerm ValueTerms::made(const TermNode& node) {
  if (has_new_operand(node)) {
    mark_operands(node);
    return appended(node);
  }
  bring_index_up_to_date();
  const std::uint32_t known = slot_of(index_, node);
  if (known != 0) return static_cast<ValueTerm>(known);
  return appended(node);
}

ValueTerm ValueTerms::appended(const TermNode& node) {
  constexpr std::size_t most_terms = std::size_t{1} << 30;
  if (nodes_.size() >= most_terms) throw std::bad_alloc();
  nodes_.push_back(node);
  is_operand_.push_back(false);
  has_unwritten_.push_back(contains_unwritten(node));
  return static_cast<ValueTerm>(nodes_.size() - 1);
}

bool ValueTerms::contains_unwritten(const TermNode& node) const {
  switch (node.kind) {
    case TermKind::unwritten: return true;
    case TermKind::combined:
    case TermKind::packed:
    case TermKind::opaque: return has_unwritten_[node.a] || has_unwritten_[node.b];
    case TermKind::converted:
    case TermKind::widened:
    case TermKind::switched: return has_unwritten_[node.a];
    default: return false;
  }
}

/// Only kinds whose `a` and `b` are terms have operands.
bool ValueTerms::has_new_operand(const TermNode& node) const {
  switch (node.kind) {
    case TermKind::combined:
    case TermKind::packed:
    case TermKind::opaque: return !is_operand_[node.a] || !is_operand_[node.b];
    case TermKind::converted:
    case TermKind::widened:
    case TermKind::switched: return !is_operand_[node.a];
    default: return false;
  }
}

void ValueTerms::mark_operands(const TermNode& node) {
  is_operand_[node.a] = true;
  is_operand_[node.b] = true;
}

void ValueTerms::bring_index_up_to_date() {
  if (2 * nodes_.size() >= index_.size()) {
    index_.assign(std::bit_ceil(4 * nodes_.size()), 0);
    indexed_ = 1;
  }
  for (; indexed_ < nodes_.size(); ++indexed_)
    if (nodes_[indexed_].kind > TermKind::constant)
      slot_of(index_, nodes_[indexed_]) = static_cast<std::uint32_t>(indexed_);
}

ValueTerm ValueTerms::made_atom(const TermNode& node) {
  if (2 * atom_count_ >= atoms_.size()) {
    std::vector<std::uint32_t> larger(4 * atoms_.size());
    for (const std::uint32_t atom : atoms_)
      if (atom != 0) slot_of(larger, nodes_[atom]) = atom;
    atoms_ = std::move(larger);
  }
  std::uint32_t& slot = slot_of(atoms_, node);
  if (slot != 0) return static_cast<ValueTerm>(slot);
  const ValueTerm made = appended(node);
  slot = id(made);
  ++atom_count_;
  return made;
}

/// Where the node is in an index, or may be put.
std::uint32_t& ValueTerms::slot_of(std::vector<std::uint32_t>& index, const TermNode& node) {
  for (std::size_t at = hash_of(node) & (index.size() - 1);; at = (at + 1) & (index.size() - 1))
    if (index[at] == 0 || nodes_[index[at]] == node) return index[at];
}

}  // namespace onceover::gpu
