// The loader throws if a key is missing, of the wrong kind, or a word that it doesn't know; if a GPU's id isn't its
// position; and if a block has more operations than it takes. Everything else it takes as it is. Numbers beyond its
// tables overwrite what is next to them, and nothing tells the user.
//
// So lint goes on where the reader of plans (plan_reader.cpp) stops, and says of each thing which of these it is.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "base/json_source.h"
#include "base/result.h"
#include "formats/lint.h"
#include "formats/plan.h"

namespace onceover::formats {

namespace {

constexpr std::size_t most_lint_findings = 1000;
constexpr std::size_t deepest_plan = 16;

/// Tables of a block or operation, with the room that they have.
struct PlanTable {
  std::string_view key;
  std::size_t room;
};
constexpr std::array operation_tables{PlanTable{"channel_ids", 8}, PlanTable{"src_buff", 10}, PlanTable{"dst_buff", 10},
                                      PlanTable{"semaphore_ids", 16}};
constexpr std::size_t block_room = 16;  // of channels of a type, and of remote buffers
constexpr std::uint64_t all_barriers = 16;
constexpr std::uint64_t most_step = UINT32_MAX;  // of chunks, and of bytes of alignment

class PlanLint {
 public:
  PlanLint(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  std::vector<LintFinding> findings(const PlacedJson& plan) {
    lint_header(plan);
    std::uint64_t id = 0;
    for (const PlacedJson& gpu : list(plan, "gpus")) lint_gpu(gpu, id++);
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.offset < b.offset; });
    std::vector<LintFinding> all;
    for (const Found& f : found_) {
      if (all.size() == most_lint_findings) break;
      all.push_back(
          {source_error(name_, text_, f.offset, f.message), f.level == Level::note, f.level == Level::silent});
    }
    return all;
  }

 private:
  enum class Level { refused, silent, note };
  struct Found {
    std::size_t offset;
    Level level;
    std::string message;
  };

  void say(Level level, const PlacedJson& at, std::string message) {
    if (found_.size() < 4 * most_lint_findings) found_.push_back({at.offset(), level, std::move(message)});
  }
  void refused(const PlacedJson& at, std::string message) { say(Level::refused, at, std::move(message)); }
  void silent(const PlacedJson& at, std::string message) { say(Level::silent, at, std::move(message)); }

  /// The value of a key, without which the loader throws.
  const PlacedJson* needed(const PlacedJson& object, std::string_view key) {
    const PlacedJson* value = object.find(key);
    if (value == nullptr) refused(object, fmt::format("the key \"{}\" is missing", key));
    return value;
  }

  std::string_view text(const PlacedJson& object, std::string_view key) {
    const PlacedJson* value = needed(object, key);
    if (value == nullptr) return "";
    if (const auto* found = value->as<std::string>()) return *found;
    refused(*value, fmt::format("expected a text for \"{}\", found {}", key, value->words()));
    return "";
  }

  /// A number; nothing if the loader throws.
  std::optional<std::uint64_t> number(const PlacedJson& object, std::string_view key) {
    const PlacedJson* value = needed(object, key);
    if (value == nullptr) return std::nullopt;
    if (const auto* found = value->as<std::uint64_t>()) return *found;
    refused(*value, fmt::format("expected a number for \"{}\", found {}", key, value->words()));
    return std::nullopt;
  }

  std::span<const PlacedJson> list(const PlacedJson& object, std::string_view key, bool is_optional = false) {
    const PlacedJson* value = is_optional ? object.find(key) : needed(object, key);
    if (value == nullptr) return {};
    if (const auto* found = value->as<PlacedJson::Array>()) return *found;
    refused(*value, fmt::format("expected a list for \"{}\", found {}", key, value->words()));
    return {};
  }

