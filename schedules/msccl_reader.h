// Reads MSCCL XML: what the ranks of an algorithm run, as GPUs interpret it. See docs/msccl-xml.md.
#pragma once

#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "schedules/program.h"
#include "schedules/source_text.h"

namespace onceover {

/// The program of an XML file. Operands are local, as the runtimes read them, whatever the writer meant. Strict where
/// another reading would give another verdict; unknown attributes, which the runtimes ignore, are notes.
/// What deadlocks, or names chunks that aren't there, is a program all the same, to be judged.
tl::expected<Program, SourceError> read_msccl(std::string_view name, std::string_view text);

/// The collective that the format calls so, in both spellings of reduce_scatter.
std::optional<Collective> msccl_collective(std::string_view coll);

/// The step types of the format, as `type` names them.
struct MscclType {
  std::string_view name;
  Act act;
};
std::optional<Act> msccl_act(std::string_view type);
std::string_view msccl_type(Act act);

}  // namespace onceover
