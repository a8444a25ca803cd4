// Makes a program from an MSCCL XML file, or says what is wrong in it and where. The reader goes down the document
// once: algo, its gpus by id, their thread blocks by id, their steps in order. A step becomes an operation; two gpus
// and a channel become a connection. Waits are resolved when a gpu is complete (msccl_steps.h), because a step may wait
// for a later thread block.
//
// Example: a step with depid="0" deps="2" waits for step 2 of thread block 0. If that has hasdep="0" and step 3
// hasdep="1", the wait ends with step 3.
//
// A file that the runtimes run differently from what it says is refused; what they leave out or ignore becomes a note.
// Numbers have ranges, and all memory, all steps and all chunks that these move have bounds.
//
// Errors are thrown as SourceError, but only inside this file; the callers get them as values. Each element is read
// once: O(n log n) for n elements. A wait searches the steps of its thread block until it finds one with hasdep=1.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "base/result.h"
#include "base/sentences.h"
#include "base/stop.h"
#include "base/xml_source.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_steps.h"
#include "formats/msccl_xml.h"

namespace onceover::formats {

namespace {

constexpr std::int64_t most_ranks = 1 << 14;
constexpr std::int64_t most_chunks_of_buffer = 1 << 20;  // of a buffer
constexpr std::int64_t most_memory = 1 << 24;            // chunks in all buffers together
constexpr std::int64_t most_moved = 1 << 25;             // chunks that all steps together move
constexpr std::int64_t most_channels = 1 << 16;
constexpr std::int64_t most_steps = 1 << 24;

constexpr std::array<std::string_view, 11> algo_attributes{"name",     "proto",    "nchannels", "nchunksperloop",
                                                           "ngpus",    "coll",     "inplace",   "outofplace",
                                                           "minBytes", "maxBytes", "nthreads"};
constexpr std::array<std::string_view, 2> copy_attributes{"i_off", "o_off"};

std::string type_names() {
  std::string names;
  for (const MscclType& row : msccl_types()) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

/// A step that waits for another thread block of its gpu.
struct Wait {
  OperationId operation;
  const XmlElement* element;
  std::int64_t thread;
  std::int64_t step;
};

class MscclReader {
 public:
  MscclReader(const XmlSource& source) : source_(source) {}

  Program read() {
    const XmlElement& algo = source_.root();
    if (algo.name != "algo") fail(algo, fmt::format("expected <algo>, found <{:.60}>", algo.name));
    read_algo(algo);
    for (const auto& [id, gpu] : by_id(algo, "gpu", program_.ranks, {})) read_gpu(static_cast<Rank>(id), *gpu);
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(const XmlElement& element, std::string_view message) const {
    throw source_.error(element, message);
  }
  [[noreturn]] void fail(const XmlElement& element, std::string_view attribute, std::string_view message) const {
    throw source_.error(element, attribute, message);
  }

  std::int64_t number(const XmlElement& element, std::string_view attribute, std::int64_t least,
                      std::int64_t most) const {
    auto value = source_.number(element, attribute, least, most);
    if (!value) throw std::move(value.error());
    return *value;
  }

  std::string_view text(const XmlElement& element, std::string_view attribute) const {
    auto value = source_.text(element, attribute);
    if (!value) throw std::move(value.error());
    return *value;
  }

  template <std::size_t size>
  void note_unknown(const XmlElement& element, const std::array<std::string_view, size>& known) {
    std::size_t next = 0;  // in `known`; most elements have the attributes in its order
    for (const auto& [name, value] : element.attributes) {
      if (next < size && name == known[next]) {
        ++next;
        continue;
      }
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string what = fmt::format("<{}> {:.60}", element.name, name);
      if (unknown_.size() >= 16 || !unknown_.insert(what).second) continue;
      program_.notes.push_back(fmt::format("attribute {:.60} of <{}> (line {}) is ignored, as the runtimes do{}", name,
                                           element.name, source_.line(element), suggestion(name, known)));
    }
  }

  /// What no judgement needs must still be a number, if it is there: where it isn't, the file isn't what its writer
  /// meant.
  void check_numbers(const XmlElement& element, std::initializer_list<std::string_view> attributes, std::int64_t least,
                     std::int64_t most) const {
    for (const std::string_view attribute : attributes)
      if (element.has(attribute)) number(element, attribute, least, most);
  }

  void read_algo(const XmlElement& algo) {
    note_unknown(algo, algo_attributes);
    check_numbers(algo, {"nchannels"}, 0, most_channels);
    check_numbers(algo, {"minBytes", "maxBytes", "nthreads"}, -1, std::numeric_limits<std::int64_t>::max());
    const std::string_view coll = text(algo, "coll");
    const auto collective = msccl_collective(coll);
    if (!collective)
      fail(algo, "coll",
           fmt::format("coll: nothing says what '{:.60}' must deliver; there are allreduce, allgather, reduce_scatter "
                       "(or reducescatter), alltoall, broadcast, reduce, gather, scatter",
                       coll));
    program_.collective = *collective;
    program_.ranks = static_cast<Rank>(number(algo, "ngpus", 1, most_ranks));
    program_.chunks = static_cast<std::int32_t>(number(algo, "nchunksperloop", 1, most_chunks_of_buffer));
    program_.name = algo.value("name");
    if (program_.name.size() > 256) fail(algo, "name", "name: more than 256 bytes");
    if (!is_plain(program_.name))
      fail(algo, "name", "name: control characters, or ones that turn the direction of text");
    const bool has_shares = *collective != Collective::allreduce && !is_rooted(*collective);
    const bool is_split = has_shares || *collective == Collective::gather || *collective == Collective::scatter;
    if (is_split && program_.chunks % program_.ranks != 0)
      fail(algo, "nchunksperloop",
           fmt::format("nchunksperloop: {} chunks can't be shared out to {} ranks", program_.chunks, program_.ranks));
    read_places(algo);
    read_protocol(algo);
    if (is_rooted(*collective)) program_.notes.push_back("the format can't name the root; rank 0 is assumed");
    program_.buffers.resize(static_cast<std::size_t>(program_.ranks), whole_buffers(is_split));
  }

  void read_places(const XmlElement& algo) {
    program_.in_place = number(algo, "inplace", 0, 1) == 1;
    const bool has_out = algo.has("outofplace");
    const bool is_out = has_out && number(algo, "outofplace", 0, 1) == 1;
    program_.either_place = program_.in_place && is_out;
    if (has_out && !program_.in_place && !is_out)
      program_.notes.push_back(
          "inplace and outofplace are both 0, so no runtime uses this file; it is judged out of place");
  }

  void read_protocol(const XmlElement& algo) {
    const std::string_view proto = algo.value("proto");
    const auto protocol = find_msccl_protocol(proto);
    if (!protocol && algo.has("proto"))
      fail(algo, "proto",
           fmt::format("proto: expected {}, found '{:.60}'{}", fmt::join(msccl_protocols(), ", "), proto,
                       suggestion(proto, msccl_protocols())));
    if (!protocol)
      program_.notes.push_back(
          "<algo> has no proto, which all runtimes require; the one that guarantees least is assumed");
    set_protocol(program_, protocol);
  }

  /// Input and output are whole buffers, except the one that holds a share.
  Buffers whole_buffers(bool is_split) const {
    const std::int32_t share = is_split ? program_.chunks / program_.ranks : program_.chunks;
    Buffers sizes{program_.chunks, program_.chunks, 0};
    const Collective c = program_.collective;
    if (c == Collective::allgather || c == Collective::gather) sizes.input = share;
    if (c == Collective::reduce_scatter || c == Collective::scatter) sizes.output = share;
    return sizes;
  }

  /// The children called `tag` by their ids, which must be 0, 1, ..; exactly `count` of them, unless it is negative.
  std::map<std::int64_t, const XmlElement*> by_id(const XmlElement& parent, std::string_view tag, std::int64_t count,
                                                  std::string_view also) const {
    std::map<std::int64_t, const XmlElement*> children;
    for (const XmlElement* child : parent.children()) {
      if (child->name == also && !also.empty()) continue;
      if (child->name != tag)
        fail(*child, fmt::format("<{:.60}> isn't allowed in <{}>; expected <{}>", child->name, parent.name, tag));
      const std::int64_t id = number(*child, "id", 0, count < 0 ? most_steps : count - 1);
      if (!children.emplace(id, child).second) fail(*child, "id", fmt::format("a second <{} id=\"{}\">", tag, id));
    }
    const auto found = static_cast<std::int64_t>(children.size());
    for (std::int64_t id = 0; id < std::max(count, found); ++id)
      if (children.count(id) == 0) fail(parent, fmt::format("there is no <{} id=\"{}\">", tag, id));
    return children;
  }

  void read_gpu(Rank rank, const XmlElement& gpu) {
    note_unknown(gpu, msccl_gpu_attributes);
    check_numbers(gpu, {"i_chunks", "o_chunks"}, 0, most_chunks_of_buffer);
    Buffers& sizes = program_.buffers[static_cast<std::size_t>(rank)];
    sizes.scratch = static_cast<std::int32_t>(number(gpu, "s_chunks", 0, most_chunks_of_buffer));
    memory_ += sizes.input + sizes.output + sizes.scratch;
    if (memory_ > most_memory) fail(gpu, "s_chunks", fmt::format("more than {} chunks of memory", most_memory));
    threads_.clear();
    waits_.clear();
    copied_.clear();
    senders_.clear();
    receivers_.clear();
    for (const XmlElement* copy : gpu.children("copy")) read_copy(rank, *copy);
    for (const auto& [id, tb] : by_id(gpu, "tb", -1, "copy"))
      read_thread_block(rank, static_cast<std::int32_t>(id), *tb);
    for (const Wait& wait : waits_) resolve(wait);
  }

  void read_copy(Rank rank, const XmlElement& copy) {
    note_unknown(copy, copy_attributes);
    const Buffers& sizes = program_.buffers[static_cast<std::size_t>(rank)];
    const auto from = static_cast<std::int32_t>(number(copy, "i_off", 0, sizes.input - 1));
    const auto to = static_cast<std::int32_t>(number(copy, "o_off", 0, sizes.output - 1));
    if (program_.initial_copies.empty())
      program_.notes.push_back(fmt::format(
          "<copy> (line {}) moves chunks before the start; only some runtimes do, others skip it", source_.line(copy)));
    if (!copied_.insert(to).second) fail(copy, "o_off", fmt::format("o_off: a second <copy> to output chunk {}", to));
    program_.initial_copies.push_back({rank, {Buffer::input, from, 1}, {Buffer::output, to, 1}, source_.line(copy)});
  }

  void read_thread_block(Rank rank, std::int32_t id, const XmlElement& tb) {
    note_unknown(tb, msccl_tb_attributes);
    const std::int64_t channel = number(tb, "chan", 0, most_channels);
    const std::int64_t to = peer(rank, tb, "send");
    const std::int64_t from = peer(rank, tb, "recv");
    if (to >= 0 && !senders_.insert({to, channel}).second)
      fail(tb, "send", fmt::format("a second thread block that sends to gpu {} on channel {}", to, channel));
    if (from >= 0 && !receivers_.insert({from, channel}).second)
      fail(tb, "recv", fmt::format("a second thread block that receives from gpu {} on channel {}", from, channel));
    Operation like{.rank = rank, .thread = id};
    if (to >= 0) like.to = connection(rank, static_cast<Rank>(to), channel);
    if (from >= 0) like.from = connection(static_cast<Rank>(from), rank, channel);
    threads_.push_back({static_cast<OperationId>(program_.operations.size())});
    elements_.clear();
    for (const XmlElement* step : tb.children()) {
      stop_point();
      if (step->name != "step") fail(*step, fmt::format("<{:.60}> isn't allowed in <tb>; expected <step>", step->name));
      read_step(like, *step);
    }
    check_folding();
  }

  /// Refuses steps that the runtimes run differently; notes those that they refuse or leave out.
  void check_folding() {
    for (const FoldingFault& fault : folding_faults(threads_.back().steps)) {
      const XmlElement& step = *elements_[fault.step];
      if (fault.kind == FoldingFault::Kind::changed) fail(step, fault.attribute, fault.why);
      note_folding(fault, source_.line(step));
    }
    drop_last_nops();
  }

  void note_folding(const FoldingFault& fault, std::uint32_t line) {
    if (!folded_.insert({fault.kind, std::string(fault.attribute)}).second) return;
    program_.notes.push_back(fmt::format("line {}: {}{}", line, fault.why,
                                         fault.kind == FoldingFault::Kind::refused ? "; they refuse the file" : ""));
  }

  /// Nops behind the last other step wait for nothing.
  void drop_last_nops() {
    const MscclThread& thread = threads_.back();
    std::size_t used = thread.steps.size();
    while (used > 0 && thread.steps[used - 1].instruction == Instruction::wait) --used;
    const OperationId end = thread.begin + static_cast<OperationId>(used);
    while (!waits_.empty() && waits_.back().operation >= end) waits_.pop_back();
  }

  std::int64_t peer(Rank rank, const XmlElement& tb, std::string_view attribute) const {
    const std::int64_t id = number(tb, attribute, -1, program_.ranks - 1);
    if (id == rank) fail(tb, attribute, fmt::format("{}: gpu {} can't be its own peer", attribute, rank));
    return id;
  }

  ConnectionId connection(Rank src, Rank dst, std::int64_t channel) {
    const auto next = static_cast<ConnectionId>(program_.connections.size());
    const auto [at, is_new] = connections_.try_emplace({src, dst, channel}, next);
    if (is_new) program_.connections.push_back({src, dst, channel});
    return at->second;
  }

  void read_step(Operation operation, const XmlElement& step) {
    note_unknown(step, msccl_step_attributes);
    MscclThread& thread = threads_.back();
    const auto position = static_cast<std::int64_t>(thread.steps.size());
    if (number(step, "s", 0, most_steps) != position)
      fail(step, "s", fmt::format("s: expected {}, since steps count from 0 without gaps", position));
    if (program_.operations.size() >= static_cast<std::size_t>(most_steps)) fail(step, "more steps than can be judged");
    operation.number = static_cast<std::int32_t>(position);
    operation.instruction = instruction(step);
    const auto [line, column] = source_.place(step);
    operation.line = line;
    operation.column = column;
    read_ranges(operation, step);
    check_peers(operation, step);
    const bool signals = number(step, "hasdep", 0, 1) == 1;
    thread.steps.push_back({operation.instruction, operation.source, operation.target, read_wait(step), signals});
    elements_.push_back(&step);
    program_.operations.push_back(operation);
  }

  Instruction instruction(const XmlElement& step) const {
    const std::string_view type = text(step, "type");
    if (type == "ra")
      fail(step, "type",
           "type: one runtime's parser accepts 'ra', but nothing says what it does, and no compiler writes it");
    const auto found = msccl_instruction(type);
    if (!found) fail(step, "type", fmt::format("type: expected {}; found '{:.60}'", type_names(), type));
    return *found;
  }

  void read_ranges(Operation& operation, const XmlElement& step) {
    std::int32_t count = 0;
    if (operation.instruction == Instruction::wait) {
      check_numbers(step, {"cnt"}, -1, most_chunks_of_buffer);
    } else {
      count = static_cast<std::int32_t>(number(step, "cnt", 1, most_chunks_of_buffer));
      moved_ += count;
      if (moved_ > most_moved) fail(step, "cnt", fmt::format("the steps move more than {} chunks", most_moved));
    }
    read_range(reads_source(operation.instruction), step, "srcbuf", "srcoff", count, operation.source);
    read_range(stores(operation.instruction), step, "dstbuf", "dstoff", count, operation.target);
  }

  void read_range(bool is_used, const XmlElement& step, std::string_view name, std::string_view offset,
                  std::int32_t count, ChunkRange& range) const {
    if (is_used) {
      const auto first = static_cast<std::int32_t>(number(step, offset, -1, most_chunks_of_buffer));
      range = {buffer(step, name), first, count};
    } else {
      check_numbers(step, {offset}, -1, most_chunks_of_buffer);
      if (step.has(name)) buffer(step, name);
    }
  }

  Buffer buffer(const XmlElement& step, std::string_view attribute) const {
    const std::string_view name = text(step, attribute);
    if (name != "i" && name != "o" && name != "s")
      fail(step, attribute, fmt::format("{}: expected i, o or s, found '{:.60}'", attribute, name));
    return name == "i" ? Buffer::input : name == "o" ? Buffer::output : Buffer::scratch;
  }

  void check_peers(Operation& operation, const XmlElement& step) const {
    if (!sends(operation.instruction))
      operation.to = no_connection;
    else if (operation.to == no_connection)
      fail(step, "type", "type: this sends, but send of the thread block is -1");
    if (!receives(operation.instruction))
      operation.from = no_connection;
    else if (operation.from == no_connection)
      fail(step, "type", "type: this receives, but recv of the thread block is -1");
  }

  /// Reads what a step waits for; returns whether it waits.
  bool read_wait(const XmlElement& step) {
    const std::int64_t thread = number(step, "depid", -1, most_steps);
    const std::int64_t number_there = number(step, "deps", -1, most_steps);
    if ((thread < 0) != (number_there < 0)) fail(step, "depid", "depid and deps: expected both or neither to be -1");
    if (thread >= 0)
      waits_.push_back({static_cast<OperationId>(program_.operations.size()), &step, thread, number_there});
    return thread >= 0;
  }

  void resolve(const Wait& wait) {
    if (wait.thread >= static_cast<std::int64_t>(threads_.size()))
      fail(*wait.element, "depid", fmt::format("depid: there is no thread block {}", wait.thread));
    const auto end = end_of_wait(threads_, wait.thread, wait.step);
    if (end)
      program_.dependencies.push_back({*end, wait.operation});
    else
      program_.hangs.push_back({wait.operation, end.error()});
  }

  const XmlSource& source_;
  Program program_;
  std::map<std::tuple<Rank, Rank, std::int64_t>, ConnectionId> connections_;
  std::set<std::string> unknown_;
  std::set<std::pair<FoldingFault::Kind, std::string>> folded_;  // those that already have a note
  std::int64_t memory_ = 0;
  std::int64_t moved_ = 0;
  // of the current gpu
  std::vector<MscclThread> threads_;
  std::vector<const XmlElement*> elements_;  // the steps of its last thread block
  std::vector<Wait> waits_;
  std::set<std::int32_t> copied_;                              // chunks of the output
  std::set<std::pair<std::int64_t, std::int64_t>> senders_;    // (peer, channel)
  std::set<std::pair<std::int64_t, std::int64_t>> receivers_;  // (peer, channel)
};

}  // namespace

tl::expected<Program, SourceError> read_msccl(std::string_view name, std::string_view text) {
  const auto source = TRY(XmlSource::parse(name, text));
  try {
    return MscclReader(source).read();
  } catch (SourceError& error) {
    return tl::unexpected(std::move(error));
  }
}

}  // namespace onceover::formats
