// What the runtimes guarantee was read in their sources; docs/msccl-runtimes.md says where.

#include "formats/msccl_profile.h"

#include <algorithm>
#include <array>

#include "base/rows.h"

namespace onceover::formats {

namespace {

using Name = std::string_view;

constexpr std::array<Name, 7> msccl_attributes{"name",  "proto", "nchannels", "nchunksperloop",
                                               "ngpus", "coll",  "inplace"};
constexpr std::array<Name, 9> rccl_attributes{"proto",   "nchannels",  "nchunksperloop", "ngpus",   "coll",
                                              "inplace", "outofplace", "minBytes",       "maxBytes"};
constexpr std::array<Name, 7> msccl_collectives{"allreduce", "allgather",      "reduce", "broadcast",
                                                "alltoall",  "reduce_scatter", "custom"};
constexpr std::array<Name, 11> rccl_collectives{"reduce",    "broadcast", "allreduce", "reducescatter",
                                                "allgather", "send",      "recv",      "gather",
                                                "scatter",   "alltoall",  "alltoallv"};

constexpr std::array<MscclProfile, 3> profiles{{
    {.name = "msccl",
     .runtime = "microsoft/msccl (2023)",
     .steps = 256,
     .thread_blocks = 216,
     .on_a_channel = 32,
     .count = 71,
     .nodes = 4096,
     .algo_attributes = msccl_attributes,
     .collectives = msccl_collectives,
     .checks_chunks = true,
     .has_send_barrier = true,
     .may_lack_reductions = false},
    {.name = "rccl",
     .runtime = "ROCm RCCL (2024)",
     .steps = 64,
     .thread_blocks = 64,
     .on_a_channel = 32,
     .count = 71,
     .nodes = 4096,
     .algo_attributes = rccl_attributes,
     .collectives = rccl_collectives,
     .checks_chunks = false,
     .has_send_barrier = false,
     .may_lack_reductions = true},
    {.name = "azure",
     .runtime = "Azure msccl-executor",
     .steps = 256,
     .thread_blocks = 1024,
     .on_a_channel = 32,
     .count = 71,
     .nodes = 4096,
     .algo_attributes = rccl_attributes,
     .collectives = rccl_collectives,
     .checks_chunks = false,
     .has_send_barrier = true,
     .may_lack_reductions = false},
}};

constexpr std::array<Name, 3> protocols{"Simple", "LL", "LL128"};

/// A connection has 8 slots. A message takes one of them, or four with Simple.
constexpr std::uint32_t slots = 8;
constexpr std::uint32_t slots_of_simple = 4;

const MscclProfile& weakest() {
  return *std::find_if(profiles.begin(), profiles.end(), [](const MscclProfile& p) { return !p.has_send_barrier; });
}

Guarantees guarantees_of(std::optional<MscclProtocol> protocol, const MscclProfile& profile) {
  const bool is_ll = protocol.value_or(MscclProtocol::ll) == MscclProtocol::ll;
  const bool has_lines = is_ll || protocol == MscclProtocol::ll128;
  const bool takes_one_slot = protocol && has_lines;
  return {.reads_before_end = !is_ll || profile.has_send_barrier,
          .stores_before_sending = !has_lines,
          .chunks_in_order = !has_lines,
          .fifo = takes_one_slot ? slots : slots / slots_of_simple};
}

void set(Program& program, const MscclProfile& profile, bool is_chosen) {
  program.guarantees = guarantees_of(find_msccl_protocol(program.runtime->protocol), profile);
  program.runtime->profile = profile.name;
  program.runtime->is_chosen = is_chosen;
}

constexpr std::array<MscclType, 9> types{{
    {"s", Instruction::send},
    {"r", Instruction::receive},
    {"rcs", Instruction::receive_copy_send},
    {"rrc", Instruction::receive_reduce},
    {"rrs", Instruction::receive_reduce_send},
    {"rrcs", Instruction::receive_reduce_copy_send},
    {"cpy", Instruction::copy},
    {"re", Instruction::reduce},
    {"nop", Instruction::wait},
}};

}  // namespace

std::span<const MscclProfile> msccl_profiles() {
  return profiles;
}

const MscclProfile* find_msccl_profile(std::string_view name) {
  return row_with(profiles, &MscclProfile::name, name);
}

std::span<const std::string_view> msccl_protocols() {
  return protocols;
}

std::optional<MscclProtocol> find_msccl_protocol(std::string_view name) {
  const auto* row = std::find(protocols.begin(), protocols.end(), name);
  if (row == protocols.end()) return std::nullopt;
  return static_cast<MscclProtocol>(row - protocols.begin());
}

void set_protocol(Program& program, std::optional<MscclProtocol> protocol) {
  program.runtime = Runtime{.protocol = protocol ? std::string(protocols[static_cast<std::size_t>(*protocol)]) : ""};
  set(program, weakest(), false);
}

std::string text(const Runtime& runtime) {
  return (runtime.protocol.empty() ? "any protocol" : runtime.protocol) + " on " + runtime.profile;
}

bool is_alike_on_all(const Runtime& runtime) {
  const auto protocol = find_msccl_protocol(runtime.protocol);
  return std::all_of(profiles.begin(), profiles.end(), [&](const MscclProfile& p) {
    return guarantees_of(protocol, p) == guarantees_of(protocol, profiles.front());
  });
}

void set_profile(Program& program, const MscclProfile& profile) {
  set(program, profile, true);
}

std::span<const MscclType> msccl_types() {
  return types;
}

std::optional<Collective> msccl_collective(std::string_view coll) {
  if (coll == "reduce_scatter" || coll == "reducescatter") return Collective::reduce_scatter;
  return coll == name(Collective::reduce_scatter) ? std::nullopt : collective_named(coll);
}

std::optional<Instruction> msccl_instruction(std::string_view type) {
  const auto* row = row_with(types, &MscclType::name, type);
  return row == nullptr ? std::nullopt : std::optional(row->instruction);
}

std::string_view msccl_type(Instruction instruction) {
  return std::find_if(types.begin(), types.end(), [&](const MscclType& t) { return t.instruction == instruction; })
      ->name;
}

}  // namespace onceover::formats
