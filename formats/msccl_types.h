// The words of MSCCL XML: collectives, types of steps, attributes of elements.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "formats/program.h"

namespace onceover::formats {

/// The collective with this name in the format; reduce_scatter has two spellings.
std::optional<Collective> msccl_collective(std::string_view coll);

/// A type of step, as the attribute `type` names it.
struct MscclType {
  std::string_view name;
  Instruction instruction;
};
std::span<const MscclType> msccl_types();
std::optional<Instruction> msccl_instruction(std::string_view type);
std::string_view msccl_type(Instruction instruction);

/// The attributes that these elements must have; those of <algo> differ between runtimes.
inline constexpr std::array<std::string_view, 4> msccl_gpu_attributes{"id", "i_chunks", "o_chunks", "s_chunks"};
inline constexpr std::array<std::string_view, 4> msccl_tb_attributes{"id", "send", "recv", "chan"};
inline constexpr std::array<std::string_view, 10> msccl_step_attributes{"s",      "type", "srcbuf", "srcoff", "dstbuf",
                                                                        "dstoff", "cnt",  "depid",  "deps",   "hasdep"};

}  // namespace onceover::formats
