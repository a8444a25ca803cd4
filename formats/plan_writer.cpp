// Operations name channels and remote buffers by their positions in lists of the block, which name those of the GPU. So
// `PlanNames` first lists what a GPU's operations use.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text_output.h"
#include "formats/plan_file.h"

namespace onceover::formats {

namespace {

using I = PlanInstruction;

/// Sorted and each once.
template <class T>
class PlanList {
 public:
  void add(const T& element) { list_.push_back(element); }
  void close() {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  }
  std::size_t position(const T& element) const {
    return static_cast<std::size_t>(std::lower_bound(list_.begin(), list_.end(), element) - list_.begin());
  }
  const std::vector<T>& all() const { return list_; }

 private:
  std::vector<T> list_;
};

/// A buffer of a peer.
using PeerBuffer = std::pair<Rank, Buffer>;

/// The channels and remote buffers of a block or GPU.
struct PlanNames {
  PlanList<std::int32_t> channels;
  PlanList<PeerBuffer> buffers;

  void add(const PlanBlock& block) {
    for (const PlanOperation& o : block.operations) {
      if (o.instruction == I::signal || o.instruction == I::wait)
        for (const std::int32_t id : o.ids) channels.add(id);
      for (const auto* ranges : {&o.sources, &o.targets})
        for (const PlanRange& range : *ranges)
          if (range.where == PlanRange::Where::remote) buffers.add({range.ranks.front(), range.buffer});
    }
  }
  void close() { channels.close(), buffers.close(); }
};

class PlanWriter {
 public:
  PlanWriter(const ExecutionPlan& plan, std::FILE* file) : plan_(plan), out_(file) {}

  bool write() {
    const auto quoted = [](std::string_view text) {
      return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    };
    out_.put("{{\n  \"name\": {}, \"collective\": {}, \"protocol\": \"{}\", \"inplace\": {},\n", quoted(plan_.name),
             quoted(plan_.collective), plan_.has_packet_scratch ? "LL" : "Simple", plan_.in_place);
    out_.put("  \"reuse_resources\": {}, \"use_double_scratch_buffer\": {}, \"buffer_alignment\": {},\n",
             plan_.reuses_resources, plan_.has_two_halves, plan_.alignment);
    out_.put("  \"num_threads_per_block\": 1024, \"min_message_size\": {}, \"max_message_size\": {},\n",
             plan_.min_bytes, plan_.max_bytes);
    out_.put("  \"gpus\": [\n");
    for (std::size_t r = 0; r < plan_.gpus.size(); ++r) write_gpu(r);
    out_.put("  ]\n}}\n");
    return out_.finish();
  }

 private:
  void write_gpu(std::size_t rank) {
    const PlanGpu& gpu = plan_.gpus[rank];
    of_gpu_ = {};
    for (const PlanBlock& block : gpu.blocks) of_gpu_.add(block);
    of_gpu_.close();
    out_.put("    {{\"id\": {}, \"input_chunks\": {}, \"output_chunks\": {}, \"scratch_chunks\": {},\n", rank,
             gpu.chunks.input, gpu.chunks.output, gpu.chunks.scratch);
    write_channels(gpu);
    out_.put("      \"remote_buffers\": [");
    for (const PeerBuffer& buffer : of_gpu_.buffers.all())
      out_.put("{}{{\"rank\": {}, \"type\": \"{}\", \"access_channel_types\": [\"memory\"]}}",
               separator(buffer, of_gpu_.buffers), buffer.first, letter(buffer.second));
    out_.put("],\n      \"semaphores\": [");
    for (std::size_t k = 0; k < gpu.semaphores.size(); ++k)
      out_.put("{}{{\"init_value\": {}}}", k == 0 ? "" : ", ", gpu.semaphores[k]);
    out_.put("],\n      \"threadblocks\": [\n");
    for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
      write_block(b, gpu.blocks[b]);
      out_.put("{}\n", b + 1 < gpu.blocks.size() ? "," : "");
    }
    out_.put("      ]}}{}\n", rank + 1 < plan_.gpus.size() ? "," : "");
  }

