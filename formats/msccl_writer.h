// MSCCL XML out of programs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "formats/lowering.h"
#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// What a runtime takes at most.
struct MscclLimits {
  std::int32_t steps_of_block = 64;     // steps of a thread block
  std::int32_t blocks_of_gpu = 64;      // thread blocks of a GPU
  std::int32_t blocks_of_channel = 32;  // thread blocks of a GPU in one channel
  std::int32_t channels = 32;
  std::int32_t chunks_of_step = 71;
  std::int32_t nodes = 4096;  // XML elements that a rank keeps: the algorithm, all GPUs, its own blocks and steps
};

struct MscclOptions {
  std::string_view protocol = "Simple";                // Simple, LL or LL128
  std::string_view reduce_scatter = "reduce_scatter";  // RCCL spells it reducescatter
  MscclLimits limits = {};                             // as they are: the strictest of all known runtimes'
};

/// Why the program is no algorithm that these limits allow, and whether more channels could help; nothing if it is.
struct MscclRefusal {
  std::string why;
  bool asks_for_channels;
};
std::optional<MscclRefusal> msccl_refusal(const Program& program, const MscclLimits& limits);

/// The program of a schedule that these limits allow, with so many channels or with as few as will do; or why there is
/// none. For LL it has guards behind sends (msccl_send_guards.h). O(channels tried) lowerings.
tl::expected<Program, NotLowered> lower_for_msccl(const Schedule& schedule, bool in_place,
                                                  std::optional<std::int32_t> channels, const MscclOptions& options);

/// Writes a program that isn't refused, the same bytes every time. Every thread becomes a thread block; an operation
/// that waits for several others gets a `nop` before it for each but one. Locations in `src` of operations that combine
/// are those of the rank itself, which the runtimes read. Returns false if writing failed (errno tells why).
/// `program` comes from `lower` with threads, or has what that has: one connection a thread and direction, and acts
/// that either send, receive or are local. O(operations + orders).
bool write_msccl(const Program& program, const MscclOptions& options, std::FILE* file);

}  // namespace onceover::formats
