#include "formats/plan_operations.h"

#include <algorithm>

#include "formats/plan.h"

namespace onceover::formats {

namespace {

// What the runtime has room for besides the limits of plan.h.
constexpr std::size_t most_semaphore_ids = 16;
constexpr std::int32_t most_barriers = 16;

std::int32_t chunks_of(const Buffers& chunks, Buffer buffer) {
  switch (buffer) {
    case Buffer::input: return chunks.input;
    case Buffer::output: return chunks.output;
    case Buffer::scratch: return chunks.scratch;
  }
  return 0;
}

class OperationsReader {
 public:
  OperationsReader(const PlanScope& scope, std::vector<std::size_t>& offsets) : scope_(scope), offsets_(offsets) {}

  PlanResult<PlanBlock> read(const PlacedJson& block) {
    for (const PlacedJson& json : TRY(plan_list(block, "ops", most_block_operations))) TRY(read_any(json));
    return std::move(block_);
  }

 private:
  /// Reads an operation, or a pipeline of them.
  PlanResult<void> read_any(const PlacedJson& json) {
    if (TRY(plan_text(json, "name", "an operation")) != "pipeline") return read_one(json);
    PlanPipeline pipeline{.first = block_.operations.size(), .position = position_++};
    const PlacedJson* context = TRY(plan_field(json, "iter_context", "a pipeline"));
    const PlacedJson* unit = TRY(plan_field(*context, "unit_size", "iter_context"));
    pipeline.unit_bytes = static_cast<std::uint32_t>(TRY(plan_number(*unit, "unit_size", 1, UINT32_MAX)));
    pipeline.chunks = TRY(plan_count(*context, "num_chunks", 1, INT32_MAX));
    if (pipeline.unit_bytes % 16 != 0)
      return plan_fault(*unit, "unit_size must be a multiple of 16: the runtime goes wrong on what remains");
    for (const PlacedJson& inner : TRY(plan_list(json, "ops", most_block_operations))) {
      if (TRY(plan_text(inner, "name", "an operation")) == "pipeline")
        return plan_fault(inner, "a pipeline in a pipeline, which the runtime doesn't run");
      TRY(read_one(inner));
      TRY(check_repeated(inner, block_.operations.back(), pipeline));
    }
    pipeline.count = block_.operations.size() - pipeline.first;
    block_.pipelines.push_back(pipeline);
    return {};
  }

  static PlanResult<void> check_repeated(const PlacedJson& json, const PlanOperation& operation,
                                         const PlanPipeline& pipeline) {
    if (operation.slice.parts > 1) return plan_fault(json, "tbg_info in a pipeline, whose iterations ignore it");
    const bool is_whole = is_packet_source(operation, operation.sources.empty() ? 0 : operation.sources.size() - 1) ||
                          (!operation.targets.empty() && is_packet_target(operation, operation.targets.size() - 1));
    if (operation.sources.empty() || is_whole || operation.sources.front().size == pipeline.chunks) return {};
    return plan_fault(json, fmt::format("{} has ranges of {} chunks in a pipeline over {}; the runtime goes beyond a "
                                        "shorter range, and doesn't finish a longer one",
                                        operation.word, operation.sources.front().size, pipeline.chunks));
  }

  PlanResult<void> read_one(const PlacedJson& json) {
    if (position_ >= most_block_operations)
      return plan_fault(json, fmt::format("a block has at most {} operations, a pipeline and those in it included",
                                          most_block_operations));
    PlanOperation operation = TRY(read_operation(json));
    operation.position = position_++;
    offsets_.push_back(json.offset());
    block_.operations.push_back(std::move(operation));
    return {};
  }

  PlanResult<PlanOperation> read_operation(const PlacedJson& json) {
    const std::string word = TRY(plan_text(json, "name", "an operation"));
    const PlanRule* rule = plan_rule(word);
    if (rule == nullptr)
      return plan_fault(*json.find("name"),
                        fmt::format("the runtime has no operation '{}'{}", word, plan_rule_suggestion(word)));
    PlanOperation operation;
    operation.word = rule->word;
    operation.instruction = rule->instruction;
    operation.is_relaxed = rule->is_relaxed;
    operation.channel = TRY(read_channel_type(json, *rule));
    if (operation.channel == ChannelType::port) operation.is_relaxed = false;  // there both forms are the same
    operation.sources = TRY(read_ranges(json, "src_buff", rule->sources, operation));
    operation.targets = TRY(read_ranges(json, "dst_buff", rule->targets, operation));
    TRY(check_keys(json, *rule));
    TRY(read_ids(json, operation));
    TRY(check_threads(json, operation));
    TRY(read_slice(json, operation));
    TRY(read_barrier(json, operation));
    TRY(check_ranges(json, *rule, operation));
    TRY(check_sum(json));
    return operation;
  }

