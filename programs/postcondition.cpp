#include "programs/postcondition.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::programs {

namespace {

std::int32_t size_of(const Buffers& sizes, Buffer buffer) {
  return buffer == Buffer::input ? sizes.input : buffer == Buffer::output ? sizes.output : sizes.scratch;
}

}  // namespace

Memory::Memory(const Program& program, bool in_place) : program_(program), first_{0} {
  const Promise promise = promise_of(program);
  for (Rank r = 0; r < program.ranks; ++r) {
    const Buffers& sizes = program.buffers[static_cast<std::size_t>(r)];
    const auto input = static_cast<std::uint32_t>(sizes.input), output = static_cast<std::uint32_t>(sizes.output);
    Offsets offsets{0, input, input + output};
    if (in_place) {
      const SharedBegins begins = promise.in_place(r);
      offsets = {static_cast<std::uint32_t>(begins.input), static_cast<std::uint32_t>(begins.result),
                 std::max(input, output)};
    }
    offsets_.push_back(offsets);
    first_.push_back(first_.back() + offsets.scratch + static_cast<std::uint32_t>(sizes.scratch));
  }
}

std::optional<Cell> Memory::cell(Rank rank, const ChunkRange& range) const {
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t end = std::int64_t{range.first} + range.count;
  if (range.first < 0 || end > size_of(program_.buffers[r], range.buffer)) return std::nullopt;
  const Offsets& offsets = offsets_[r];
  const std::uint32_t begin = range.buffer == Buffer::input    ? offsets.input
                              : range.buffer == Buffer::output ? offsets.output
                                                               : offsets.scratch;
  return first_[r] + begin + static_cast<std::uint32_t>(range.first);
}

std::string Memory::text(Rank rank, Cell cell) const {
  const auto r = static_cast<std::size_t>(rank);
  const Buffers& sizes = program_.buffers[r];
  const Offsets& offsets = offsets_[r];
  const std::int64_t at = std::int64_t{cell} - first_[r];
  std::string text;
  auto add = [&](char letter, std::int64_t begin, std::int64_t size) {
    if (at >= begin && at < begin + size) text += fmt::format("{}{}[{}]", text.empty() ? "" : "=", letter, at - begin);
  };
  add('i', offsets.input, sizes.input);
  add('o', offsets.output, sizes.output);
  add('s', offsets.scratch, sizes.scratch);
  return text;
}

Promise promise_of(const Program& program) {
  const PromiseRow& row = promise_row(program.collective);
  const bool has_parts = row.input_has_parts || row.result_has_parts;
  return {row, program.ranks, program.root,
          even_parts(row, has_parts ? program.chunks / program.ranks : program.chunks)};
}

std::vector<Postcondition> postconditions(const Program& program, const Promise& promise, Rank rank) {
  std::vector<Postcondition> all;
  const PromisedResult result = promise.result(rank);
  for (std::int32_t k = 0; k < program.buffers[static_cast<std::size_t>(rank)].output; ++k)
    if (const Owed owed = result.owed(k); !owed.ranks.empty()) all.push_back({k, owed});
  return all;
}

Block block_of(const Program& program, Rank rank, const Postcondition& postcondition) {
  const PromiseRow& row = promise_row(program.collective);
  const auto input = static_cast<std::int32_t>(postcondition.owed.element);
  if (!row.result_has_parts) return input;
  if (!row.input_has_parts) return postcondition.output;
  const std::int32_t share = program.chunks / program.ranks;
  const std::int32_t part = postcondition.output % share;
  return (part * program.ranks + postcondition.owed.ranks.front()) * program.ranks + rank;
}

std::optional<verifier::Counterexample::Route> route_of(const Program& program, Rank rank,
                                                        const Postcondition& postcondition) {
  const PromiseRow& row = promise_row(program.collective);
  if (!row.input_has_parts || !row.result_has_parts) return std::nullopt;
  verifier::Counterexample::Route route{postcondition.owed.ranks.front(), rank};
  const std::int32_t share = program.chunks / program.ranks;
  if (share > 1) route.part = postcondition.output % share;
  return route;
}

}  // namespace onceover::programs
