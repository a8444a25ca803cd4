// DataOrder: which operations of a rank must wait for which, because they touch the same memory.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// Takes the operations of a rank in an order that would be right one after another. For each it finds the earlier ones
/// that it must not overtake: the last that wrote what it touches and, if it writes, all that read it since.
///
/// Input and output count as different memory, because programs in place name only one of them. Memory: 32 bytes a
/// chunk of the rank's buffers and 4 a read. add: O(chunks touched + answers * log).
class DataOrder {
 public:
  explicit DataOrder(const Buffers& sizes);

  /// Replaces `before` with the positions for which the operation must wait, descending, each once. Positions count the
  /// operations added. Parts of one message or act share the position of the first, and don't wait for each other.
  void add(const Operation& operation, std::vector<std::int32_t>& before);

 private:
  struct Chunk {
    std::int32_t writer = -1;
    std::vector<std::int32_t> readers = {};
  };

  template <class Visit>
  void for_each(const ChunkRange& range, Visit&& visit);

  std::int32_t begin_[3];
  std::vector<Chunk> chunks_;
  std::int32_t position_ = -1;
};

}  // namespace onceover::formats