  void lint_header(const PlacedJson& plan) {
    for (const std::string_view key : {"name", "collective", "protocol"}) text(plan, key);
    if (const PlacedJson* in_place = needed(plan, "inplace"); in_place != nullptr && in_place->as<bool>() == nullptr)
      refused(*in_place, fmt::format("expected true or false for \"inplace\", found {}", in_place->words()));
    const PlacedJson* alignment = plan.find("buffer_alignment");
    const auto* bytes = alignment == nullptr ? nullptr : alignment->as<std::uint64_t>();
    if (bytes != nullptr && *bytes == 0) silent(*alignment, "buffer_alignment 0: it divides by it");
    if (bytes != nullptr && *bytes % 16 != 0)
      silent(*alignment, "buffer_alignment is not a multiple of 16: what remains behind the last 16 bytes goes wrong");
    const PlacedJson* halves = plan.find("use_double_scratch_buffer");
    has_two_halves_ = halves != nullptr && halves->as<bool>() != nullptr && *halves->as<bool>();
    min_bytes_ = given(plan, "min_message_size", 0);
    threads_ = given(plan, "num_threads_per_block", 1024);
    const PlacedJson* collective = plan.find("collective");
    const auto* word = collective == nullptr ? nullptr : collective->as<std::string>();
    const std::string_view chunks = word != nullptr && *word == "allgather" ? "output_chunks" : "input_chunks";
    for (const PlacedJson& gpu : list(plan, "gpus").first(list(plan, "gpus").empty() ? 0 : 1))
      step_ = std::min(given(gpu, chunks, 1), most_step) * std::min(given(plan, "buffer_alignment", 16), most_step);
  }

  void lint_gpu(const PlacedJson& gpu, std::uint64_t position) {
    if (gpu.find("inputChunks") != nullptr)
      return refused(gpu, "this plan is of the first generation (inputChunks), which this runtime doesn't load");
    if (const auto id = number(gpu, "id"); id && *id != position)
      refused(*gpu.find("id"), fmt::format("the id of this GPU is {}, and its position {}", *id, position));
    for (const std::string_view key : {"input_chunks", "output_chunks"})
      if (const auto chunks = number(gpu, key); chunks && *chunks == 0)
        silent(*gpu.find(key), fmt::format("{} is 0: it divides by it when the plan is called", key));
    number(gpu, "scratch_chunks");
    for (const PlacedJson& channel : list(gpu, "channels")) lint_channel(channel);
    remote_buffers_ = list(gpu, "remote_buffers");
    for (const PlacedJson& buffer : remote_buffers_) {
      number(buffer, "rank");
      lint_word(buffer, "type", {"i", "o", "s"});
      for (const PlacedJson& type : list(buffer, "access_channel_types")) lint_channel_type(type);
    }
    std::uint64_t id = 0;
    for (const PlacedJson& block : list(gpu, "threadblocks")) lint_block(block, id++);
  }

  void lint_channel(const PlacedJson& channel) {
    lint_word(channel, "channel_type", {"memory", "port", "switch", "none"});
    if (text(channel, "channel_type") != "switch") return static_cast<void>(list(channel, "connected_to"));
    lint_word(channel, "buffer_type", {"i", "o", "s"});
    list(channel, "rank_groups");
  }

  void lint_channel_type(const PlacedJson& type) {
    const auto* word = type.as<std::string>();
    const bool is_known =
        word != nullptr && (*word == "memory" || *word == "port" || *word == "switch" || *word == "none");
    if (!is_known) refused(type, fmt::format("{} is not a type of channel", type.words()));
  }

  void lint_word(const PlacedJson& object, std::string_view key, std::initializer_list<std::string_view> known) {
    const PlacedJson* value = object.find(key);
    const auto* word = value == nullptr ? nullptr : value->as<std::string>();
    if (word == nullptr) return static_cast<void>(text(object, key));
    if (std::find(known.begin(), known.end(), *word) == known.end())
      refused(*value, fmt::format("\"{}\" can't be '{}'", key, *word));
  }

