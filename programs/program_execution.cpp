#include "programs/program_execution.h"

#include <algorithm>

#include "base/stop.h"

namespace onceover::programs {

namespace {

Rank leaves_of(const Program& program) {
  Rank leaves = 0;
  for (const Buffers& sizes : program.buffers) leaves += sizes.input;
  return leaves;
}

}  // namespace

ProgramExecution::ProgramExecution(const Program& program, const Memory& memory)
    : program_(program),
      memory_(memory),
      terms_(leaves_of(program)),
      values_(memory.cells(), Term::nothing),
      writers_(memory.cells(), -1),
      messages_(program.operations.size()) {
  Rank leaves = 0;
  for (Rank r = 0; r < program.ranks; ++r) {
    const std::int32_t inputs = program.buffers[static_cast<std::size_t>(r)].input;
    first_leaf_.push_back(leaves);
    leaves += inputs;
    if (inputs == 0 || !promise_row(program.collective).gives(r, program.root)) continue;
    const Cell first = *memory.cell(r, {Buffer::input, 0, inputs});
    for (std::int32_t k = 0; k < inputs; ++k) values_[first + static_cast<Cell>(k)] = leaf(r, k);
  }
  for (const InitialCopy& copy : program.initial_copies)
    values_[*memory.cell(copy.rank, copy.target)] = values_[*memory.cell(copy.rank, copy.source)];
}

Rank ProgramExecution::rank_of(Term leaf) const {
  const auto after = std::upper_bound(first_leaf_.begin(), first_leaf_.end(), terms_.rank_of(leaf));
  return static_cast<Rank>(after - first_leaf_.begin()) - 1;
}

std::optional<Unset> ProgramExecution::run(const std::vector<Event>& order, const Matching& matching) {
  for (const Event event : order) {
    stop_point();
    const OperationId id = operation_of(event);
    if (event != middle_of(id)) continue;
    if (const auto unset = execute(id, matching)) return unset;
  }
  return std::nullopt;
}

std::optional<Unset> ProgramExecution::execute(OperationId id, const Matching& matching) {
  const auto k = static_cast<std::size_t>(id);
  const Operation& operation = program_.operations[k];
  if (operation.instruction == Instruction::wait) return std::nullopt;
  std::vector<Term> values;
  if (receives(operation.instruction))
    values = std::move(messages_[static_cast<std::size_t>(matching.sender_of[k])]);
  else if (const auto unset = read(id, values))
    return unset;
  if (combines(operation.instruction)) {
    std::vector<Term> other;
    if (operation.instruction == Instruction::reduce) {
      if (const auto unset = read(id, other)) return unset;
      const Cell target = *memory_.cell(operation.rank, operation.target);
      for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] = values_[target + c];
        if (values[c] == Term::nothing) return Unset{id, static_cast<Cell>(target + c)};
      }
    } else if (const auto unset = read(id, other)) {
      return unset;
    }
    combine(id, values, other);
  }
  if (stores(operation.instruction)) store(id, values);
  if (sends(operation.instruction)) messages_[k] = std::move(values);
  return std::nullopt;
}

std::optional<Unset> ProgramExecution::read(OperationId id, std::vector<Term>& out) const {
  const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
  const Cell first = *memory_.cell(operation.rank, operation.source);
  const auto count = static_cast<Cell>(operation.source.count);
  out.assign(values_.begin() + first, values_.begin() + first + count);
  for (Cell c = 0; c < count; ++c)
    if (out[c] == Term::nothing) return Unset{id, first + c};
  return std::nullopt;
}

void ProgramExecution::combine(OperationId id, std::vector<Term>& into, const std::vector<Term>& other) {
  for (std::size_t c = 0; c < into.size(); ++c) {
    into[c] = terms_.sum(into[c], other[c]);
    if (terms_.id_end() - static_cast<std::uint32_t>(terms_.ranks()) - 1 > makers_.size()) makers_.push_back(id);
  }
}

void ProgramExecution::store(OperationId id, const std::vector<Term>& values) {
  const Operation& operation = program_.operations[static_cast<std::size_t>(id)];
  const Cell first = *memory_.cell(operation.rank, operation.target);
  std::copy(values.begin(), values.end(), values_.begin() + first);
  std::fill_n(writers_.begin() + first, values.size(), id);
}

}  // namespace onceover::programs