  void write_channels(const PlanGpu& gpu) {
    out_.put("      \"channels\": [");
    for (std::size_t k = 0; k < gpu.memory_channels.size(); ++k)
      out_.put("{}{}", k == 0 ? "{\"channel_type\": \"memory\", \"connected_to\": [" : ", ",
               gpu.memory_channels[k].peer);
    out_.put("{}],\n", gpu.memory_channels.empty() ? "" : "]}");
  }

  void write_block(std::size_t number, const PlanBlock& block) {
    of_block_ = {};
    of_block_.add(block);
    of_block_.close();
    out_.put("        {{\"id\": {}, \"channels\": [", number);
    if (!of_block_.channels.all().empty())
      out_.put("{{\"channel_type\": \"memory\", \"channel_ids\": [{}]}}", fmt::join(of_block_.channels.all(), ", "));
    out_.put("], \"remote_buffer_refs\": [");
    if (!of_block_.buffers.all().empty()) {
      std::vector<std::size_t> ids;
      for (const PeerBuffer& buffer : of_block_.buffers.all()) ids.push_back(of_gpu_.buffers.position(buffer));
      out_.put("{{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [{}]}}", fmt::join(ids, ", "));
    }
    out_.put("],\n         \"ops\": [\n");
    for (const PlanOperation& o : block.operations) {
      write_operation(o);
      out_.put("{}\n", &o == &block.operations.back() ? "" : ",");
    }
    out_.put("         ]}}");
  }

  void write_operation(const PlanOperation& o) {
    out_.put("           {{\"name\": \"{}\"", o.word);
    write_ranges("src_buff", o.sources);
    write_ranges("dst_buff", o.targets);
    if (o.channel != ChannelType::none) out_.put(", \"channel_type\": \"{}\"", name(o.channel));
    if (o.instruction == I::signal || o.instruction == I::wait) {
      std::vector<std::size_t> ids;
      for (const std::int32_t id : o.ids) ids.push_back(of_block_.channels.position(id));
      out_.put(", \"channel_ids\": [{}]", fmt::join(ids, ", "));
    }
    if (o.instruction == I::acquire || o.instruction == I::release)
      out_.put(", \"semaphore_ids\": [{}]", fmt::join(o.ids, ", "));
    if (o.instruction == I::barrier)
      out_.put(", \"barrier_id\": {}, \"num_threadblocks\": {}", o.barrier, o.barrier_blocks);
    if (o.slice.parts > 1) out_.put(", \"tbg_info\": {{\"tb_id\": {}, \"tbg_size\": {}}}", o.slice.part, o.slice.parts);
    if (sums(o.instruction)) out_.put(", \"reduce_op\": \"sum\"");
    out_.put("}}");
  }

  static bool sums(I instruction) {
    return (instruction >= I::reduce && instruction <= I::read_reduce_send) ||
           (instruction >= I::reduce_packets && instruction <= I::reduce_copy_send_packets);
  }

  void write_ranges(std::string_view key, const std::vector<PlanRange>& ranges) {
    if (ranges.empty()) return;
    out_.put(", \"{}\": [", key);
    for (const PlanRange& range : ranges) {
      const std::string_view comma = &range == &ranges.front() ? "" : ", ";
      if (range.where == PlanRange::Where::remote)
        out_.put("{}{{\"buffer_id\": {}", comma, of_block_.buffers.position({range.ranks.front(), range.buffer}));
      else
        out_.put("{}{{\"type\": \"{}\"", comma, letter(range.buffer));
      out_.put(", \"index\": {}, \"size\": {}}}", range.index, range.size);
    }
    out_.put("]");
  }

  static std::string_view separator(const PeerBuffer& buffer, const PlanList<PeerBuffer>& list) {
    return buffer == list.all().front() ? "" : ", ";
  }

  static char letter(Buffer buffer) { return name(buffer).front(); }

  const ExecutionPlan& plan_;
  TextOutput out_;
  PlanNames of_gpu_;
  PlanNames of_block_;
};

}  // namespace

bool write_plan(const ExecutionPlan& plan, std::FILE* file) {
  return PlanWriter(plan, file).write();
}

}  // namespace onceover::formats
