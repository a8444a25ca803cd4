// A plan is read in two passes over the GPUs: first their chunks, channels and semaphores, then their blocks, whose
// operations name chunks of other GPUs. Both passes walk the tree of json_source.h; the first error ends them.

#include <algorithm>
#include <map>

#include "formats/plan.h"
#include "formats/plan_file.h"
#include "formats/plan_operations.h"

namespace onceover::formats {

namespace {

constexpr std::size_t most_nested = 16;
constexpr std::size_t most_entries = 1 << 16;  // of a list of a GPU; the runtime has no bound

/// A remote buffer of a GPU, and the channels that may be used for it.
struct ListedBuffer {
  BlockTables::RemoteBuffer buffer;
  std::vector<std::string> types;
};

/// A multicast group of a GPU, and its place in the file.
struct ListedGroup {
  BlockTables::Group group;
  const PlacedJson* at;
};

/// What the blocks of a GPU may list, besides its channels.
struct GpuTables {
  std::vector<ListedGroup> groups;
  std::vector<ListedBuffer> buffers;
};

class PlanReader {
 public:
  PlanReader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  tl::expected<ExecutionPlan, SourceError> read() {
    const PlacedJson document = TRY(read_placed_json(name_, text_, most_nested));
    auto done = read_document(document);
    if (!done) return tl::unexpected(source_error(name_, text_, done.error().offset, done.error().message));
    return std::move(plan_);
  }

 private:
  PlanResult<void> read_document(const PlacedJson& document) {
    const auto gpus = TRY(plan_list(document, "gpus", most_plan_gpus));
    if (gpus.empty()) return plan_fault(document, "the plan has no GPUs");
    for (const PlacedJson& gpu : gpus)
      if (gpu.find("inputChunks") != nullptr)
        return plan_fault(
            gpu,
            "this plan is of the first generation (inputChunks; before August 2025); newer runtimes don't "
            "load it, and some of its operations have changed their meaning: write it again with a newer "
            "MSCCL++");
    TRY(read_header(document));
    ranks_ = gpus.size();
    plan_.gpus.resize(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) TRY(read_gpu(gpus[r], r));
    TRY(check_shape(gpus));
    TRY(check_groups());
    for (std::size_t r = 0; r < ranks_; ++r) TRY(read_blocks(gpus[r], r));
    for (const std::string& difference : differences_of_executor(plan_))
      plan_.notes.push_back(fmt::format("the runtime of August 2026 {}; --reading executor judges that", difference));
    return {};
  }

  PlanResult<void> read_header(const PlacedJson& document) {
    plan_.name = TRY(plan_text(document, "name", "the plan"));
    plan_.collective = TRY(plan_text(document, "collective", "the plan"));
    const std::string protocol = TRY(plan_text(document, "protocol", "the plan"));
    if (protocol != "Simple" && protocol != "LL")
      return plan_fault(*document.find("protocol"), fmt::format("the protocol is Simple or LL, not '{}'", protocol));
    plan_.has_packet_scratch = protocol == "LL";
    TRY(plan_field(document, "inplace", "the plan"));
    plan_.in_place = TRY(plan_truth(document, "inplace", false));
    plan_.reuses_resources = TRY(plan_truth(document, "reuse_resources", false));
    plan_.has_two_halves = TRY(plan_truth(document, "use_double_scratch_buffer", false));
    plan_.alignment = TRY(number_or(document, "buffer_alignment", 16, 1, UINT32_MAX));
    threads_ = TRY(number_or(document, "num_threads_per_block", 1024, 1, 1024));
    plan_.min_bytes = TRY(number_or(document, "min_message_size", 0, 0, UINT64_MAX));
    plan_.max_bytes = TRY(number_or(document, "max_message_size", UINT64_MAX, plan_.min_bytes, UINT64_MAX));
    if (plan_.alignment % 16 != 0)
      return plan_fault(*document.find("buffer_alignment"),
                        "buffer_alignment must be a multiple of 16: the runtime goes wrong on what remains");
    return {};
  }

  static PlanResult<std::uint64_t> number_or(const PlacedJson& json, std::string_view key, std::uint64_t otherwise,
                                             std::uint64_t least, std::uint64_t most) {
    const PlacedJson* value = json.find(key);
    return value == nullptr ? PlanResult<std::uint64_t>(otherwise) : plan_number(*value, key, least, most);
  }

