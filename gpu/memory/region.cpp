#include "gpu/memory/region.h"

#include <cassert>
#include <cstring>
#include <new>
#include <utility>

namespace onceover::gpu {
namespace {

constexpr std::uint8_t pair_of_bytes = 0;  // the detail of a packed term
constexpr std::uint8_t byte_of_lane = 1;   // the detail of an opaque term: byte c of its part

template <class T>
T* zeroed(std::uint64_t count) {
  void* memory = std::calloc(count, sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

}  // namespace

Region::Region(std::string name, Rank rank, std::uint64_t base, std::uint64_t size, bool is_tracked, bool is_constant)
    : name_(std::move(name)),
      rank_(rank),
      base_(base),
      size_(size),
      is_tracked_(is_tracked),
      is_constant_(is_constant),
      bytes_(zeroed<std::uint8_t>(size + 16)),
      lanes_(zeroed<Lane>(size / 2 + 8)),
      pages_(is_tracked ? size / 4 / cells_a_page + 1 : 0) {}

void Region::reset() {
  std::memset(bytes_.get(), 0, size_);
  std::memset(static_cast<void*>(lanes_.get()), 0, (size_ / 2 + 1) * sizeof(Lane));
  for (auto& page : pages_) page.reset();
}

Value Region::load(std::uint64_t offset, std::uint32_t bytes, ValueTerms& terms) const {
  if (bytes == 1) return load_byte(offset, terms);
  Value value;
  std::memcpy(&value.bits, bytes_.get() + offset, bytes);
  std::memcpy(static_cast<void*>(value.lanes.data()), lanes_.get() + offset / 2, bytes / 2 * sizeof(Lane));
  return value;
}

bool Region::store(std::uint64_t offset, std::uint32_t bytes, const Value& value, ValueTerms& terms) {
  if (bytes == 1) return store_byte(offset, value, terms);
  const bool changes = std::memcmp(bytes_.get() + offset, &value.bits, bytes) != 0 ||
                       std::memcmp(lanes_.get() + offset / 2, value.lanes.data(), bytes / 2 * sizeof(Lane)) != 0;
  if (!changes) return false;
  std::memcpy(bytes_.get() + offset, &value.bits, bytes);
  std::memcpy(static_cast<void*>(lanes_.get() + offset / 2), value.lanes.data(), bytes / 2 * sizeof(Lane));
  return true;
}

Value Region::load_byte(std::uint64_t offset, ValueTerms& terms) const {
  Value value = concrete(bytes_[offset]);
  const Lane lane = lanes_[offset / 2];
  if (lane.is_empty()) return value;
  std::uint16_t both = 0;
  std::memcpy(&both, bytes_.get() + offset / 2 * 2, 2);
  const ValueTerm term = part_of_pair(terms, lane, both, offset % 2 == 1);
  if (terms[term].kind != TermKind::constant) value.lanes[0] = Lane(term, 0);
  return value;
}

bool Region::store_byte(std::uint64_t offset, const Value& value, ValueTerms& terms) {
  Lane& lane = lanes_[offset / 2];
  const bool is_high = offset % 2 == 1;
  const auto byte = static_cast<std::uint8_t>(value.bits);
  const Lane before = lane;
  if (!lane.is_empty() || !value.lanes[0].is_empty()) {
    std::uint16_t both = 0;
    std::memcpy(&both, bytes_.get() + offset / 2 * 2, 2);
    const ValueTerm other = part_of_pair(terms, lane, both, !is_high);
    const ValueTerm stored = value.lanes[0].is_empty() ? terms.constant(ElementType::u8, byte)
                                                       : part_of_pair(terms, value.lanes[0], byte, false);
    lane = is_high ? paired_lane(terms, other, stored) : paired_lane(terms, stored, other);
  }
  return std::exchange(bytes_[offset], byte) != byte || !(before == lane);
}

Lane paired_lane(ValueTerms& terms, ValueTerm low, ValueTerm high) {
  const bool has_low = terms[low].kind != TermKind::constant;
  const bool has_high = terms[high].kind != TermKind::constant;
  if (!has_low && !has_high) return {};
  return {terms.packed(pair_of_bytes, ElementType::u16, low, high), 0};
}

ValueTerm part_of_pair(ValueTerms& terms, Lane lane, std::uint16_t bits, bool is_high) {
  const auto byte = static_cast<std::uint8_t>(is_high ? bits >> 8 : bits);
  if (lane.is_empty()) return terms.constant(ElementType::u8, byte);
  const TermNode node = terms[lane.term()];
  if (node.kind == TermKind::packed && node.detail == pair_of_bytes && node.type == ElementType::u16)
    return static_cast<ValueTerm>(is_high ? node.b : node.a);
  if (size_of(node.type) == 1) return is_high ? terms.constant(ElementType::u8, 0) : lane.term();
  if (node.kind == TermKind::unwritten) return lane.term();
  return terms.opaque(byte_of_lane, ElementType::u8, lane.term(), ValueTerm::none, lane.part() * 2 + (is_high ? 1 : 0));
}

}  // namespace onceover::gpu
