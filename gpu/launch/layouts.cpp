#include <array>

#include "gpu/launch/description.h"

namespace onceover::gpu {

namespace {

constexpr std::array layout_rows{
    LaunchLayout{"signal-pads", "a table of the inputs of all ranks, and one of their signal pads", R"(
[buffer.pad]
type = "u32"
count = 2048
role = "memory"
fill = 0
[table]
inputs = "in@q for q in 0..p"
signal_pads = "pad@q for q in 0..p"
)"},
    LaunchLayout{"rank-data", "a table of the inputs, and signals with the staging behind them", R"(
[buffer.signals]
type = "u32"
count = "640 + n"
role = "memory"
fill = 0
[table]
rank_data = "in@q for q in 0..p"
)"},
    LaunchLayout{"workspace", "one table of 3p + 1 pointers: inputs, flags, stagings, and the rank's counters", R"(
[buffer.barrier_flags]
type = "u32"
count = 4096
role = "memory"
fill = 0
[buffer.staging]
type = "f32"
count = "3 * p * n"
role = "memory"
fill = -0.0
[buffer.counters]
type = "u32"
count = 64
role = "memory"
fill = 0
[table]
workspace = ["in@q for q in 0..p", "barrier_flags@q for q in 0..p", "staging@q for q in 0..p", "counters@r"]
)"},
    LaunchLayout{"channels", "for each peer its input, its packets, its flags, and the rank's own flags for it", R"(
[buffer.channel_packets]
type = "u64"
count = "2 * p * n"
role = "memory"
fill = 0
[buffer.channel_flags]
type = "u32"
count = "64 * p"
role = "memory"
fill = 0
[table.channels]
"32*q" = "in@q for q in 0..p"
"32*q + 8" = "channel_packets@q for q in 0..p"
"32*q + 16" = "channel_flags@q + 256*r for q in 0..p"
"32*q + 24" = "channel_flags@r + 256*q for q in 0..p"
)"},
};

}  // namespace

std::span<const LaunchLayout> launch_layouts() {
  return layout_rows;
}

}  // namespace onceover::gpu