  PlanResult<void> read_gpu(const PlacedJson& json, std::size_t rank) {
    PlanGpu& gpu = plan_.gpus[rank];
    const auto id = static_cast<std::uint64_t>(rank);
    const PlacedJson* named = TRY(plan_field(json, "id", "a GPU"));
    TRY(plan_number(*named, "the id of this GPU, its position,", id, id));
    gpu.chunks.input = TRY(plan_count(json, "input_chunks", 1, most_plan_chunks));
    gpu.chunks.output = TRY(plan_count(json, "output_chunks", 1, most_plan_chunks));
    gpu.chunks.scratch = TRY(plan_count(json, "scratch_chunks", 0, most_plan_chunks));
    GpuTables tables;
    for (const PlacedJson& channel : TRY(plan_list(json, "channels", most_entries)))
      TRY(read_channel(channel, gpu, tables, rank));
    for (const PlacedJson& buffer : TRY(plan_list(json, "remote_buffers", most_entries)))
      tables.buffers.push_back(TRY(read_remote_buffer(buffer, rank)));
    for (const PlacedJson& semaphore : TRY(plan_list(json, "semaphores", most_entries, true)))
      gpu.semaphores.push_back(TRY(plan_count(semaphore, "init_value", 0, INT32_MAX)));
    tables_.push_back(std::move(tables));
    return {};
  }

  PlanResult<void> read_channel(const PlacedJson& json, PlanGpu& gpu, GpuTables& tables, std::size_t rank) {
    const std::string type = TRY(plan_text(json, "channel_type", "a channel"));
    if (type == "switch") return read_groups(json, tables, rank);
    if (type != "memory" && type != "port")
      return plan_fault(*json.find("channel_type"), fmt::format("no channels of a GPU are of type '{}'", type));
    auto& channels = type == "port" ? gpu.port_channels : gpu.memory_channels;
    for (const PlacedJson& element : TRY(plan_list(json, "connected_to", most_entries))) {
      const Rank peer = TRY(read_rank(element));
      if (peer == static_cast<Rank>(rank)) return plan_fault(element, "a channel of a GPU to itself");
      const auto before =
          std::count_if(channels.begin(), channels.end(), [&](const PlanChannel& c) { return c.peer == peer; });
      channels.push_back({peer, static_cast<std::int32_t>(before)});
    }
    return {};
  }

  PlanResult<void> read_groups(const PlacedJson& json, GpuTables& tables, std::size_t rank) {
    const Buffer buffer = TRY(plan_buffer(json, "buffer_type"));
    for (const PlacedJson& element : TRY(plan_list(json, "rank_groups", most_entries))) {
      BlockTables::Group group{buffer, {}};
      for (const PlacedJson& member : TRY(plan_list(element, "ranks", most_plan_gpus))) {
        const Rank of = TRY(read_rank(member));
        if (std::find(group.ranks.begin(), group.ranks.end(), of) != group.ranks.end())
          return plan_fault(member, fmt::format("gpu {} is in the group twice", of));
        group.ranks.push_back(of);
      }
      if (std::find(group.ranks.begin(), group.ranks.end(), static_cast<Rank>(rank)) == group.ranks.end())
        return plan_fault(element, "the group lacks the GPU itself");
      tables.groups.push_back({std::move(group), &element});
    }
    return {};
  }

  /// Each GPU connects its groups one after another, and for each it waits for all members. So all must come to a group
  /// at last, with the same buffer.
  PlanResult<void> check_groups() const {
    std::map<std::pair<Buffer, std::vector<Rank>>, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> open(ranks_);  // of each GPU, the next one last
    std::vector<std::size_t> ready;
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (auto listed = tables_[r].groups.rbegin(); listed != tables_[r].groups.rend(); ++listed) {
        std::vector<Rank> members = listed->group.ranks;
        std::sort(members.begin(), members.end());
        open[r].push_back(numbers.try_emplace({listed->group.buffer, members}, numbers.size()).first->second);
      }
      ready.push_back(r);
    }
    while (!ready.empty()) {
      const std::size_t r = ready.back();
      ready.pop_back();
      if (open[r].empty()) continue;
      const std::size_t number = open[r].back();
      const auto& members = next_group(r, open[r].size()).group.ranks;
      const bool have_come = std::all_of(members.begin(), members.end(), [&](Rank m) {
        const auto& theirs = open[static_cast<std::size_t>(m)];
        return !theirs.empty() && theirs.back() == number;
      });
      if (!have_come) continue;
      for (const Rank m : members) {
        open[static_cast<std::size_t>(m)].pop_back();
        ready.push_back(static_cast<std::size_t>(m));
      }
    }
    for (std::size_t r = 0; r < ranks_; ++r)
      if (!open[r].empty())
        return plan_fault(*next_group(r, open[r].size()).at,
                          fmt::format("gpu {} waits here for all GPUs of this group, and not all come to it: each must "
                                      "list its groups with the same buffers and in the same order as their members",
                                      r));
    return {};
  }

