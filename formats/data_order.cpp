#include "formats/data_order.h"

#include <algorithm>
#include <functional>

namespace onceover::formats {

DataOrder::DataOrder(const Buffers& sizes)
    : begin_{0, sizes.input, sizes.input + sizes.output},
      chunks_(static_cast<std::size_t>(sizes.input) + static_cast<std::size_t>(sizes.output) +
              static_cast<std::size_t>(sizes.scratch)) {}

template <class Visit>
void DataOrder::for_each(const ChunkRange& range, Visit&& visit) {
  const std::int32_t first = begin_[static_cast<int>(range.buffer)] + range.first;
  for (std::int32_t k = 0; k < range.count; ++k) visit(chunks_[static_cast<std::size_t>(first + k)]);
}

void DataOrder::add(const Operation& operation, std::vector<std::int32_t>& before) {
  before.clear();
  if (!operation.is_part) ++position_;
  const bool writes = stores(operation.instruction);
  auto wait_for = [&](std::int32_t position) {
    if (position >= 0 && position != position_) before.push_back(position);
  };
  if (reads_source(operation.instruction)) for_each(operation.source, [&](Chunk& chunk) { wait_for(chunk.writer); });
  if (writes)
    for_each(operation.target, [&](Chunk& chunk) {
      wait_for(chunk.writer);
      for (const std::int32_t reader : chunk.readers) wait_for(reader);
    });
  if (reads_source(operation.instruction))
    for_each(operation.source, [&](Chunk& chunk) { chunk.readers.push_back(position_); });
  if (writes)
    for_each(operation.target, [&](Chunk& chunk) {
      chunk.writer = position_;
      chunk.readers.clear();
    });
  std::sort(before.begin(), before.end(), std::greater<>());
  before.erase(std::unique(before.begin(), before.end()), before.end());
}

}  // namespace onceover::formats
