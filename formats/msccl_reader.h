// Reads MSCCL XML: what the ranks of an algorithm run, as GPUs interpret it. See docs/msccl-xml.md.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "formats/program.h"

namespace onceover::formats {

/// The program of an XML file. Operands are local, as the runtimes read them, whatever the writer meant. Strict where
/// another reading would give another verdict; unknown attributes, which the runtimes ignore, are notes.
/// What deadlocks, or names chunks that aren't there, is a program all the same, to be judged.
tl::expected<Program, SourceError> read_msccl(std::string_view name, std::string_view text);

}  // namespace onceover::formats