  const ListedGroup& next_group(std::size_t rank, std::size_t open) const {
    const auto& groups = tables_[rank].groups;
    return groups[groups.size() - open];
  }

  PlanResult<ListedBuffer> read_remote_buffer(const PlacedJson& json, std::size_t rank) {
    ListedBuffer buffer;
    const PlacedJson* of = TRY(plan_field(json, "rank", "a remote buffer"));
    buffer.buffer.rank = TRY(read_rank(*of));
    if (buffer.buffer.rank == static_cast<Rank>(rank)) return plan_fault(*of, "a remote buffer on the GPU itself");
    buffer.buffer.buffer = TRY(plan_buffer(json, "type"));
    for (const PlacedJson& type : TRY(plan_list(json, "access_channel_types", 4))) {
      const auto* word = type.as<std::string>();
      if (word == nullptr || (*word != "memory" && *word != "port" && *word != "switch" && *word != "none"))
        return plan_fault(type, fmt::format("{} is not a type of channel", type.words()));
      buffer.types.push_back(*word);
    }
    return buffer;
  }

  PlanResult<Rank> read_rank(const PlacedJson& json) const {
    return static_cast<Rank>(TRY(plan_number(json, "a GPU", 0, ranks_ - 1)));
  }

  /// All GPUs must have equally many chunks, and input and output those of the collective.
  PlanResult<void> check_shape(std::span<const PlacedJson> gpus) const {
    const Buffers& first = plan_.gpus.front().chunks;
    for (std::size_t r = 0; r < ranks_; ++r) {
      const Buffers& here = plan_.gpus[r].chunks;
      if (here.input != first.input || here.output != first.output)
        return plan_fault(gpus[r], fmt::format("gpu {} has {} input and {} output chunks, and gpu 0 {} and {}", r,
                                               here.input, here.output, first.input, first.output));
    }
    const std::int64_t in = first.input, out = first.output, n = static_cast<std::int64_t>(ranks_);
    const std::string& what = plan_.collective;
    const bool fits = what == "allgather"                         ? out == in * n
                      : what == "reducescatter"                   ? in == out * n
                      : what == "alltoall"                        ? in == out && in % n == 0
                      : what == "allreduce" || what == "sendrecv" ? in == out
                                                                  : true;
    if (!fits)
      return plan_fault(gpus.front(),
                        fmt::format("{} of {} GPUs can't have {} input and {} output chunks", what, ranks_, in, out));
    return {};
  }

  PlanResult<void> read_blocks(const PlacedJson& json, std::size_t rank) {
    std::uint64_t id = 0;
    for (const PlacedJson& block : TRY(plan_list(json, "threadblocks", most_plan_blocks))) {
      const PlacedJson* named = TRY(plan_field(block, "id", "a block"));
      TRY(plan_number(*named, "the id of this block, its position,", id, id));
      const BlockTables tables = TRY(read_tables(block, rank));
      std::vector<std::size_t> offsets;
      plan_.gpus[rank].blocks.push_back(
          TRY(read_plan_operations(block, {plan_, static_cast<Rank>(rank), tables, threads_}, offsets)));
      place(plan_.gpus[rank].blocks.back(), offsets);
      ++id;
    }
    return {};
  }

