// A step of the format waits for at most one other step, an operation of a program for any number. Such an operation
// becomes several steps, nops first, each with one of the waits. Waits name the numbers of steps, which nops shift, so
// `Plan` counts all steps before anything is written.
//
// Example: the first operation of a thread block waits for step 3 of block 0 and for step 2 of block 1. It is written
// as s=0, a nop with depid=0 deps=3, and s=1, the operation with depid=1 deps=2.
//
// The number of channels is found by trying 1, 2, .. More channels can help if a channel has too many thread blocks or
// a thread block too many steps. Any other refusal ends the search, and so does the number of channels that runtimes
// have. Each try costs a lowering and a plan, which is O(operations + dependencies).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "base/text_output.h"
#include "formats/lowering.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/program.h"

namespace onceover::formats {

namespace {

/// An operation in its thread block.
struct WrittenStep {
  OperationId operation;
  std::vector<OperationId> waits;  // all except the last get a `nop` before it
  std::int32_t number;             // in its thread block, with `nop`s counted
};

struct WrittenBlock {
  Rank send = -1;
  Rank recv = -1;
  std::int64_t channel = 0;
  std::vector<WrittenStep> steps = {};

  std::int32_t length() const { return steps.empty() ? 0 : steps.back().number + 1; }
};

/// The program in the steps of the file.
class Plan {
 public:
  explicit Plan(const Program& program)
      : gpus(static_cast<std::size_t>(program.ranks)),
        number(program.operations.size()),
        is_awaited(program.operations.size(), false),
        partner(program.operations.size(), -1),
        program_(program) {
    std::vector<std::vector<OperationId>> waits(program.operations.size());
    for (const Dependency& order : program.dependencies) {
      waits[index(order.after)].push_back(order.before);
      is_awaited[index(order.before)] = true;
    }
    for (std::size_t id = 0; id < program.operations.size(); ++id)
      add(static_cast<OperationId>(id), std::move(waits[id]));
    pair_messages();
  }

  std::vector<std::vector<WrittenBlock>> gpus;
  std::vector<std::int32_t> number;  // by operation, in its thread block
  std::vector<bool> is_awaited;      // does an operation wait for it?
  std::vector<OperationId> partner;  // by operation: the other end of its message, or -1

 private:
  static std::size_t index(OperationId id) { return static_cast<std::size_t>(id); }

  void add(OperationId id, std::vector<OperationId> waits) {
    const Operation& operation = program_.operations[index(id)];
    auto& blocks = gpus[static_cast<std::size_t>(operation.rank)];
    blocks.resize(std::max(blocks.size(), static_cast<std::size_t>(operation.thread) + 1));
    WrittenBlock& block = blocks[static_cast<std::size_t>(operation.thread)];
    connect(block, operation);
    const auto nops = static_cast<std::int32_t>(waits.empty() ? 0 : waits.size() - 1);
    number[index(id)] = block.length() + nops;
    block.steps.push_back({id, std::move(waits), number[index(id)]});
  }

  void connect(WrittenBlock& block, const Operation& operation) const {
    if (operation.to != no_connection) {
      const Connection& to = program_.connections[static_cast<std::size_t>(operation.to)];
      block.send = to.dst;
      block.channel = to.channel;
    }
    if (operation.from != no_connection) {
      const Connection& from = program_.connections[static_cast<std::size_t>(operation.from)];
      block.recv = from.src;
      block.channel = from.channel;
    }
  }

  void pair_messages() {
    std::vector<std::vector<OperationId>> sent(program_.connections.size());
    for (std::size_t id = 0; id < program_.operations.size(); ++id)
      if (const ConnectionId to = program_.operations[id].to; to != no_connection)
        sent[static_cast<std::size_t>(to)].push_back(static_cast<OperationId>(id));
    std::vector<std::size_t> received(program_.connections.size(), 0);
    for (std::size_t id = 0; id < program_.operations.size(); ++id) {
      const ConnectionId from = program_.operations[id].from;
      if (from == no_connection) continue;
      const auto& messages = sent[static_cast<std::size_t>(from)];
      const std::size_t k = received[static_cast<std::size_t>(from)]++;
      if (k >= messages.size()) continue;
      partner[id] = messages[k];
      partner[index(messages[k])] = static_cast<OperationId>(id);
    }
  }