  void lint_block(const PlacedJson& block, std::uint64_t position) {
    if (const auto id = number(block, "id"); id && *id != position)
      silent(*block.find("id"), fmt::format("the id of this block is {}, and its position {}: its operations run with "
                                            "the channels and buffers of another block",
                                            *id, position));
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> all;  // by key and type
    for (const auto& [lists, type, ids] : {std::array<std::string_view, 3>{"channels", "channel_type", "channel_ids"},
                                           {"remote_buffer_refs", "access_channel_type", "remote_buffer_ids"}})
      for (const PlacedJson& entry : list(block, lists, lists != "channels")) {
        lint_word(entry, type, {"memory", "port", "switch", "none"});
        const PlacedJson* of = entry.find(type);
        const auto* word = of == nullptr ? nullptr : of->as<std::string>();
        std::size_t& listed = all[{ids, word == nullptr ? "" : std::string_view(*word)}];
        const std::size_t before = listed;
        listed += list(entry, ids).size();
        if (before <= block_room && listed > block_room)
          silent(entry, fmt::format("{} {} in a block: beyond {} it overwrites what is next to them", listed, ids,
                                    block_room));
      }
    note_scratch(block);
    lint_operations(block);
  }

  /// Which of the block's remote buffers, by type of channel, are scratch.
  void note_scratch(const PlacedJson& block) {
    is_scratch_.clear();
    for (const PlacedJson& entry : list(block, "remote_buffer_refs", true))
      for (const PlacedJson& id : list(entry, "remote_buffer_ids", true)) {
        const auto* number = id.as<std::uint64_t>();
        const bool is_known = number != nullptr && *number < remote_buffers_.size();
        is_scratch_[word_of(entry, "access_channel_type")].push_back(
            is_known && word_of(remote_buffers_[static_cast<std::size_t>(*number)], "type") == "s");
      }
  }

  static std::string_view word_of(const PlacedJson& object, std::string_view key) {
    const PlacedJson* value = object.find(key);
    const auto* word = value == nullptr ? nullptr : value->as<std::string>();
    return word == nullptr ? "" : std::string_view(*word);
  }

  /// Calls use the halves of scratch in turn, but plain accesses to a peer's scratch always go to the first.
  void lint_halves(const PlacedJson& operation, const PlanRule& rule) {
    if (!has_two_halves_) return;
    const std::string_view channel = word_of(operation, "channel_type");
    const PlanOperation like{.instruction = rule.instruction,
                             .channel = channel == "port" ? ChannelType::port : ChannelType::memory};
    for (const bool is_source : {true, false}) {
      std::size_t k = 0;
      for (const PlacedJson& range : list(operation, is_source ? "src_buff" : "dst_buff", true)) {
        const bool is_packet = is_source ? is_packet_source(like, k) : is_packet_target(like, k);
        ++k;
        const std::uint64_t id = given(range, "buffer_id", UINT64_MAX);
        const auto& known = is_scratch_[channel];
        const bool is_remote = id < known.size() && known[static_cast<std::size_t>(id)];
        const bool is_source_of_port = channel == "port" && word_of(range, "type") == "s";
        if (!is_packet && (is_remote || is_source_of_port))
          silent(range, fmt::format("use_double_scratch_buffer: {} stays in the first half of {} scratch, though every "
                                    "second call uses the other half",
                                    rule.word, is_remote ? "the peer's" : "its own"));
      }
    }
  }

  void lint_operations(const PlacedJson& block) {
    std::size_t count = 0;
    for (const PlacedJson& operation : list(block, "ops")) {
      ++count;
      if (name_of(operation) != "pipeline") {
        lint_operation(operation, false);
        continue;
      }
      lint_pipeline(operation);
      for (const PlacedJson& inner : list(operation, "ops")) {
        ++count;
        lint_operation(inner, true);
      }
    }
    if (count > most_block_operations)
      refused(block,
              fmt::format("the block has {} operations, and the runtime takes {}", count, most_block_operations));
  }

  static std::string_view name_of(const PlacedJson& operation) {
    const PlacedJson* name = operation.find("name");
    const auto* word = name == nullptr ? nullptr : name->as<std::string>();
    return word == nullptr ? "" : std::string_view(*word);
  }