  PlanResult<BlockTables> read_tables(const PlacedJson& block, std::size_t rank) const {
    const PlanGpu& gpu = plan_.gpus[rank];
    BlockTables tables;
    for (const PlacedJson& entry : TRY(plan_list(block, "channels", most_entries))) {
      const std::string type = TRY(plan_text(entry, "channel_type", "a block's channels"));
      if (type == "memory") {
        TRY(read_channel_ids(entry, gpu.memory_channels.size(), tables.memory_channels));
      } else if (type == "port") {
        TRY(read_channel_ids(entry, gpu.port_channels.size(), tables.port_channels));
      } else if (type == "switch") {
        std::vector<std::int32_t> ids;
        TRY(read_channel_ids(entry, tables_[rank].groups.size(), ids));
        for (const std::int32_t id : ids)
          tables.groups.push_back(tables_[rank].groups[static_cast<std::size_t>(id)].group);
        if (tables.groups.size() > most_block_channels)
          return plan_fault(entry, "a block has at most 16 channels of a type");
      } else {
        return plan_fault(*entry.find("channel_type"), fmt::format("'{}' is not a type of channel", type));
      }
    }
    for (const PlacedJson& entry : TRY(plan_list(block, "remote_buffer_refs", most_entries, true)))
      TRY(read_buffer_ids(entry, rank, tables));
    return tables;
  }

  static PlanResult<void> read_channel_ids(const PlacedJson& entry, std::size_t size, std::vector<std::int32_t>& out) {
    for (const PlacedJson& element : TRY(plan_list(entry, "channel_ids", most_block_channels))) {
      const auto* id = element.as<std::uint64_t>();
      if (id == nullptr || *id >= size)
        return plan_fault(element, fmt::format("channel {}; the GPU has {} of this type", element.words(), size));
      out.push_back(static_cast<std::int32_t>(*id));
    }
    if (out.size() > most_block_channels) return plan_fault(entry, "a block has at most 16 channels of a type");
    return {};
  }

  PlanResult<void> read_buffer_ids(const PlacedJson& entry, std::size_t rank, BlockTables& tables) const {
    const std::string type = TRY(plan_text(entry, "access_channel_type", "a block's remote buffers"));
    if (type != "memory" && type != "port")
      return plan_fault(*entry.find("access_channel_type"), fmt::format("remote buffers aren't used by '{}'", type));
    auto& out = type == "port" ? tables.port_buffers : tables.memory_buffers;
    const auto& listed = tables_[rank].buffers;
    for (const PlacedJson& element : TRY(plan_list(entry, "remote_buffer_ids", most_block_channels))) {
      const auto* id = element.as<std::uint64_t>();
      if (id == nullptr || *id >= listed.size())
        return plan_fault(element, fmt::format("remote buffer {}; the GPU has {}", element.words(), listed.size()));
      const ListedBuffer& buffer = listed[static_cast<std::size_t>(*id)];
      if (std::find(buffer.types.begin(), buffer.types.end(), type) == buffer.types.end())
        return plan_fault(element, fmt::format("remote buffer {} has no '{}' in its access_channel_types", *id, type));
      out.push_back(buffer.buffer);
    }
    if (out.size() > most_block_channels) return plan_fault(entry, "a block has at most 16 remote buffers of a type");
    return {};
  }

  /// Sets lines and columns. Operations come in the order of the text, as far as the keys of GPUs and blocks do.
  void place(PlanBlock& block, const std::vector<std::size_t>& offsets) {
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      if (offsets[k] < placed_) placed_ = 0, line_ = 1, line_begin_ = 0;
      for (; placed_ < offsets[k]; ++placed_)
        if (text_[placed_] == '\n') ++line_, line_begin_ = placed_ + 1;
      block.operations[k].line = line_;
      block.operations[k].column = static_cast<std::uint32_t>(offsets[k] - line_begin_ + 1);
    }
  }

  std::string_view name_;
  std::string_view text_;
  std::size_t ranks_ = 0;
  std::uint64_t threads_ = 0;  // of a block
  ExecutionPlan plan_;
  std::vector<GpuTables> tables_;
  std::size_t placed_ = 0;  // how far lines are counted
  std::uint32_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

tl::expected<ExecutionPlan, SourceError> read_plan(std::string_view name, std::string_view text) {
  return PlanReader(name, text).read();
}

bool looks_like_plan(std::string_view text) {
  constexpr std::string_view space = " \t\r\n", key = "\"gpus\"";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto after = [&](std::size_t at) {
    return text.substr(std::min(text.find_first_not_of(space, at), text.size()));
  };
  const std::string_view begin = after(0);
  if (!begin.starts_with('{') || begin.substr(1).starts_with("\"format\"")) return false;
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1))
    if (after(at + key.size()).starts_with(':')) return true;
  return false;
}

}  // namespace onceover::formats