  const Program& program_;
};

/// Limits that every known runtime accepts.
struct MscclLimits {
  std::int64_t steps_of_block;     // steps of a thread block
  std::int64_t blocks_of_gpu;      // thread blocks of a GPU
  std::int64_t blocks_of_channel;  // thread blocks of a GPU in one channel
  std::int64_t chunks_of_step;
  std::int64_t nodes;  // XML elements that a rank keeps: the algorithm, all GPUs, its own blocks and steps
};

std::int64_t least(std::int64_t MscclProfile::*limit) {
  const auto profiles = msccl_profiles();
  const auto by_limit = [limit](const MscclProfile& a, const MscclProfile& b) { return a.*limit < b.*limit; };
  return (*std::min_element(profiles.begin(), profiles.end(), by_limit)).*limit;
}

MscclLimits strictest_limits() {
  return {.steps_of_block = least(&MscclProfile::steps),
          .blocks_of_gpu = least(&MscclProfile::thread_blocks),
          .blocks_of_channel = least(&MscclProfile::on_a_channel),
          .chunks_of_step = least(&MscclProfile::count),
          .nodes = least(&MscclProfile::nodes)};
}

/// Why these limits don't allow a program, and whether more channels could help.
struct MscclRefusal {
  std::string why;
  bool asks_for_channels;
};

std::optional<MscclRefusal> refusal_of_gpu(Rank rank, const std::vector<WrittenBlock>& blocks, Rank ranks,
                                           const MscclLimits& limits) {
  const auto size = static_cast<std::int32_t>(blocks.size());
  if (size > limits.blocks_of_gpu)
    return MscclRefusal{fmt::format("GPU {} needs {} thread blocks, one for each peer, direction and channel; {} are "
                                    "allowed",
                                    rank, size, limits.blocks_of_gpu),
                        false};
  std::map<std::int64_t, std::int32_t> in_channel;
  std::int64_t nodes = 1 + ranks + size;
  for (const WrittenBlock& block : blocks) {
    nodes += block.length();
    if (++in_channel[block.channel] > limits.blocks_of_channel)
      return MscclRefusal{fmt::format("GPU {} needs more than {} thread blocks in channel {}", rank,
                                      limits.blocks_of_channel, block.channel),
                          true};
    if (block.length() > limits.steps_of_block)
      return MscclRefusal{fmt::format("GPU {} needs a thread block of {} steps; {} are allowed", rank, block.length(),
                                      limits.steps_of_block),
                          true};
  }
  if (nodes > limits.nodes)
    return MscclRefusal{fmt::format("GPU {} needs {} XML elements; {} are allowed", rank, nodes, limits.nodes), false};
  return std::nullopt;
}

/// A name that every parser accepts.
std::string plain_name(std::string_view name) {
  constexpr std::size_t longest = 63;
  std::string plain(name.substr(0, longest));
  for (char& c : plain)
    if (!is_in_name(c) && c != '-') c = '_';
  return plain.empty() ? "schedule" : plain;
}

class MscclWriter {
 public:
  MscclWriter(const Program& program, const MscclOptions& options, std::FILE* file)
      : program_(program), options_(options), plan_(program), out_(file) {}

  bool write() {
    write_algorithm();
    for (Rank r = 0; r < program_.ranks; ++r) write_gpu(r);
    out_.put("</algo>\n");
    return out_.finish();
  }

 private:
  void write_algorithm() {
    std::int64_t channels = 1;
    for (const Connection& c : program_.connections) channels = std::max(channels, c.channel + 1);
    out_.put(
        "<algo name=\"{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" inplace=\"{}\" "
        "outofplace=\"{}\" minBytes=\"0\" maxBytes=\"{}\" nthreads=\"256\">\n",
        plain_name(program_.name), options_.protocol, channels, program_.chunks, program_.ranks, collective(),
        program_.in_place ? 1 : 0, program_.in_place ? 0 : 1, std::int64_t{1} << 40);
  }

  std::string_view collective() const {
    return program_.collective == Collective::reduce_scatter ? options_.reduce_scatter : name(program_.collective);
  }

  void write_gpu(Rank rank) {
    const Buffers& sizes = program_.buffers[static_cast<std::size_t>(rank)];
    out_.put("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank, sizes.input, sizes.output,
             sizes.scratch);
    const auto& blocks = plan_.gpus[static_cast<std::size_t>(rank)];
    for (std::size_t id = 0; id < blocks.size(); ++id) {
      out_.put("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", id, blocks[id].send, blocks[id].recv,
               blocks[id].channel);
      for (const WrittenStep& step : blocks[id].steps) write_steps(step);
      out_.put("    </tb>\n");
    }
    out_.put("  </gpu>\n");
  }