  static PlanResult<ChannelType> read_channel_type(const PlacedJson& json, const PlanRule& rule) {
    const bool takes_any = rule.takes_memory || rule.takes_port || rule.takes_switch;
    if (!takes_any && json.find("channel_type") == nullptr) return ChannelType::none;
    const std::string type = TRY(plan_text(json, "channel_type", rule.word));
    if (!takes_any) {
      const auto known = {"memory", "port", "switch", "none"};
      if (std::find(known.begin(), known.end(), type) != known.end()) return ChannelType::none;
      return plan_fault(*json.find("channel_type"), fmt::format("'{}' is not a type of channel", type));
    }
    if (rule.takes_memory && type == "memory") return ChannelType::memory;
    if (rule.takes_port && type == "port") return ChannelType::port;
    if (rule.takes_switch && type == "switch") return ChannelType::multicast;
    return plan_fault(*json.find("channel_type"), fmt::format("{} can't use a channel of type '{}'", rule.word, type));
  }

  PlanResult<std::vector<PlanRange>> read_ranges(const PlacedJson& json, std::string_view key, std::string_view letters,
                                                 const PlanOperation& operation) {
    std::vector<PlanRange> ranges;
    if (letters.empty()) return ranges;
    const auto list = TRY(plan_list(json, key, most_operation_ranges));
    for (const PlacedJson& element : list) {
      const auto letter = operand_letter(letters, ranges.size());
      if (!letter)
        return plan_fault(element, fmt::format("{} has more elements in \"{}\" than it can use", operation.word, key));
      ranges.push_back(TRY(read_range(element, *letter, operation)));
    }
    if (ranges.size() < fewest_operands(letters))
      return plan_fault(json, fmt::format("{} needs at least {} in \"{}\", and has {}", operation.word,
                                          fewest_operands(letters), key, ranges.size()));
    return ranges;
  }

  PlanResult<PlanRange> read_range(const PlacedJson& json, char letter, const PlanOperation& operation) {
    PlanRange range;
    for (const auto& [key, of] : {std::pair<std::string_view, char>{"buffer_id", 'R'}, {"switch_channel_id", 'W'}})
      if (const PlacedJson* id = json.find(key); id != nullptr && letter != of)
        return plan_fault(*id, fmt::format("this range of {} can't have \"{}\", which the runtime would take for it",
                                           operation.word, key));
    if (letter == 'R') {
      const auto& buffers =
          operation.channel == ChannelType::port ? scope_.tables.port_buffers : scope_.tables.memory_buffers;
      const auto& buffer = buffers[TRY(read_position(json, "buffer_id", buffers.size()))];
      range = {.where = PlanRange::Where::remote, .buffer = buffer.buffer, .ranks = {buffer.rank}};
    } else if (letter == 'W') {
      const auto& groups = scope_.tables.groups;
      const auto& group = groups[TRY(read_position(json, "switch_channel_id", groups.size()))];
      range = {.where = PlanRange::Where::multicast, .buffer = group.buffer, .ranks = group.ranks};
    } else {
      range = {.buffer = TRY(plan_buffer(json, "type")), .ranks = {scope_.rank}};
      if (letter == 'S' && range.buffer != Buffer::scratch)
        return plan_fault(json, fmt::format("the packets of {} are always in scratch", operation.word));
    }
    TRY(check_share(json, range, operation));
    range.index = TRY(plan_count(json, "index", 0, INT32_MAX));
    range.size = TRY(plan_count(json, "size", 1, INT32_MAX));
    for (const Rank rank : range.ranks) {
      const std::int32_t chunks = chunks_of(scope_.plan.gpus[static_cast<std::size_t>(rank)].chunks, range.buffer);
      if (std::int64_t{range.index} + range.size > chunks)
        return plan_fault(json,
                          fmt::format("chunks {} to {} of the {} of gpu {}, which has {}", range.index,
                                      std::int64_t{range.index} + range.size - 1, name(range.buffer), rank, chunks));
    }
    return range;
  }

  /// The runtime adds the caller's own offset to the peer's allocation, and none to that of a port channel's source.
  PlanResult<void> check_share(const PlacedJson& json, const PlanRange& range, const PlanOperation& operation) {
    if (!is_own_share(scope_.plan, range.buffer)) return {};
    if (range.where != PlanRange::Where::local)
      return plan_fault(json,
                        fmt::format("in place, the runtime takes the {} of other GPUs to be at gpu {}'s own share; "
                                    "the {} has it, too",
                                    name(range.buffer), scope_.rank,
                                    name(range.buffer == Buffer::input ? Buffer::output : Buffer::input)));
    if (operation.channel == ChannelType::port && scope_.rank > 0)
      return plan_fault(json,
                        fmt::format("in place, a port channel takes the {} from the beginning of its buffer, which "
                                    "isn't gpu {}'s share",
                                    name(range.buffer), scope_.rank));
    return {};
  }