  void lint_pipeline(const PlacedJson& pipeline) {
    const PlacedJson* context = needed(pipeline, "iter_context");
    if (context == nullptr) return;
    number(*context, "num_chunks");
    const auto unit = number(*context, "unit_size");
    if (unit && *unit == 0) silent(*context, "unit_size 0: it divides by it");
    if (unit && *unit % 16 != 0)
      silent(*context, "unit_size is not a multiple of 16: what remains behind the last 16 bytes goes wrong");
  }

  void lint_operation(const PlacedJson& operation, bool is_repeated) {
    const std::string_view word = text(operation, "name");
    if (word.empty()) return;
    if (word == "pipeline") return silent(operation, "a pipeline in a pipeline isn't run");
    const PlanRule* rule = plan_rule(word);
    if (rule == nullptr)
      return refused(*operation.find("name"),
                     fmt::format("the runtime has no operation '{}'{}", word, plan_rule_suggestion(word)));
    for (const PlanTable& table : operation_tables)
      if (const auto all = list(operation, table.key, true); all.size() > table.room)
        silent(operation, fmt::format("{} has {} {}: beyond {} it overwrites what is next to them", word, all.size(),
                                      table.key, table.room));
    if (is_repeated && operation.find("tbg_info") != nullptr)
      silent(operation, "tbg_info in a pipeline: the iterations go beyond the slice");
    if (const PlacedJson* id = operation.find("barrier_id"); id != nullptr)
      if (const auto* number = id->as<std::uint64_t>(); number != nullptr && *number >= all_barriers)
        silent(*id, fmt::format("barrier {}: there are {}", *number, all_barriers));
    for (const std::string_view key : keys_that_overwrite(rule->instruction))
      if (const PlacedJson* value = operation.find(key); value != nullptr)
        silent(*value, fmt::format("it writes \"{}\" over what {} needs", key, word));
    lint_threads(operation, *rule);
    lint_meaning(operation, *rule);
  }

  /// A thread serves a channel, semaphore or target of a port channel.
  void lint_threads(const PlacedJson& operation, const PlanRule& rule) {
    const PlanInstruction what = rule.instruction;
    const bool is_semaphore = what == PlanInstruction::acquire || what == PlanInstruction::release;
    const bool is_signal =
        what == PlanInstruction::signal || what == PlanInstruction::wait || what == PlanInstruction::flush;
    const PlacedJson* type = operation.find("channel_type");
    const auto* channel = type == nullptr ? nullptr : type->as<std::string>();
    const bool is_port = channel != nullptr && *channel == "port" && rule.takes_port;
    if (!is_semaphore && !is_signal && !is_port) return;
    const std::string_view key = is_semaphore ? "semaphore_ids" : is_signal ? "channel_ids" : "dst_buff";
    if (const auto served = list(operation, key, true); served.size() > threads_)
      silent(operation, fmt::format("{} has {} {}, and a block {} threads: it leaves out the rest", rule.word,
                                    served.size(), key, threads_));
  }

  /// What the kernel does otherwise than the plan says.
  void lint_meaning(const PlacedJson& operation, const PlanRule& rule) {
    const PlacedJson* type = operation.find("channel_type");
    const auto* channel = type == nullptr ? nullptr : type->as<std::string>();
    const bool is_memory = channel != nullptr && *channel == "memory";
    const bool signals =
        rule.instruction == PlanInstruction::put_signal || rule.instruction == PlanInstruction::put_signal_flush;
    if (signals && is_memory)
      silent(operation, fmt::format("{} on a memory channel puts, and doesn't signal", rule.word));
    const bool puts = rule.instruction == PlanInstruction::put || rule.instruction == PlanInstruction::put_packets;
    if (puts && is_memory) lint_sources(operation, rule);
    if (const PlacedJson* sum = operation.find("reduce_op"); sum != nullptr)
      if (const auto* what = sum->as<std::string>(); what != nullptr && *what != "sum")
        silent(*sum, fmt::format("reduce_op is {}, and the runtime adds", *what));
    if (rule.instruction == PlanInstruction::flush) say(Level::note, operation, "the runtime skips every flush");
    if (rule.instruction == PlanInstruction::get) lint_get(operation);
    lint_halves(operation, rule);
    if (rule.instruction == PlanInstruction::put_packets && channel != nullptr && *channel == "port")
      say(Level::note, operation,
          "the runtime takes the source of ppkt from elsewhere, unless no other plan ran before");
    lint_slice(operation);
    if (rule.takes_switch)
      say(Level::note, operation, fmt::format("{} does nothing on GPUs older than sm_90, and says nothing", rule.word));
  }

