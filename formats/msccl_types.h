// The words of MSCCL XML: its collectives and the types of its steps.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "formats/program.h"

namespace onceover::formats {

/// The collective that the format calls so, in both spellings of reduce_scatter.
std::optional<Collective> msccl_collective(std::string_view coll);

/// The step types of the format, as `type` names them.
struct MscclType {
  std::string_view name;
  Instruction instruction;
};
std::span<const MscclType> msccl_types();
std::optional<Instruction> msccl_act(std::string_view type);
std::string_view msccl_type(Instruction instruction);

}  // namespace onceover::formats
