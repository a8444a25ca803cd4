// Accesses that later ones may race with.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/engine.h"
#include "gpu/memory/clock.h"
#include "gpu/value.h"

namespace onceover::gpu {

/// An access of some of the four bytes of a cell.
struct AccessRecord {
  static constexpr std::uint8_t is_write = 1;
  static constexpr std::uint8_t is_strong = 2;
  static constexpr std::uint8_t is_atomic = 4;
  static constexpr std::uint8_t is_unchanged = 8;  // a write of the value that was there
  static constexpr std::uint8_t is_non_coherent = 16;

  std::uint32_t thread = 0;
  Moment moment;
  std::uint32_t site = 0;
  std::uint16_t call = 0;
  std::uint8_t flags = 0;
  Scope scope = Scope::none;
  std::uint8_t mask = 0;   // of bytes; 0: no access
  std::uint8_t bytes = 0;  // of the whole access, or of its element if it has several

  bool writes() const { return (flags & is_write) != 0; }
  bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
};

/// Two accesses that shouldn't be as they are.
struct Conflict {
  FindingKind kind;
  AccessRecord earlier;
  AccessRecord later;
  bool same_value = false;  // both are writes of it; only `add_exactly` can tell
};

/// What a write puts into a cell, where its mask is.
struct WrittenValue {
  std::uint32_t bits = 0;
  std::array<Lane, 2> lanes{};
};

/// The accesses of a cell that later ones may conflict with and that no later access stands for. One stands for an
/// earlier one if it is ordered after it, and whatever conflicts with the earlier one conflicts with it, too.
class AccessHistory {
 public:
  /// What an access knows to be before it: accesses by `clock`, further reads by `reads`.
  struct Knowledge {
    const BlockSeats& seats;
    const Clock& clock;
    const Clock& reads;
    const Clock& launch;                       // when the kernel began
    const std::vector<SingleWrite>& observed;  // known, too
    bool lockstep;
  };

  /// Adds an access, and to `found` its conflicts with earlier ones.
  void add(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found);

  /// The same, but no access stands for another one, so that all conflicts are found, and which of them are of two
  /// writes of the same value. `value` is null unless the access is a kernel's write. Not beside `add`. Is there room
  /// for more accesses?
  bool add_exactly(const AccessRecord& now, const WrittenValue* value, const Knowledge& knowledge,
                   std::vector<Conflict>& found);

 private:
  struct Exact {
    AccessRecord record;
    bool has_value;
    WrittenValue value;
  };
  struct More {
    std::vector<AccessRecord> writes;
    std::vector<AccessRecord> reads;
    std::size_t reads_to_sweep = 8;
    std::vector<Exact> exact;
  };

  static bool are_same(const Exact& a, const Exact& b);

  void add_write(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found);
  void add_read(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found);
  void keep(const AccessRecord& now);

  AccessRecord write_;          // if its mask isn't 0
  AccessRecord read_;           // if its mask isn't 0
  std::unique_ptr<More> more_;  // others
};

}  // namespace onceover::gpu
