// The operations of MSCCL++ plans: their names, and which operands and channels they take.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/plan.h"

namespace onceover::formats {

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

}  // namespace onceover::formats
