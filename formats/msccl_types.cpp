#include "formats/msccl_types.h"

#include <algorithm>
#include <array>

#include "base/rows.h"

namespace onceover::formats {

namespace {

constexpr std::array<MscclType, 9> types{{
    {"s", Instruction::send},
    {"r", Instruction::receive},
    {"rcs", Instruction::receive_copy_send},
    {"rrc", Instruction::receive_reduce},
    {"rrs", Instruction::receive_reduce_send},
    {"rrcs", Instruction::receive_reduce_copy_send},
    {"cpy", Instruction::copy},
    {"re", Instruction::reduce},
    {"nop", Instruction::wait},
}};

}  // namespace

std::span<const MscclType> msccl_types() {
  return types;
}

std::optional<Collective> msccl_collective(std::string_view coll) {
  if (coll == "reduce_scatter" || coll == "reducescatter") return Collective::reduce_scatter;
  return coll == name(Collective::reduce_scatter) ? std::nullopt : collective_named(coll);
}

std::optional<Instruction> msccl_instruction(std::string_view type) {
  const auto* row = row_with(types, &MscclType::name, type);
  return row == nullptr ? std::nullopt : std::optional(row->instruction);
}

std::string_view msccl_type(Instruction instruction) {
  return std::find_if(types.begin(), types.end(), [&](const MscclType& t) { return t.instruction == instruction; })
      ->name;
}

}  // namespace onceover::formats