  /// A position in one of the block's own lists.
  static PlanResult<std::size_t> read_position(const PlacedJson& json, std::string_view key, std::size_t size) {
    const PlacedJson* value = TRY(plan_field(json, key, "this range"));
    const auto* position = value->as<std::uint64_t>();
    if (position == nullptr || *position >= size)
      return plan_fault(*value, fmt::format("{} is {}; the block's list for it has {}", key, value->words(), size));
    return static_cast<std::size_t>(*position);
  }

  /// The runtime reads all keys that an operation has, whether it uses them or not.
  static PlanResult<void> check_keys(const PlacedJson& json, const PlanRule& rule) {
    for (const auto& [key, most] : {std::pair<std::string_view, std::size_t>{"channel_ids", most_operation_channels},
                                    {"semaphore_ids", most_semaphore_ids},
                                    {"src_buff", most_operation_ranges},
                                    {"dst_buff", most_operation_ranges}})
      TRY(plan_list(json, key, most, true));
    for (const std::string_view key : keys_that_overwrite(rule.instruction))
      if (const PlacedJson* value = json.find(key); value != nullptr)
        return plan_fault(*value, fmt::format("{} has \"{}\", which the runtime writes over what {} needs", rule.word,
                                              key, rule.word));
    return {};
  }

  PlanResult<void> check_threads(const PlacedJson& json, const PlanOperation& operation) const {
    if (operation.ids.size() <= scope_.threads) return {};
    return plan_fault(json, fmt::format("{} has {} channels or semaphores, and num_threads_per_block is {}: each needs "
                                        "a thread",
                                        operation.word, operation.ids.size(), scope_.threads));
  }

  PlanResult<void> read_ids(const PlacedJson& json, PlanOperation& operation) {
    const PlanInstruction what = operation.instruction;
    if (what == PlanInstruction::acquire || what == PlanInstruction::release) {
      const auto& semaphores = scope_.plan.gpus[static_cast<std::size_t>(scope_.rank)].semaphores;
      std::vector<std::int32_t> all(semaphores.size());
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
      return read_ids_of(json, "semaphore_ids", most_semaphore_ids, all, operation);
    }
    const bool is_about_channels =
        what == PlanInstruction::signal || what == PlanInstruction::wait || what == PlanInstruction::flush;
    if (operation.channel == ChannelType::port)
      return read_ids_of(json, "channel_ids", most_operation_channels, scope_.tables.port_channels, operation);
    if (is_about_channels)
      return read_ids_of(json, "channel_ids", most_operation_channels, scope_.tables.memory_channels, operation);
    return {};
  }

  static PlanResult<void> read_ids_of(const PlacedJson& json, std::string_view key, std::size_t most,
                                      const std::vector<std::int32_t>& table, PlanOperation& operation) {
    for (const PlacedJson& id : TRY(plan_list(json, key, most))) {
      const auto* position = id.as<std::uint64_t>();
      if (position == nullptr || *position >= table.size())
        return plan_fault(id, fmt::format("{} is in \"{}\"; the block's list has {}", id.words(), key, table.size()));
      const std::int32_t number = table[static_cast<std::size_t>(*position)];
      if (std::find(operation.ids.begin(), operation.ids.end(), number) != operation.ids.end())
        return plan_fault(id, fmt::format("\"{}\" names the same one twice", key));
      operation.ids.push_back(number);
    }
    if (operation.ids.empty()) return plan_fault(json, fmt::format("\"{}\" of {} is empty", key, operation.word));
    return {};
  }

  static PlanResult<void> read_slice(const PlacedJson& json, PlanOperation& operation) {
    const PlacedJson* info = json.find("tbg_info");
    if (info == nullptr || !moves_data(operation.instruction)) return {};
    operation.slice.parts = TRY(plan_count(*info, "tbg_size", 1, 1 << 16));
    operation.slice.part = TRY(plan_count(*info, "tb_id", 0, operation.slice.parts - 1));
    return {};
  }

  static PlanResult<void> read_barrier(const PlacedJson& json, PlanOperation& operation) {
    if (operation.instruction != PlanInstruction::barrier) return {};
    operation.barrier = TRY(plan_count(json, "barrier_id", 0, most_barriers - 1));
    operation.barrier_blocks = TRY(plan_count(json, "num_threadblocks", 1, 1 << 16));
    return {};
  }

