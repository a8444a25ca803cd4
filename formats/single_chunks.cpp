#include "formats/single_chunks.h"

#include <algorithm>

namespace onceover::formats {

namespace {

std::int32_t pieces_of(const Operation& operation) {
  return std::max({operation.source.count, operation.target.count, 1});
}

ChunkRange chunk_of(ChunkRange range, std::int32_t k) {
  if (range.count == 0) return range;
  return {range.buffer, range.first + k, 1};
}

}  // namespace

std::uint64_t operations_in_single_chunks(const Program& program) {
  if (!program.threads_are_ordered) return program.operations.size();
  std::uint64_t pieces = 0;
  for (const Operation& operation : program.operations) pieces += static_cast<std::uint64_t>(pieces_of(operation));
  return pieces;
}

Program in_single_chunks(const Program& program, ChunkOrder order) {
  Program cut = program;
  cut.operations.clear();
  cut.operations.reserve(operations_in_single_chunks(program));
  std::vector<OperationId> first;  // the first piece of each operation, and one past the last piece
  for (const Operation& operation : program.operations) {
    first.push_back(static_cast<OperationId>(cut.operations.size()));
    const std::int32_t pieces = pieces_of(operation);
    for (std::int32_t n = 0; n < pieces; ++n) {
      const std::int32_t k = order == ChunkOrder::upward ? n : pieces - 1 - n;
      Operation& piece = cut.operations.emplace_back(operation);
      piece.source = chunk_of(operation.source, k);
      piece.target = chunk_of(operation.target, k);
    }
  }
  first.push_back(static_cast<OperationId>(cut.operations.size()));
  auto first_of = [&](OperationId id) { return first[static_cast<std::size_t>(id)]; };
  for (Dependency& wait : cut.dependencies) {
    wait.before = wait.on_start ? first_of(wait.before) : first_of(wait.before + 1) - 1;
    wait.after = first_of(wait.after);
  }
  for (Hang& hang : cut.hangs) hang.operation = first_of(hang.operation);
  return cut;
}

}  // namespace onceover::formats
