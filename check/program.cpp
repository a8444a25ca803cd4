#include "check/program.h"

#include "check/cursor.h"

namespace check {

std::optional<ProgramFile::Due> ProgramFile::due(std::uint64_t rank, std::uint64_t k) const {
  const bool is_asked = rank == root || (collective != "reduce" && collective != "gather");
  if (!is_asked) return std::nullopt;
  if (collective == "reduce-scatter") return Due{rank * share() + k, {}};
  if (collective == "allgather" || collective == "gather") return Due{k % share(), k / share()};
  if (collective == "broadcast") return Due{k, root};
  if (collective == "scatter") return Due{rank * share() + k, root};
  if (collective == "alltoall") return Due{rank * share() + k % share(), k / share()};
  return Due{k, {}};
}

void ProgramFile::size_buffers(const Cursor& at) {
  constexpr std::uint64_t most_cells = std::uint64_t{1} << 24;
  bool is_known = false;
  for (const char* name :
       {"allreduce", "reduce", "broadcast", "allgather", "gather", "reduce-scatter", "scatter", "alltoall"})
    is_known = is_known || collective == name;
  if (!is_known) at.unproven("not covered: nothing says what " + collective + " promises");
  const bool is_whole = collective == "allreduce" || collective == "reduce" || collective == "broadcast";
  if (!is_whole && chunks % ranks.size() != 0) at.malformed("expected chunks that the ranks can share");
  if (chunks * ranks.size() > most_cells) at.unproven("not covered: so many chunks");
  for (RankSteps& rank : ranks) {
    rank.chunks[0] = collective == "allgather" || collective == "gather" ? share() : chunks;
    rank.chunks[1] = collective == "reduce-scatter" || collective == "scatter" ? share() : chunks;
  }
}

ProgramMemory::ProgramMemory(const ProgramFile& file, bool in_place, const Cursor& at)
    : file_(file), in_place_(in_place), first_{0} {
  for (const RankSteps& rank : file.ranks) {
    const std::uint64_t own = in_place ? std::max(rank.chunks[0], rank.chunks[1]) : rank.chunks[0] + rank.chunks[1];
    first_.push_back(first_.back() + own + rank.chunks[2]);
    if (first_.back() > std::uint64_t{1} << 24) at.unproven("not covered: so much memory");
  }
  chunks_.resize(first_.back());
  for (std::uint64_t r = 0; r < file.ranks.size(); ++r)
    if (file.begins_with_data(r))
      for (std::uint64_t k = 0; k < file.ranks[r].chunks[0]; ++k)
        chunks_[first(r, {ChunksOf::input, k, 1}, at)].value = {leaf(r, k)};
}

std::uint32_t ProgramMemory::leaf(std::uint64_t rank, std::uint64_t chunk) const {
  return static_cast<std::uint32_t>(rank * file_.ranks[0].chunks[0] + chunk);
}

/// The cell of the first chunk. In place, the smaller one of input and output is the rank's share of the other.
std::uint64_t ProgramMemory::first(std::uint64_t rank, const Chunks& chunks, const Cursor& at) const {
  const auto& sizes = file_.ranks[rank].chunks;
  if (chunks.first + chunks.count > sizes[static_cast<std::size_t>(chunks.memory)])
    at.unproven("this moves chunks that its rank doesn't have");
  const std::uint64_t input = sizes[0], output = sizes[1];
  std::uint64_t begin = first_[rank] + chunks.first;
  switch (chunks.memory) {
    case ChunksOf::input: return begin + (in_place_ && input < output ? rank * input : 0);
    case ChunksOf::output: return begin + (!in_place_ ? input : output < input ? rank * output : 0);
    default: return begin + (in_place_ ? std::max(input, output) : input + output);
  }
}

std::vector<Summands> ProgramMemory::read(std::uint64_t rank, const Chunks& chunks, const StepUse& use,
                                          const Known& known, const Cursor& at) {
  std::vector<Summands> values;
  const std::uint64_t begin = first(rank, chunks, at);
  for (std::uint64_t c = begin; c < begin + chunks.count; ++c) {
    Chunk& chunk = chunks_[c];
    if (chunk.value.empty()) at.unproven("this reads what nothing has set");
    for (const StepUse& w : chunk.writer)
      if (w.step != use.step && known_of(known, w.chain) < w.value)
        at.unproven("a read isn't known to come after the write before it");
    chunk.readers.push_back(use);
    values.push_back(chunk.value);
  }
  return values;
}

void ProgramMemory::write(std::uint64_t rank, const Chunks& chunks, const std::vector<Summands>& values,
                          const StepUse& use, const Known& known, const Cursor& at) {
  const std::uint64_t begin = first(rank, chunks, at);
  if (!in_place_ && chunks.memory == ChunksOf::input) at.unproven("a step writes to an input");
  for (std::uint64_t k = 0; k < chunks.count; ++k) {
    Chunk& chunk = chunks_[begin + k];
    for (const StepUse& r : chunk.readers)
      if (r.step != use.step && known_of(known, r.chain) < r.value)
        at.unproven("a write isn't known to come after a read");
    for (const StepUse& w : chunk.writer)
      if (w.step != use.step && known_of(known, w.chain) < w.value)
        at.unproven("a write isn't known to come after the write before it");
    chunk.readers.clear();
    chunk.writer = {use};
    chunk.value = values[k];
  }
}

void ProgramMemory::check_ranges(std::uint64_t rank, const Part& part, const Cursor& at) const {
  if (!part.source || !part.target) return;
  const std::uint64_t from = first(rank, *part.source, at), to = first(rank, *part.target, at);
  const std::uint64_t distance = from < to ? to - from : from - to;
  if (distance > 0 && distance < part.target->count)
    at.unproven("this reads and writes chunks that overlap and aren't the same");
}

Summands ProgramMemory::sum(const Summands& a, const Summands& b, const Cursor& at) {
  Summands sum;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(sum));
  if (std::adjacent_find(sum.begin(), sum.end()) != sum.end()) at.unproven("a contribution is added twice");
  return sum;
}

void ProgramMemory::check_results(const Cursor& at) const {
  for (std::uint64_t r = 0; r < file_.ranks.size(); ++r)
    for (std::uint64_t k = 0; k < file_.ranks[r].chunks[1]; ++k) {
      const auto due = file_.due(r, k);
      if (!due) continue;
      Summands wanted;
      for (std::uint64_t other = 0; other < file_.ranks.size(); ++other)
        if (!due->rank || *due->rank == other) wanted.push_back(leaf(other, due->input));
      if (chunks_[first(r, {ChunksOf::output, k, 1}, at)].value != wanted)
        at.unproven("chunk " + std::to_string(k) + " of rank " + std::to_string(r) + "'s output isn't what it must be");
    }
}

}  // namespace check
