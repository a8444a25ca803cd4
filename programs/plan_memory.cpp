// A rank's cells: its input, its output, its scratch. In place, the smaller of input and output lies in the larger, at
// the rank's share: in an allgather input chunk k is output chunk r*n + k, if the input has n chunks.

#include "programs/plan_memory.h"

#include <fmt/format.h>

#include <utility>

#include "formats/msccl_profile.h"
#include "formats/plan.h"

namespace onceover::programs {

namespace {

/// Where input and output begin in a rank's memory, and where scratch does, in chunks.
struct PlanOffsets {
  std::int64_t input;
  std::int64_t output;
  std::int64_t scratch;
};

PlanOffsets offsets_of(const ExecutionPlan& plan, Rank rank) {
  const Buffers& b = plan.gpus[static_cast<std::size_t>(rank)].chunks;
  if (!plan.in_place) return {0, b.input, std::int64_t{b.input} + b.output};
  const std::int64_t share = std::int64_t{rank} * std::min(b.input, b.output);
  if (b.input < b.output) return {share, 0, b.output};
  if (b.input > b.output) return {0, share, b.input};
  return {0, 0, b.input};
}

std::int64_t scratch_copies(const ExecutionPlan& plan) {
  return (plan.has_packet_scratch ? 2 : 1) * (plan.has_two_halves ? 2 : 1);
}

std::uint64_t cells_of(const ExecutionPlan& plan, Rank rank, std::uint64_t units) {
  const auto before = static_cast<std::uint64_t>(offsets_of(plan, rank).scratch);
  const auto scratch = static_cast<std::uint64_t>(plan.gpus[static_cast<std::size_t>(rank)].chunks.scratch);
  const std::uint64_t copies = static_cast<std::uint64_t>(scratch_copies(plan));
  return before * units + scratch * copies * std::min<std::uint64_t>(units, plan.scratch_ring);
}

/// The part of `units` that a slice takes.
CellRun part_of(std::uint32_t units, const PlanSlice& slice) {
  const auto parts = static_cast<std::uint32_t>(slice.parts), part = static_cast<std::uint32_t>(slice.part);
  const std::uint32_t least = units / parts, larger = units % parts;
  return {part * least + std::min(part, larger), least + (part < larger ? 1 : 0)};
}

CellContent content_of(const PlanOperation& operation, bool is_packet) {
  if (!is_packet) return CellContent::plain;
  return is_raw_copy(operation) ? CellContent::image : CellContent::packets;
}

}  // namespace

std::uint64_t cells_needed(const ExecutionPlan& plan, std::uint64_t units) {
  std::uint64_t cells = 0;
  for (std::size_t r = 0; r < plan.gpus.size(); ++r) cells += cells_of(plan, static_cast<Rank>(r), units);
  return cells;
}

PlanMemory::PlanMemory(const ExecutionPlan& plan, std::uint32_t units) : plan_(plan), units_(units) {
  per_rank_.push_back(0);
  for (std::size_t r = 0; r < plan.gpus.size(); ++r)
    per_rank_.push_back(per_rank_.back() + static_cast<Cell>(cells_of(plan, static_cast<Rank>(r), units)));
}

Cell PlanMemory::first_of(Rank rank, Buffer buffer) const {
  const PlanOffsets offsets = offsets_of(plan_, rank);
  const std::int64_t chunk = buffer == Buffer::input    ? offsets.input
                             : buffer == Buffer::output ? offsets.output
                                                        : offsets.scratch;
  return per_rank_[static_cast<std::size_t>(rank)] + static_cast<Cell>(chunk) * units_;
}

CellRun PlanMemory::input(Rank rank) const {
  return {first_of(rank, Buffer::input),
          chunks_to_units(plan_.gpus[static_cast<std::size_t>(rank)].chunks.input, Buffer::input)};
}

CellRun PlanMemory::output(Rank rank) const {
  return {first_of(rank, Buffer::output),
          chunks_to_units(plan_.gpus[static_cast<std::size_t>(rank)].chunks.output, Buffer::output)};
}

/// The runtime uses the second half in every other call, for scratch of the GPU's own and for packets to others. It
/// forgets it for other accesses to a peer's scratch, and for plain puts on port channels from scratch.
std::uint32_t PlanMemory::half_offset(const PlanOperation& operation, const PlanRange& range, CellContent content,
                                      std::int32_t call) const {
  if (range.buffer != Buffer::scratch || !plan_.has_two_halves || call % 2 == 0) return 0;
  if (content == CellContent::plain &&
      (range.where != PlanRange::Where::local || operation.channel == ChannelType::port))
    return 0;
  const std::int32_t chunks = plan_.gpus[static_cast<std::size_t>(range.ranks.front())].chunks.scratch;
  return chunks_to_units(chunks, Buffer::scratch) * (plan_.has_packet_scratch ? 2 : 1);
}

Operand PlanMemory::operand(const PlanOperation& operation, const PlanRange& range, Rank rank, CellContent content,
                            std::int32_t call) const {
  const CellRun part = operation.iteration ? CellRun{*operation.iteration % units_of(range.buffer), 1}
                                           : part_of(chunks_to_units(range.size, range.buffer), operation.slice);
  const std::uint32_t width = content == CellContent::plain ? 1 : 2;
  const Cell first = first_of(rank, range.buffer) + half_offset(operation, range, content, call);
  return {{first + width * (chunks_to_units(range.index, range.buffer) + part.first), width * part.count}, content};
}

void PlanMemory::add_operands(std::vector<Operand>& out, const PlanOperation& operation, const PlanRange& range,
                              CellContent content, std::int32_t call) const {
  for (const Rank rank : range.ranks) out.push_back(operand(operation, range, rank, content, call));
}

std::vector<Movement> PlanMemory::movements(const PlanOperation& operation, std::int32_t call) const {
  std::vector<Movement> movements;
  const PlanRule& rule = *plan_rule(operation.word);
  const std::size_t count = rule.pairs ? operation.sources.size() : operation.sources.empty() ? 0 : 1;
  movements.resize(count);
  if (count == 0) return movements;
  for (std::size_t k = 0; k < operation.sources.size(); ++k)
    add_operands(movements[rule.pairs ? k : 0].sources, operation, operation.sources[k],
                 content_of(operation, is_packet_source(operation, k)), call);
  for (std::size_t k = 0; k < operation.targets.size(); ++k)
    add_operands(movements[rule.pairs ? k : 0].targets, operation, operation.targets[k],
                 content_of(operation, is_packet_target(operation, k)), call);
  // Sums of packets add the local operand last.
  if (is_packet_source(operation, 1))
    std::rotate(movements[0].sources.begin(), movements[0].sources.begin() + 1, movements[0].sources.end());
  return movements;
}

Rank PlanMemory::rank_of(Cell cell) const {
  const auto after = std::upper_bound(per_rank_.begin(), per_rank_.end(), cell);
  return static_cast<Rank>(after - per_rank_.begin()) - 1;
}

std::string PlanMemory::text(Cell cell) const {
  const Rank rank = rank_of(cell);
  const Cell at = cell - per_rank_[static_cast<std::size_t>(rank)];
  const PlanOffsets offsets = offsets_of(plan_, rank);
  const Buffers& b = plan_.gpus[static_cast<std::size_t>(rank)].chunks;
  const Cell scratch = first_of(rank, Buffer::scratch) - per_rank_[static_cast<std::size_t>(rank)];
  const std::uint32_t units = at < scratch ? units_ : scratch_units();
  const std::int64_t chunk = at < scratch ? at / units : offsets.scratch + (at - scratch) / units;
  std::vector<std::string> names;
  if (chunk >= offsets.input && chunk < offsets.input + b.input)
    names.push_back(fmt::format("i[{}]", chunk - offsets.input));
  if (chunk >= offsets.output && chunk < offsets.output + b.output)
    names.push_back(fmt::format("o[{}]", chunk - offsets.output));
  if (names.empty()) {
    const bool has_packets = plan_.has_packet_scratch;
    const std::int64_t from = chunk - offsets.scratch;
    const std::int64_t half = std::int64_t{b.scratch} * (has_packets ? 2 : 1);
    names.push_back(fmt::format("s[{}]{}", (from % half) / (has_packets ? 2 : 1),
                                plan_.has_two_halves ? fmt::format(" of half {}", from / half) : ""));
  }
  const std::string unit =
      units > 1 ? fmt::format(", unit {} of {}", (at < scratch ? at : at - scratch) % units, units) : "";
  return fmt::format("gpu {}'s {}{}", rank, fmt::join(names, "="), unit);
}

namespace {

/// The leaves of a term, at most `most` and one more.
std::vector<Term> leaves_of(const TermTable& terms, Term term, std::size_t most) {
  std::vector<Term> leaves, open{term};
  while (!open.empty() && leaves.size() <= most) {
    const Term t = open.back();
    open.pop_back();
    if (terms.is_leaf(t)) {
      leaves.push_back(t);
    } else {
      open.push_back(terms.second(t));
      open.push_back(terms.first(t));
    }
  }
  return leaves;
}

/// What the plan's collective promises, in units; nothing if its name doesn't say it. Every GPU has equally many.
std::optional<Promise> promise_of(const ExecutionPlan& plan, const PlanMemory& memory) {
  const auto ranks = static_cast<Rank>(plan.gpus.size());
  const std::uint32_t in = memory.input(0).count, out = memory.output(0).count;
  if (!has_postcondition(plan)) return std::nullopt;
  if (plan.collective == "sendrecv") {
    std::vector<Rank> sources;
    for (Rank r = 0; r < ranks; ++r) sources.push_back((r + ranks - 1) % ranks);
    return Promise::permutation(std::move(sources), out);
  }
  const PromiseRow& row = promise_row(*formats::msccl_collective(plan.collective));
  const bool takes_part = row.input_has_parts && row.result_has_parts;
  return std::optional<Promise>(std::in_place, row, ranks, 0,
                                even_parts(row, takes_part ? in / plan.gpus.size() : std::min(in, out)));
}

}  // namespace

PlanResults::PlanResults(const ExecutionPlan& plan, const PlanMemory& memory)
    : plan_(plan), memory_(memory), promise_(promise_of(plan, memory)), leaves_(static_cast<Rank>(plan.gpus.size())) {
  const auto ranks = static_cast<Rank>(plan.gpus.size());
  for (Rank r = 0; promise_ && r < ranks; ++r) results_.push_back(promise_->result(r));
}

Term PlanResults::leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const {
  const auto ranks = static_cast<std::uint64_t>(plan_.gpus.size());
  return terms.leaf(static_cast<Rank>(
      (static_cast<std::uint64_t>(call) * ranks + static_cast<std::uint64_t>(rank)) * memory_.input(0).count + unit));
}

PlanResults::Source PlanResults::source_of(const TermTable& terms, Term leaf) const {
  const auto number = static_cast<std::uint64_t>(terms.rank_of(leaf));
  const std::uint64_t units = memory_.input(0).count, owner = number / units, ranks = plan_.gpus.size();
  return {static_cast<std::int32_t>(owner / ranks),
          {static_cast<Rank>(owner % ranks), static_cast<std::int64_t>(number % units)}};
}

bool PlanResults::is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit) {
  const Contribution of_other_call{-1, -1};
  return leaves_.holds(terms, term, owed(rank, unit), [&](Term leaf) {
    const Source source = source_of(terms, leaf);
    return source.call == call ? source.contribution : of_other_call;
  });
}

std::string PlanResults::due(Rank rank, std::uint32_t unit) const {
  const Owed due = owed(rank, unit);
  const std::string chunk = fmt::format("i[{}]", due.element / memory_.units());
  return promise_->row().sums ? fmt::format("the sum of all GPUs' {}", chunk)
                              : fmt::format("gpu {}'s {}", due.ranks.front(), chunk);
}

std::string PlanResults::text(const TermTable& terms, Term term) const {
  constexpr std::size_t most = 8;
  if (term == Term::nothing) return "nothing that is defined";
  std::vector<std::string> summands;
  for (const Term leaf : leaves_of(terms, term, most)) {
    const auto [number, contribution] = source_of(terms, leaf);
    const std::string call = number > 0 ? fmt::format(" of call {}", number + 1) : "";
    summands.push_back(summands.size() < most ? fmt::format("gpu {}'s i[{}]{}", contribution.rank,
                                                            contribution.element / memory_.units(), call)
                                              : "..");
  }
  return fmt::format("{}", fmt::join(summands, " + "));
}

}  // namespace onceover::programs