  PlanResult<void> check_ranges(const PlacedJson& json, const PlanRule& rule, const PlanOperation& operation) {
    const auto& sources = operation.sources;
    const auto& targets = operation.targets;
    if (sources.empty()) return {};
    for (const auto* ranges : {&sources, &targets})
      for (const PlanRange& range : *ranges)
        if (range.size != sources.front().size)
          return plan_fault(json, fmt::format("{} has ranges of {} and {} chunks; the runtime takes the size of one "
                                              "for all",
                                              rule.word, sources.front().size, range.size));
    if (rule.pairs && sources.size() != targets.size())
      return plan_fault(json,
                        fmt::format("{} has {} sources and {} targets", rule.word, sources.size(), targets.size()));
    if (operation.channel == ChannelType::port && !targets.empty() && operation.ids.size() != targets.size())
      return plan_fault(
          json, fmt::format("{} has {} targets and {} channels", rule.word, targets.size(), operation.ids.size()));
    return check_packets(json, operation);
  }

  PlanResult<void> check_packets(const PlacedJson& json, const PlanOperation& operation) {
    if (operation.channel == ChannelType::port)
      for (std::size_t k = 0; k < operation.targets.size(); ++k) {
        const auto& channels = scope_.plan.gpus[static_cast<std::size_t>(scope_.rank)].port_channels;
        const Rank peer = channels[static_cast<std::size_t>(operation.ids[k])].peer;
        if (peer != operation.targets[k].ranks.front())
          return plan_fault(json, fmt::format("{} puts to gpu {} on a channel to gpu {}", operation.word,
                                              operation.targets[k].ranks.front(), peer));
      }
    TRY(check_packet_ranges(json, operation));
    const bool takes_type_of_first =
        operation.channel == ChannelType::memory &&
        (operation.instruction == PlanInstruction::put || operation.instruction == PlanInstruction::put_packets);
    if (takes_type_of_first)
      for (const PlanRange& range : operation.sources)
        if (range.buffer != operation.sources.front().buffer)
          return plan_fault(json, fmt::format("{} has sources in different buffers; the runtime takes all from that of "
                                              "the first",
                                              operation.word));
    return {};
  }

  /// Packets take twice the room of their data, and only scratch may have it.
  PlanResult<void> check_packet_ranges(const PlacedJson& json, const PlanOperation& operation) {
    for (std::size_t k = 0; k < operation.sources.size(); ++k)
      if (is_packet_source(operation, k)) TRY(check_packet_range(json, operation, operation.sources[k]));
    for (std::size_t k = 0; k < operation.targets.size(); ++k)
      if (is_packet_target(operation, k)) TRY(check_packet_range(json, operation, operation.targets[k]));
    if (operation.instruction == PlanInstruction::put_packets && operation.channel == ChannelType::port &&
        scope_.plan.has_two_halves)
      scope_.plan.unjudged = fmt::format(
          "gpu {} has a ppkt on a port channel of a plan with two halves of scratch, and "
          "which half it reads isn't known",
          scope_.rank);
    return {};
  }

  PlanResult<void> check_packet_range(const PlacedJson& json, const PlanOperation& operation, const PlanRange& range) {
    if (range.buffer != Buffer::scratch)
      return plan_fault(json, fmt::format("{} has packets in {}, and only scratch has room for them", operation.word,
                                          name(range.buffer)));
    const std::int64_t room = scope_.plan.has_packet_scratch ? 2 : 1;
    for (const Rank rank : range.ranks) {
      const std::int32_t chunks = scope_.plan.gpus[static_cast<std::size_t>(rank)].chunks.scratch;
      if (2 * (std::int64_t{range.index} + range.size) > room * chunks)
        return plan_fault(json, fmt::format("{} needs room for packets of chunk {}, twice its size, in {} chunks of "
                                            "scratch; with the protocol LL there is room",
                                            operation.word, range.index + range.size - 1, chunks));
    }
    return {};
  }

  static PlanResult<void> check_sum(const PlacedJson& json) {
    const PlacedJson* sum = json.find("reduce_op");
    if (sum == nullptr) return {};
    const auto* word = sum->as<std::string>();
    if (word != nullptr && *word == "sum") return {};
    return plan_fault(*sum,
                      fmt::format("the runtime adds, whatever reduce_op says, and here it says {}", sum->words()));
  }

  const PlanScope& scope_;
  std::vector<std::size_t>& offsets_;
  PlanBlock block_;
  std::int32_t position_ = 0;
};

}  // namespace

PlanResult<Buffer> plan_buffer(const PlacedJson& object, std::string_view key) {
  const std::string letter = TRY(plan_text(object, key, "this object"));
  if (letter == "i") return Buffer::input;
  if (letter == "o") return Buffer::output;
  if (letter == "s") return Buffer::scratch;
  return plan_fault(*object.find(key), fmt::format("no buffer is called '{}'; there are i, o and s", letter));
}

PlanResult<PlanBlock> read_plan_operations(const PlacedJson& block, const PlanScope& scope,
                                           std::vector<std::size_t>& offsets) {
  return OperationsReader(scope, offsets).read(block);
}

}  // namespace onceover::formats