  void write_steps(const WrittenStep& step) {
    const auto nops = static_cast<std::int32_t>(step.waits.empty() ? 0 : step.waits.size() - 1);
    for (std::int32_t k = 0; k < nops; ++k) {
      out_.put("      <step s=\"{}\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\"",
               step.number - nops + k);
      write_wait(&step.waits[static_cast<std::size_t>(k)], false);
    }
    const Operation& operation = program_.operations[static_cast<std::size_t>(step.operation)];
    out_.put("      <step s=\"{}\" type=\"{}\"", step.number, msccl_type(operation.instruction));
    write_places(step.operation, operation);
    write_wait(step.waits.empty() ? nullptr : &step.waits.back(),
               plan_.is_awaited[static_cast<std::size_t>(step.operation)]);
  }

  /// A send also says where the message goes, a receive where it comes from; nothing depends on either.
  void write_places(OperationId id, const Operation& operation) {
    ChunkRange source = operation.source;
    ChunkRange target = operation.target;
    if (const OperationId partner = plan_.partner[static_cast<std::size_t>(id)]; partner >= 0) {
      const Operation& other = program_.operations[static_cast<std::size_t>(partner)];
      if (operation.instruction == Instruction::send) target = other.target;
      if (operation.instruction == Instruction::receive) source = other.source;
    }
    out_.put(" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\"", letter(source), offset(source),
             letter(target), offset(target), std::max(operation.source.count, operation.target.count));
  }

  static char letter(const ChunkRange& range) { return name(range.buffer).front(); }
  static std::int32_t offset(const ChunkRange& range) { return range.count == 0 ? -1 : range.first; }

  void write_wait(const OperationId* wait, bool is_awaited) {
    const std::int32_t thread = wait == nullptr ? -1 : program_.operations[static_cast<std::size_t>(*wait)].thread;
    const std::int32_t step = wait == nullptr ? -1 : plan_.number[static_cast<std::size_t>(*wait)];
    out_.put(" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n", thread, step, is_awaited ? 1 : 0);
  }

  const Program& program_;
  const MscclOptions& options_;
  const Plan plan_;
  TextOutput out_;
};

/// Nothing if the limits allow the program.
std::optional<MscclRefusal> msccl_refusal(const Program& program, const MscclLimits& limits) {
  if (program.root != 0 && is_rooted(program.collective))
    return MscclRefusal{fmt::format("the root is rank {}; MSCCL XML can't say so, its root is rank 0", program.root),
                        false};
  for (const Connection& c : program.connections)
    if (c.channel >= msccl_channels)
      return MscclRefusal{fmt::format("there are more than {} channels", msccl_channels), false};
  for (const Operation& o : program.operations)
    if (std::max(o.source.count, o.target.count) > limits.chunks_of_step)
      return MscclRefusal{fmt::format("a step moves more than {} chunks", limits.chunks_of_step), false};
  const Plan plan(program);
  std::optional<MscclRefusal> refusal;
  for (Rank r = 0; r < program.ranks; ++r) {
    auto of_gpu = refusal_of_gpu(r, plan.gpus[static_cast<std::size_t>(r)], program.ranks, limits);
    if (of_gpu && (!refusal || !of_gpu->asks_for_channels)) refusal = std::move(of_gpu);
  }
  return refusal;
}

}  // namespace

tl::expected<Program, NotLowered> lower_for_msccl(const Schedule& schedule, bool in_place,
                                                  std::optional<std::int32_t> channels, const MscclOptions& options) {
  const MscclLimits limits = strictest_limits();
  const std::int32_t fewest = channels.value_or(1);
  const std::int32_t most = channels.value_or(msccl_channels);
  std::string first_refusal;
  for (std::int32_t n = fewest; n <= most; ++n) {
    auto program =
        lower(schedule,
              {.in_place = in_place, .channels = n, .most_chunks = static_cast<std::int32_t>(limits.chunks_of_step)});
    if (!program) return program;
    if (options.protocol == "LL") *program = with_send_guards(*program);
    const auto refusal = msccl_refusal(*program, limits);
    if (!refusal) return program;
    if (first_refusal.empty()) first_refusal = refusal->why;
    if (!refusal->asks_for_channels) break;
  }
  return tl::unexpected(
      NotLowered{NotLowered::Kind::unfit, first_refusal + (fewest < most ? ", and no number of channels helps" : "")});
}

bool write_msccl(const Program& program, const MscclOptions& options, std::FILE* file) {
  return MscclWriter(program, options, file).write();
}

}  // namespace onceover::formats
