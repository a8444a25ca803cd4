#include "formats/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace onceover::formats {

namespace {

struct InstructionRow {
  Instruction instruction;
  std::string_view name;
  bool receives;
  bool sends;
  bool stores;
  bool reads_source;
};

constexpr std::array<InstructionRow, 9> instruction_rows{{
    {Instruction::send, "send", false, true, false, true},
    {Instruction::receive, "receive", true, false, true, false},
    {Instruction::receive_copy_send, "receive-copy-send", true, true, true, false},
    {Instruction::receive_reduce, "receive-reduce", true, false, true, true},
    {Instruction::receive_reduce_send, "receive-reduce-send", true, true, false, true},
    {Instruction::receive_reduce_copy_send, "receive-reduce-copy-send", true, true, true, true},
    {Instruction::copy, "copy", false, false, true, true},
    {Instruction::reduce, "reduce", false, false, true, true},
    {Instruction::wait, "wait", false, false, false, false},
}};

const InstructionRow& row(Instruction instruction) {
  return instruction_rows[static_cast<std::size_t>(instruction)];
}

std::int32_t pieces_of(const Operation& operation) {
  return std::max({operation.source.count, operation.target.count, 1});
}

ChunkRange chunk_of(ChunkRange range, std::int32_t k) {
  if (range.count == 0) return range;
  return {range.buffer, range.first + k, 1};
}

class Guards {
 public:
  explicit Guards(const Program& program)
      : program_(program), guarded_(program), is_awaited_(program.operations.size()) {
    for (const Dependency& order : program.dependencies)
      if (!order.on_start) is_awaited_[static_cast<std::size_t>(order.before)] = true;
  }

  Program add() {
    guarded_.operations.clear();
    for (std::size_t o = 0; o < program_.operations.size(); ++o) {
      const Operation& operation = program_.operations[o];
      begin_.push_back(put(operation));
      const bool is_guarded = operation.instruction == Instruction::send && is_awaited_[o];
      end_.push_back(is_guarded ? put(guard_of(operation)) : begin_.back());
    }
    for (Dependency& order : guarded_.dependencies) {
      order.before = (order.on_start ? begin_ : end_)[static_cast<std::size_t>(order.before)];
      order.after = begin_[static_cast<std::size_t>(order.after)];
    }
    return std::move(guarded_);
  }

 private:
  OperationId put(Operation operation) {
    auto& operations = guarded_.operations;
    const bool follows =
        !operations.empty() && operations.back().rank == operation.rank && operations.back().thread == operation.thread;
    operation.number = follows ? operations.back().number + 1 : 0;
    operations.push_back(operation);
    return static_cast<OperationId>(operations.size()) - 1;
  }

  Operation guard_of(const Operation& send) {
    std::int32_t& scratch = guarded_.buffers[static_cast<std::size_t>(send.rank)].scratch;
    const auto [own, is_new] = own_.try_emplace({send.rank, send.thread}, scratch);
    if (is_new) ++scratch;
    return {.rank = send.rank,
            .thread = send.thread,
            .instruction = Instruction::copy,
            .source = {send.source.buffer, send.source.first, 1},
            .target = {Buffer::scratch, own->second, 1}};
  }

  const Program& program_;
  Program guarded_;
  std::vector<bool> is_awaited_;                               // by operation
  std::vector<OperationId> begin_;                             // by operation: its new number
  std::vector<OperationId> end_;                               // by operation: what ends when it is done
  std::map<std::pair<Rank, std::int32_t>, std::int32_t> own_;  // by thread: its own chunk of scratch memory
};

}  // namespace

std::string_view name(Buffer buffer) {
  constexpr std::array<std::string_view, 3> names{"input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

std::string_view name(Instruction instruction) {
  return row(instruction).name;
}

bool receives(Instruction instruction) {
  return row(instruction).receives;
}

bool sends(Instruction instruction) {
  return row(instruction).sends;
}

bool stores(Instruction instruction) {
  return row(instruction).stores;
}

bool reads_source(Instruction instruction) {
  return row(instruction).reads_source;
}

std::span<const Operation> parts_of(const Program& program, OperationId first) {
  const auto begin = program.operations.begin() + first;
  const auto end = std::find_if(begin + 1, program.operations.end(), [](const Operation& o) { return !o.is_part; });
  return {&*begin, static_cast<std::size_t>(end - begin)};
}

std::uint64_t message_size(const Program& program, OperationId first) {
  std::uint64_t size = 0;
  for (const Operation& part : parts_of(program, first)) size += run_size(part);
  return size;
}

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

Program with_send_guards(const Program& program) {
  return Guards(program).add();
}

}  // namespace onceover::formats
