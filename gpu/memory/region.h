// A piece of memory: bytes, what they are made of, and who accessed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/memory/access_record.h"
#include "gpu/memory/synchronization.h"
#include "gpu/schedule/choices.h"
#include "gpu/value.h"

namespace onceover::gpu {

/// A write that a strong relaxed read may still return.
struct OlderWrite {
  std::uint64_t store = 0;  // equal for all parts of one store; 0 for what was there at first
  std::uint32_t bits = 0;   // of the whole cell, after it
  Lane low;
  Lane high;
  std::uint8_t mask = 15;  // of the bytes that it wrote
  std::uint32_t thread = 0;
  Moment moment;
  Scope scope = Scope::none;
  std::uint32_t bytes = 0;
  bool is_strong = false;
  Releases releases;
  std::vector<SingleWrite> sequence;
  TracePointer trace;
};

/// What strong accesses and spinning threads need to know of a cell.
struct CellSync {
  Releases releases;       // of the latest write
  bool is_strong = false;  // was the latest write strong?
  std::uint32_t writer = 0;
  Moment moment;
  Scope scope = Scope::none;
  std::uint32_t bytes = 0;              // of its access
  std::uint8_t mask = 15;               // of the bytes of the cell that it wrote, if it was strong
  std::vector<SingleWrite> sequence;    // writes that are certainly before it
  std::vector<std::uint32_t> watchers;  // threads that wait for a change
  std::vector<OlderWrite> older;        // the latest last; empty unless older values are asked for
  std::uint32_t dropped = 0;            // how many have left the front of `older`
  TracePointer trace;                   // of the latest write, if all interleavings are tried
};

/// Four bytes. Of the size of a cache line.
struct alignas(64) TrackedCell {
  AccessHistory accesses;
  std::unique_ptr<CellSync> sync;  // null until needed

  CellSync& synced() {
    if (sync == nullptr) sync = std::make_unique<CellSync>();
    return *sync;
  }
};

/// Of bytes that are in one cell.
inline std::uint8_t bytes_in_cell(std::uint64_t offset, std::uint64_t bytes) {
  return static_cast<std::uint8_t>(((1u << bytes) - 1) << (offset % 4));
}

/// The bytes of an access that are in the cell at `cell`.
inline std::uint8_t bytes_in_cell(std::uint64_t cell, std::uint64_t offset, std::uint64_t bytes) {
  return bytes < 4 ? bytes_in_cell(offset, bytes) : bytes_in_cell(cell, 4);
}

/// Memory of `size` bytes at `base`. Bytes are zero at first. Memory used: 3 bytes a byte, and 64 a cell of four bytes
/// in pages that were accessed.
class Region {
 public:
  Region(std::string name, Rank rank, std::uint64_t base, std::uint64_t size, bool is_tracked, bool is_constant);

  const std::string& name() const { return name_; }
  Rank rank() const { return rank_; }
  std::uint64_t base() const { return base_; }
  std::uint64_t size() const { return size_; }
  bool is_tracked() const { return is_tracked_; }
  bool is_constant() const { return is_constant_; }
  bool has(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  /// 1, 2, 4 or 8 bytes at a multiple of their number.
  Value load(std::uint64_t offset, std::uint32_t bytes, ValueTerms& terms) const;
  /// Did it change anything?
  bool store(std::uint64_t offset, std::uint32_t bytes, const Value& value, ValueTerms& terms);

  std::uint8_t* bytes() { return bytes_.get(); }
  const std::uint8_t* bytes() const { return bytes_.get(); }
  Lane* lanes() { return lanes_.get(); }
  const Lane* lanes() const { return lanes_.get(); }
  /// The whole region holds zeros, which nobody accessed.
  void reset();

  TrackedCell& cell(std::uint64_t offset) {
    const std::uint64_t index = offset / 4;
    std::unique_ptr<TrackedCell[]>& page = pages_[index / cells_a_page];
    if (page == nullptr) page = std::make_unique<TrackedCell[]>(cells_a_page);
    return page[index % cells_a_page];
  }

 private:
  static constexpr std::uint64_t cells_a_page = 256;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  Value load_byte(std::uint64_t offset, ValueTerms& terms) const;
  bool store_byte(std::uint64_t offset, const Value& value, ValueTerms& terms);

  std::string name_;
  Rank rank_;
  std::uint64_t base_;
  std::uint64_t size_;
  bool is_tracked_;
  bool is_constant_;
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::unique_ptr<Lane[], Free> lanes_;  // one for two bytes
  std::vector<std::unique_ptr<TrackedCell[]>> pages_;
};

/// Two bytes in a lane: terms of 8 bits, or constants. `part_of_pair` takes one of them out again.
Lane paired_lane(ValueTerms& terms, ValueTerm low, ValueTerm high);
ValueTerm part_of_pair(ValueTerms& terms, Lane lane, std::uint16_t bits, bool is_high);

}  // namespace onceover::gpu
