// The words of MSCCL XML, and the runtimes that load it (MscclProfile): what each accepts, and what it guarantees to
// the operations that it runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/program.h"

namespace onceover::formats {

/// A runtime that loads such files.
struct MscclProfile {
  std::string_view name;
  std::string_view runtime;
  std::int64_t steps;                                 // of a thread block, at most
  std::int64_t thread_blocks;                         // of a gpu, at most
  std::int64_t on_a_channel;                          // thread blocks of a gpu on one channel, at most
  std::int64_t count;                                 // chunks of a message, at most
  std::int64_t nodes;                                 // elements that one rank keeps, at most
  std::span<const std::string_view> algo_attributes;  // required ones
  std::span<const std::string_view> collectives;
  bool checks_chunks;        // does it check i_chunks and o_chunks against nchunksperloop?
  bool has_send_barrier;     // have all threads of a block done a plain send of LL when it has ended?
  bool may_lack_reductions;  // may it be built without rcs and the operations that combine what they receive?
};

/// How many channels every runtime has.
inline constexpr std::int32_t msccl_channels = 32;

std::span<const MscclProfile> msccl_profiles();
const MscclProfile* find_msccl_profile(std::string_view name);

/// How the runtimes move messages: a file's `proto`.
enum class MscclProtocol : std::uint8_t { simple, ll, ll128 };

std::span<const std::string_view> msccl_protocols();
std::optional<MscclProtocol> find_msccl_protocol(std::string_view name);

/// Sets the protocol of a program; nothing: any. The program then has the guarantees that all runtimes give.
void set_protocol(Program& program, std::optional<MscclProtocol> protocol);

/// "LL on rccl".
std::string text(const Runtime& runtime);

/// Do all runtimes give the same guarantees to this protocol?
bool is_alike_on_all(const Runtime& runtime);

/// Sets the runtime of a program whose protocol is set.
void set_profile(Program& program, const MscclProfile& profile);

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
