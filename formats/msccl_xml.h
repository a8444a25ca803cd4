// MSCCL XML, an algorithm as GPUs run it: read, written, and made of schedules. See docs/msccl-xml.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "formats/lowering.h"
#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

struct MscclOptions {
  std::string_view protocol = "Simple";                // Simple, LL or LL128
  std::string_view reduce_scatter = "reduce_scatter";  // RCCL spells it reducescatter
};

/// The program of a schedule that every known runtime loads (msccl_profile.h), with `channels` channels or as few as
/// possible; or why there is none. For LL it has guards behind sends (program.h). O(channels tried)
/// lowerings.
tl::expected<Program, NotLowered> lower_for_msccl(const Schedule& schedule, bool in_place,
                                                  std::optional<std::int32_t> channels, const MscclOptions& options);

/// Writes such a program; the same program always gives the same bytes. Every thread becomes a thread block. An
/// operation that waits for several others gets a `nop` before it for each except one. In operations that combine, the
/// locations in `src` are the rank's own, which the runtimes read. `program` comes from `lower` with threads, or is
/// like that: one connection for each thread and direction, and operations that either send, receive or are local.
/// Returns false if writing failed; errno says why. O(operations + dependencies).
bool write_msccl(const Program& program, const MscclOptions& options, std::FILE* file);

/// The program of an XML file. Operands are local, as the runtimes read them, whatever the writer meant. The reader is
/// strict where another reading would give another verdict; unknown attributes, which the runtimes ignore, become
/// notes. A file that deadlocks, or names chunks that don't exist, is still a program, for the verifier to judge.
tl::expected<Program, SourceError> read_msccl(std::string_view name, std::string_view text);

}  // namespace onceover::formats