  /// Until August 2026, blocks that share an operation needed a unit each.
  void lint_slice(const PlacedJson& operation) {
    const PlacedJson* info = operation.find("tbg_info");
    const std::uint64_t parts = info == nullptr ? 1 : given(*info, "tbg_size", 1);
    for (const PlacedJson& range : list(operation, "src_buff", true)) {
      const std::uint64_t size = std::max<std::uint64_t>(given(range, "size", 1), 1);
      if (parts <= size || parts > UINT32_MAX) continue;
      const std::uint64_t unit = parts / size + (parts % size == 0 ? 0 : 1);
      if (min_bytes_ / unit >= step_) continue;
      return say(
          Level::note, operation,
          fmt::format("{} blocks share {} chunks: runtimes before 2c4cc6f1 (18 August 2026) go wrong on messages "
                      "with less than {} units of buffer_alignment in a chunk; min_message_size leaves them out",
                      parts, size, unit));
    }
  }

  static std::uint64_t given(const PlacedJson& object, std::string_view key, std::uint64_t otherwise) {
    const PlacedJson* value = object.find(key);
    const auto* number = value == nullptr ? nullptr : value->as<std::uint64_t>();
    return number == nullptr ? otherwise : *number;
  }

  void lint_sources(const PlacedJson& operation, const PlanRule& rule) {
    const std::string* first = nullptr;
    for (const PlacedJson& source : list(operation, "src_buff", true)) {
      const PlacedJson* type = source.find("type");
      const auto* buffer = type == nullptr ? nullptr : type->as<std::string>();
      if (buffer == nullptr) continue;
      if (first == nullptr) first = buffer;
      if (*buffer != *first)
        silent(source, fmt::format("{} takes this from '{}', the buffer of its first source", rule.word, *first));
    }
  }

  void lint_get(const PlacedJson& operation) {
    const auto sources = list(operation, "src_buff", true), targets = list(operation, "dst_buff", true);
    for (std::size_t k = 0; k < std::min(sources.size(), targets.size()); ++k) {
      const PlacedJson *from = sources[k].find("index"), *to = targets[k].find("index");
      const auto* a = from == nullptr ? nullptr : from->as<std::uint64_t>();
      const auto* b = to == nullptr ? nullptr : to->as<std::uint64_t>();
      if (a != nullptr && b != nullptr && *a != *b)
        say(Level::note, sources[k], fmt::format("get swaps the positions {} and {}", *a, *b));
    }
  }

  std::string_view name_;
  std::string_view text_;
  std::vector<Found> found_;
  bool has_two_halves_ = false;
  std::span<const PlacedJson> remote_buffers_;  // of the GPU
  std::map<std::string_view, std::vector<bool>> is_scratch_;
  std::uint64_t min_bytes_ = 0;
  std::uint64_t step_ = 16;  // bytes of the least message
  std::uint64_t threads_ = 1024;
};

}  // namespace

tl::expected<std::vector<LintFinding>, SourceError> lint_plan(std::string_view name, std::string_view text) {
  const PlacedJson plan = TRY(read_placed_json(name, text, deepest_plan));
  return PlanLint(name, text).findings(plan);
}

}  // namespace onceover::formats
