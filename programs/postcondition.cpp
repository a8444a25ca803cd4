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
  for (Rank r = 0; r < program.ranks; ++r) {
    const Buffers& sizes = program.buffers[static_cast<std::size_t>(r)];
    const auto input = static_cast<std::uint32_t>(sizes.input), output = static_cast<std::uint32_t>(sizes.output);
    const auto rank = static_cast<std::uint32_t>(r);
    Places places{0, input, input + output};
    if (in_place) {
      places = {0, 0, std::max(input, output)};
      if (input < output) places.input = rank * input;
      if (output < input) places.output = rank * output;
    }
    places_.push_back(places);
    first_.push_back(first_.back() + places.scratch + static_cast<std::uint32_t>(sizes.scratch));
  }
}

std::optional<Cell> Memory::cell(Rank rank, const ChunkRange& range) const {
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t end = std::int64_t{range.first} + range.count;
  if (range.first < 0 || end > size_of(program_.buffers[r], range.buffer)) return std::nullopt;
  const Places& places = places_[r];
  const std::uint32_t begin = range.buffer == Buffer::input    ? places.input
                              : range.buffer == Buffer::output ? places.output
                                                               : places.scratch;
  return first_[r] + begin + static_cast<std::uint32_t>(range.first);
}

std::string Memory::text(Rank rank, Cell cell) const {
  const auto r = static_cast<std::size_t>(rank);
  const Buffers& sizes = program_.buffers[r];
  const Places& places = places_[r];
  const std::int64_t at = std::int64_t{cell} - first_[r];
  std::string text;
  auto add = [&](char letter, std::int64_t begin, std::int64_t size) {
    if (at >= begin && at < begin + size) text += fmt::format("{}{}[{}]", text.empty() ? "" : "=", letter, at - begin);
  };
  add('i', places.input, sizes.input);
  add('o', places.output, sizes.output);
  add('s', places.scratch, sizes.scratch);
  return text;
}

std::vector<Postcondition> postconditions(const Program& program, Rank rank) {
  std::vector<Postcondition> all;
  const Buffers& sizes = program.buffers[static_cast<std::size_t>(rank)];
  const std::int32_t share = program.chunks / program.ranks;
  for (std::int32_t k = 0; k < sizes.output; ++k) {
    switch (program.collective) {
      case Collective::allreduce: all.push_back({k, k, std::nullopt}); break;
      case Collective::reduce:
        if (rank == program.root) all.push_back({k, k, std::nullopt});
        break;
      case Collective::reduce_scatter: all.push_back({k, rank * share + k, std::nullopt}); break;
      case Collective::allgather: all.push_back({k, k % share, k / share}); break;
      case Collective::gather:
        if (rank == program.root) all.push_back({k, k % share, k / share});
        break;
      case Collective::broadcast: all.push_back({k, k, program.root}); break;
      case Collective::scatter: all.push_back({k, rank * share + k, program.root}); break;
      case Collective::alltoall: all.push_back({k, rank * share + k % share, k / share}); break;
    }
  }
  return all;
}

bool begins_with_data(const Program& program, Rank rank) {
  const bool only_root = program.collective == Collective::broadcast || program.collective == Collective::scatter;
  return !only_root || rank == program.root;
}

Block block_of(const Program& program, Rank rank, const Postcondition& postcondition) {
  switch (program.collective) {
    case Collective::allgather:
    case Collective::gather: return postcondition.output;
    case Collective::alltoall: {
      const std::int32_t share = program.chunks / program.ranks;
      const std::int32_t part = postcondition.output % share;
      return (part * program.ranks + *postcondition.contributor) * program.ranks + rank;
    }
    default: return postcondition.input;
  }
}

std::optional<verifier::Counterexample::Route> route_of(const Program& program, Rank rank,
                                                        const Postcondition& postcondition) {
  if (program.collective != Collective::alltoall) return std::nullopt;
  verifier::Counterexample::Route route{*postcondition.contributor, rank};
  const std::int32_t share = program.chunks / program.ranks;
  if (share > 1) route.part = postcondition.output % share;
  return route;
}

}  // namespace onceover::programs
