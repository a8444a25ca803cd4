// CellHistory: the accesses to memory that an order between them must cover.
//
// In one order of all accesses, a read must come after the last write of its cell, and a write after that and the
// reads since then. Order is transitive, so that covers all pairs of which one is a write.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace onceover::programs {

/// The last write of each cell and the reads since then. `Use` is what users know an access by. Memory: O(cells +
/// reads).
template <class Use>
class CellHistory {
 public:
  explicit CellHistory(std::size_t cells) : last_(cells) {}

  /// Calls with_write(last write), if there is one.
  template <class WithWrite>
  void read(std::size_t cell, const Use& use, WithWrite&& with_write) {
    Last& last = last_[cell];
    if (last.write != none) with_write(uses_[last.write].first);
    uses_.emplace_back(use, std::exchange(last.reads, size()));
  }

  /// Calls with_read(read) for the reads since the last write, the latest first, then with_write(last write).
  template <class WithRead, class WithWrite>
  void write(std::size_t cell, const Use& use, WithRead&& with_read, WithWrite&& with_write) {
    Last& last = last_[cell];
    for (std::uint32_t k = last.reads; k != none; k = uses_[k].second) with_read(uses_[k].first);
    if (last.write != none) with_write(uses_[last.write].first);
    last = {size(), none};
    uses_.emplace_back(use, none);
  }

  /// The last write of a cell; null if there is none.
  const Use* last_write(std::size_t cell) const {
    return last_[cell].write == none ? nullptr : &uses_[last_[cell].write].first;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Last {
    std::uint32_t write = none;
    std::uint32_t reads = none;
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(uses_.size()); }

  std::vector<Last> last_;
  std::vector<std::pair<Use, std::uint32_t>> uses_;  // with the read before it
};

}  // namespace onceover::programs
