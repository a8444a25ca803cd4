#include "formats/program.h"

#include <algorithm>
#include <array>

namespace onceover::formats {

namespace {

struct ActRow {
  Instruction instruction;
  std::string_view name;
  bool receives;
  bool sends;
  bool stores;
  bool reads_source;
};

constexpr std::array<ActRow, 9> acts{{
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

const ActRow& row(Instruction instruction) {
  return acts[static_cast<std::size_t>(instruction)];
}

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

}  // namespace onceover::formats
