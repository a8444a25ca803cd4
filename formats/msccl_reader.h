// Reads MSCCL XML: an algorithm as GPUs run it. See docs/msccl-xml.md.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "formats/program.h"

namespace onceover::formats {

/// The program of an XML file. Operands are local, as the runtimes read them, whatever the writer meant. The reader is
/// strict where another reading would give another verdict; unknown attributes, which the runtimes ignore, become
/// notes. A file that deadlocks, or names chunks that don't exist, is still a program, for the verifier to judge.
tl::expected<Program, SourceError> read_msccl(std::string_view name, std::string_view text);

}  // namespace onceover::formats
