#include "formats/plan_instructions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/closest.h"
#include "base/rows.h"

namespace onceover::formats {

namespace {

using I = PlanInstruction;

constexpr std::array plan_rules{
    PlanRule{"nop", I::nop, "", ""},
    PlanRule{"barrier", I::barrier, "", ""},
    PlanRule{"sem_acquire", I::acquire, "", ""},
    PlanRule{"sem_release", I::release, "", ""},
    PlanRule{"signal", I::signal, "", "", true, true},
    PlanRule{"wait", I::wait, "", "", true, true},
    PlanRule{"rlxsignal", I::signal, "", "", true, true, false, true},
    PlanRule{"rlxwait", I::wait, "", "", true, true, false, true},
    PlanRule{"flush", I::flush, "", "", false, true},
    PlanRule{"copy", I::copy, "L", "L"},
    PlanRule{"put", I::put, "L+", "R+", true, true, false, false, true},
    PlanRule{"pws", I::put_signal, "L+", "R+", false, true, false, false, true},
    PlanRule{"pwsf", I::put_signal_flush, "L+", "R+", false, true, false, false, true},
    PlanRule{"get", I::get, "R+", "L+", true, false, false, false, true},
    PlanRule{"re", I::reduce, "LL+", "L"},
    PlanRule{"res", I::reduce_send, "LL+", "LR+", true},
    PlanRule{"rre", I::read_reduce, "LR+", "L", true},
    PlanRule{"rres", I::read_reduce_send, "LR+", "LR+", true},
    PlanRule{"ppkt", I::put_packets, "L+", "R+", true, true, false, false, true},
    PlanRule{"rppkt", I::read_put_packets, "S", "R+", true, true},
    PlanRule{"cpkt", I::copy_packets, "L", "S"},
    PlanRule{"upkt", I::unpack_packets, "S", "L"},
    PlanRule{"repkt", I::reduce_packets, "LS+", "L"},
    PlanRule{"respkt", I::reduce_send_packets, "LS+", "LR+", true},
    PlanRule{"recpkt", I::reduce_copy_packets, "LS+", "LS"},
    PlanRule{"recspkt", I::reduce_copy_send_packets, "LS+", "LSR+", true},
    PlanRule{"glres", I::multicast_reduce, "W", "W", false, false, true},
    PlanRule{"gstore", I::multicast_store, "L", "W", false, false, true},
    PlanRule{"gstorepkt", I::multicast_store_packets, "S", "W", false, false, true},
};

}  // namespace

std::string_view name(ChannelType type) {
  switch (type) {
    case ChannelType::none: return "none";
    case ChannelType::memory: return "memory";
    case ChannelType::port: return "port";
    case ChannelType::multicast: return "switch";
  }
  return "";
}

const PlanRule* plan_rule(std::string_view word) {
  return row_with(plan_rules, &PlanRule::word, word);
}

std::string plan_rule_suggestion(std::string_view word) {
  std::vector<std::string_view> words;
  for (const PlanRule& rule : plan_rules) words.push_back(rule.word);
  return suggestion(word, words);
}

std::optional<char> operand_letter(std::string_view letters, std::size_t k) {
  const bool repeats = letters.ends_with('+');
  if (repeats) letters.remove_suffix(1);
  if (k < letters.size()) return letters[k];
  return repeats ? std::optional(letters.back()) : std::nullopt;
}

std::size_t fewest_operands(std::string_view letters) {
  return letters.size() - (letters.ends_with('+') ? 1 : 0);
}

/// All these have one place in memory, after each other as they are written.
std::span<const std::string_view> keys_that_overwrite(PlanInstruction instruction) {
  static constexpr std::array<std::string_view, 4> keys{"barrier_id", "num_threadblocks", "semaphore_ids",
                                                        "iter_context"};
  const std::span<const std::string_view> all(keys);
  switch (instruction) {
    case I::nop: return {};
    case I::barrier: return all.subspan(2);
    case I::acquire:
    case I::release: return all.subspan(3);
    default: return all;
  }
}

bool moves_data(PlanInstruction instruction) {
  return instruction >= I::copy;
}

bool is_raw_copy(const PlanOperation& operation) {
  return operation.instruction == I::put_packets && operation.channel == ChannelType::port;
}

bool is_packet_source(const PlanOperation& operation, std::size_t k) {
  switch (operation.instruction) {
    case I::put_packets: return operation.channel == ChannelType::port;
    case I::read_put_packets:
    case I::unpack_packets:
    case I::multicast_store_packets: return true;
    case I::reduce_packets:
    case I::reduce_send_packets:
    case I::reduce_copy_packets:
    case I::reduce_copy_send_packets: return k > 0;
    default: return false;
  }
}

bool is_packet_target(const PlanOperation& operation, std::size_t k) {
  switch (operation.instruction) {
    case I::put_packets:
    case I::read_put_packets:
    case I::copy_packets:
    case I::multicast_store_packets: return true;
    case I::reduce_send_packets:
    case I::reduce_copy_packets:
    case I::reduce_copy_send_packets: return k > 0;
    default: return false;
  }
}

}  // namespace onceover::formats
