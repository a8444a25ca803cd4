#include "formats/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/rows.h"
#include "base/sentences.h"

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

/// Does the get name different positions on both sides, which the runtime swaps?
bool is_swapped(const PlanOperation& o) {
  if (o.instruction != PlanInstruction::get) return false;
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if (o.sources[k].index != o.targets[k].index) return true;
  return false;
}

std::size_t count_of(const ExecutionPlan& plan, bool (*is_meant)(const PlanOperation&)) {
  std::size_t found = 0;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      found += static_cast<std::size_t>(std::count_if(block.operations.begin(), block.operations.end(), is_meant));
  return found;
}

/// The runtime takes the source from the memory of the first plan that its process runs.
bool takes_first_memory(const PlanOperation& o) {
  return o.instruction == PlanInstruction::put_packets && o.channel == ChannelType::port;
}

/// Is one side in scratch, and the other isn't? Where scratch is a ring, the runtime turns the positions of the wrong
/// side.
bool crosses_scratch(const PlanOperation& o) {
  if (o.instruction != PlanInstruction::get) return false;
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if ((o.sources[k].buffer == Buffer::scratch) != (o.targets[k].buffer == Buffer::scratch)) return true;
  return false;
}

/// Sums in pipelines over shared scratch: the runtime takes the wrong buffers for their further sources.
std::size_t sums_in_ring(const ExecutionPlan& plan) {
  if (!plan.reuses_resources) return 0;
  std::size_t found = 0;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanPipeline& p : block.pipelines)
        for (std::size_t k = p.first; k < p.first + p.count; ++k) {
          const PlanInstruction what = block.operations[k].instruction;
          if (what == PlanInstruction::reduce || what == PlanInstruction::reduce_send) ++found;
        }
  return found;
}

bool ends_beyond(const ExecutionPlan& plan, const PlanRange& range) {
  return std::any_of(range.ranks.begin(), range.ranks.end(), [&](Rank rank) {
    const Buffers& chunks = plan.gpus[static_cast<std::size_t>(rank)].chunks;
    const std::int32_t has = range.buffer == Buffer::input    ? chunks.input
                             : range.buffer == Buffer::output ? chunks.output
                                                              : chunks.scratch;
    return std::int64_t{range.index} + range.size > has;
  });
}

void swap_positions(ExecutionPlan& plan, PlanOperation& o) {
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    std::swap(o.sources[k].index, o.targets[k].index);
    if (ends_beyond(plan, o.sources[k]) || ends_beyond(plan, o.targets[k]))
      plan.unjudged = fmt::format("the runtime swaps the positions of a get (line {}:{}), and one is beyond its buffer",
                                  o.line, o.column);
  }
}

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

std::vector<std::string> differences_of_executor(const ExecutionPlan& plan) {
  std::vector<std::string> all;
  if (const std::size_t n = count_of(plan, is_swapped); n > 0)
    all.push_back(fmt::format("swaps the positions of {}", counted(n, "get")));
  const auto is_flush = [](const PlanOperation& o) { return o.instruction == PlanInstruction::flush; };
  if (const std::size_t n = count_of(plan, is_flush); n > 0)
    all.push_back(fmt::format("skips {}", n == 1 ? "1 flush" : fmt::format("{} flushes", n)));
  if (const std::size_t n = count_of(plan, takes_first_memory); n > 0)
    all.push_back(
        fmt::format("takes the sources of {} ppkt on port channels from elsewhere, unless no other plan ran "
                    "before",
                    n));
  if (const std::size_t n = count_of(plan, crosses_scratch); n > 0 && plan.reuses_resources)
    all.push_back(
        fmt::format("takes {} from elsewhere where chunks are larger than their shares of scratch", counted(n, "get")));
  if (const std::size_t n = sums_in_ring(plan); n > 0)
    all.push_back(fmt::format("takes further sources of {} in pipelines from elsewhere", counted(n, "sum")));
  return all;
}

ExecutionPlan as_executed(ExecutionPlan plan) {
  const auto differences = differences_of_executor(plan);
  plan.notes.clear();
  plan.is_as_executed = true;
  plan.breaks_in_ring = plan.reuses_resources && count_of(plan, crosses_scratch) > 0;
  if (sums_in_ring(plan) > 0)
    plan.unjudged = "the runtime takes sources of sums in pipelines that share scratch from elsewhere";
  if (count_of(plan, takes_first_memory) > 0)
    plan.unjudged = "the runtime takes the sources of ppkt on port channels from the memory of the first plan it ran";
  for (const std::string& difference : differences)
    plan.notes.push_back(fmt::format("judged as the runtime of August 2026 runs it, which {}", difference));
  for (PlanGpu& gpu : plan.gpus)
    for (PlanBlock& block : gpu.blocks)
      for (PlanOperation& o : block.operations) {
        if (is_swapped(o)) swap_positions(plan, o);
        if (o.instruction == PlanInstruction::flush) o.ids.clear();
      }
  return plan;
}

}  // namespace onceover::formats
