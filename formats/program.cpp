#include "formats/program.h"

#include <array>

namespace onceover::formats {

namespace {

struct ActRow {
  Act act;
  std::string_view name;
  bool receives;
  bool sends;
  bool stores;
  bool reads_source;
};

constexpr std::array<ActRow, 9> acts{{
    {Act::send, "send", false, true, false, true},
    {Act::receive, "receive", true, false, true, false},
    {Act::receive_copy_send, "receive-copy-send", true, true, true, false},
    {Act::receive_reduce, "receive-reduce", true, false, true, true},
    {Act::receive_reduce_send, "receive-reduce-send", true, true, false, true},
    {Act::receive_reduce_copy_send, "receive-reduce-copy-send", true, true, true, true},
    {Act::copy, "copy", false, false, true, true},
    {Act::reduce, "reduce", false, false, true, true},
    {Act::wait, "wait", false, false, false, false},
}};

const ActRow& row(Act act) {
  return acts[static_cast<std::size_t>(act)];
}

}  // namespace

std::string_view name(Buffer buffer) {
  constexpr std::array<std::string_view, 3> names{"input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

std::string_view name(Act act) {
  return row(act).name;
}

bool receives(Act act) {
  return row(act).receives;
}

bool sends(Act act) {
  return row(act).sends;
}

bool stores(Act act) {
  return row(act).stores;
}

bool reads_source(Act act) {
  return row(act).reads_source;
}

std::span<const Operation> parts_of(const Program& program, OperationId first) {
  const auto begin = program.operations.begin() + first;
  return {begin, std::find_if(begin + 1, program.operations.end(), [](const Operation& o) { return !o.is_part; })};
}

std::uint64_t message_size(const Program& program, OperationId first) {
  std::uint64_t size = 0;
  for (const Operation& part : parts_of(program, first)) size += run_size(part);
  return size;
}

}  // namespace onceover::formats
