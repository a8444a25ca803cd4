// ExecutionPlan: what each block of threads of each GPU runs under MSCCL++; which operands and channels its operations
// take; and the two ways to read it, as documented or as the runtime of August 2026 runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/program.h"

namespace onceover::formats {

/// What the runtime has room for (execution_common.hpp). It checks the first alone.
inline constexpr std::int32_t most_block_operations = 64;
inline constexpr std::size_t most_block_channels = 16;  // of a type; remote buffers of a type of channel alike
inline constexpr std::size_t most_operation_channels = 8;
inline constexpr std::size_t most_operation_ranges = 10;  // sources; targets alike

/// What we take; the runtime has no bounds.
inline constexpr std::size_t most_plan_gpus = 1024;
inline constexpr std::size_t most_plan_blocks = 1024;      // of a GPU
inline constexpr std::int32_t most_plan_chunks = 1 << 20;  // of a buffer

/// The collectives whose plans say by their name what must be in the outputs (programs/plan_memory.h).
inline constexpr std::array<std::string_view, 5> plan_collectives{"allreduce", "allgather", "reducescatter", "alltoall",
                                                                  "sendrecv"};

enum class ChannelType : std::uint8_t { none, memory, port, multicast };

std::string_view name(ChannelType type);

// clang-format off
/// What an operation does; docs/mscclpp.md says what each reads and writes.
enum class PlanInstruction : std::uint8_t {
  nop, barrier, acquire, release, signal, wait, flush,            // order
  copy, put, put_signal, put_signal_flush, get,                   // moves
  reduce, reduce_send, read_reduce, read_reduce_send,             // sums
  put_packets, read_put_packets, copy_packets, unpack_packets,    // moves of packets
  reduce_packets, reduce_send_packets, reduce_copy_packets, reduce_copy_send_packets,
  multicast_reduce, multicast_store, multicast_store_packets,     // through a switch
};

// clang-format on

/// A place that an operation names: `size` chunks of a buffer from `index`. It is on one rank, or on all of a multicast
/// group, whose ranks are different.
struct PlanRange {
  enum class Where : std::uint8_t { local, remote, multicast };
  Where where = Where::local;
  Buffer buffer = Buffer::input;
  std::vector<Rank> ranks = {};  // local: the operation's own
  std::int32_t index = 0;
  std::int32_t size = 0;
};

/// The part of each range that a block takes: the `part`-th of `parts`. The first parts are larger by one unit of
/// alignment if the range can't be divided.
struct PlanSlice {
  std::int32_t part = 0;
  std::int32_t parts = 1;
};

struct PlanOperation {
  PlanInstruction instruction = PlanInstruction::nop;
  std::string_view word = {};  // its name in the file; of static storage
  std::int32_t position = 0;   // in its block, from 0; those in a pipeline count after it
  bool is_relaxed = false;     // of a signal or wait: it orders, but publishes no data
  ChannelType channel = ChannelType::none;
  std::vector<std::int32_t> ids = {};  // channels of the GPU, or its semaphores; the k-th is served by thread k
  std::vector<PlanRange> sources = {};
  std::vector<PlanRange> targets = {};
  PlanSlice slice = {};
  std::int32_t barrier = 0;
  std::int32_t barrier_blocks = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// Of a repeated operation: the unit of each range that it takes instead of a slice. The reader leaves pipelines as
  /// they are; see programs/plan_pipelines.h.
  std::optional<std::uint32_t> iteration = {};
};

/// A loop over the bytes of its operations' ranges, which are all of `chunks` chunks. Each iteration runs all of them,
/// on the next `unit_bytes` of each range.
struct PlanPipeline {
  std::size_t first = 0;  // of its operations in the block's list
  std::size_t count = 0;
  std::uint32_t unit_bytes = 0;
  std::int32_t chunks = 0;
  std::int32_t position = 0;  // in its block
};

struct PlanBlock {
  std::vector<PlanOperation> operations = {};
  std::vector<PlanPipeline> pipelines = {};  // in the order of their operations
};

/// A channel to a peer. It pairs with the peer's k-th channel of the type to this rank, if it is itself the k-th.
struct PlanChannel {
  Rank peer;
  std::int32_t occurrence;
};

struct PlanGpu {
  Buffers chunks = {};
  std::vector<PlanChannel> memory_channels = {};
  std::vector<PlanChannel> port_channels = {};
  std::vector<std::int32_t> semaphores = {};  // their values at the start
  std::vector<PlanBlock> blocks = {};
};

/// A plan of the second generation, whose references are all resolved and in range.
struct ExecutionPlan {
  std::string name = {};
  std::string collective = {};
  bool has_packet_scratch = false;  // protocol LL: scratch is twice as large
  bool in_place = false;
  bool has_two_halves = false;    // calls use the halves of scratch in turn
  bool reuses_resources = false;  // scratch is 64 MiB of a buffer that plans share, whatever the size of the message
  std::uint64_t alignment = 16;   // bytes in a unit; a chunk has a whole number of units
  std::uint64_t min_bytes = 0;    // of a message, inclusive
  std::uint64_t max_bytes = UINT64_MAX;
  std::uint32_t scratch_ring = UINT32_MAX;  // units that a chunk of scratch has at most; what is beyond begins anew
  bool breaks_in_ring = false;  // does an operation go wrong if chunks are larger than their shares of shared scratch?
  std::vector<PlanGpu> gpus = {};
  std::vector<std::string> notes = {};       // what the newest runtime does differently
  bool is_as_executed = false;               // is it what the newest runtime makes of the file?
  std::optional<std::string> unjudged = {};  // a feature that can't be judged; the verdict is unknown
};

/// Does the plan's collective say what must be in the outputs?
inline bool has_postcondition(const ExecutionPlan& plan) {
  return std::find(plan_collectives.begin(), plan_collectives.end(), plan.collective) != plan_collectives.end();
}

/// Is it known which memory input and output share, if they do? A plan out of place shares none. For sendrecv nothing
/// says it: the runtime's own tests run it out of place only.
inline bool has_known_places(const ExecutionPlan& plan) {
  return !plan.in_place || (has_postcondition(plan) && plan.collective != "sendrecv");
}

/// Is the buffer a GPU's share of the larger one, so that it begins elsewhere on each GPU? Of other collectives in
/// place it isn't known what they share.
inline bool is_own_share(const ExecutionPlan& plan, Buffer buffer) {
  return plan.in_place && ((plan.collective == "allgather" && buffer == Buffer::input) ||
                           (plan.collective == "reducescatter" && buffer == Buffer::output));
}

/// The chunks of a message: of the output in an allgather, otherwise of the input.
inline std::uint64_t message_chunks(const ExecutionPlan& plan) {
  const Buffers& chunks = plan.gpus.front().chunks;
  return static_cast<std::uint64_t>(plan.collective == "allgather" ? chunks.output : chunks.input);
}

/// A row. Operands are letters: L a local range, S one in local scratch, R a peer's, W of a multicast group. A plus
/// lets the last letter repeat.
struct PlanRule {
  std::string_view word;
  PlanInstruction instruction;
  std::string_view sources;
  std::string_view targets;
  bool takes_memory = false;  // channels that it may use; if none, it uses no channel
  bool takes_port = false;
  bool takes_switch = false;
  bool is_relaxed = false;
  bool pairs = false;  // the k-th source goes to the k-th target
};

/// The rule of an operation's name; null if there is none.
const PlanRule* plan_rule(std::string_view word);

/// "; did you mean 'put'?", or nothing.
std::string plan_rule_suggestion(std::string_view word);

/// The letter for the k-th operand; nothing if there may be none.
std::optional<char> operand_letter(std::string_view letters, std::size_t k);

/// How many operands there must be at least.
std::size_t fewest_operands(std::string_view letters);

/// Keys of other operations that the runtime, if they are there, writes over what it has read of this one.
std::span<const std::string_view> keys_that_overwrite(PlanInstruction instruction);

/// Does it move data, or read it?
bool moves_data(PlanInstruction instruction);

/// Is its k-th source packets? It waits for their flags, except if `is_raw_copy`.
bool is_packet_source(const PlanOperation& operation, std::size_t k);

/// Is its k-th target packets?
bool is_packet_target(const PlanOperation& operation, std::size_t k);

/// Does it copy packets with their flags, without looking at them? So does ppkt on a port channel.
bool is_raw_copy(const PlanOperation& operation);

enum class PlanReading : std::uint8_t {
  intended,  // get copies what it names, and flush waits
  executor,  // get swaps the positions that it names, and flush does nothing
};

/// By their names on the command line.
inline constexpr std::array plan_readings{std::pair<std::string_view, PlanReading>{"intended", PlanReading::intended},
                                          std::pair<std::string_view, PlanReading>{"executor", PlanReading::executor}};

/// What that runtime does otherwise than documented in this plan, a sentence each. O(operations).
std::vector<std::string> differences_of_executor(const ExecutionPlan& plan);

/// The plan as that runtime runs it, with a note that says so if that is different. If a swapped position is beyond its
/// buffer, or sources are taken from elsewhere, the plan can't be judged. O(operations).
ExecutionPlan as_executed(ExecutionPlan plan);

}  // namespace onceover::formats
