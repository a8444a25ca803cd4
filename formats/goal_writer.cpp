#include <fmt/format.h>

#include <algorithm>

#include "base/text_output.h"
#include "formats/goal_file.h"

namespace onceover::formats {

namespace {

class GoalWriter {
 public:
  GoalWriter(const Program& program, std::FILE* file) : program_(program), out_(file) {
    waits_.resize(program.operations.size());
    for (const Dependency& order : program.dependencies) waits_[index(order.after)].push_back(order);
  }

  bool write() {
    out_.put("num_ranks {}\n", program_.ranks);
    if (program_.has_data)
      out_.put("/* onceover 1 collective={} chunks={} root={} in-place={} */\n", name(program_.collective),
               program_.chunks, program_.root, program_.in_place ? 1 : 0);
    OperationId next = 0;
    for (Rank r = 0; r < program_.ranks; ++r) next = write_rank(r, next);
    return out_.finish();
  }

 private:
  static std::size_t index(OperationId id) { return static_cast<std::size_t>(id); }
  const Operation& operation(OperationId id) const { return program_.operations[index(id)]; }

  /// Writes the rank's operations, from `first` on; returns the operation after them.
  OperationId write_rank(Rank rank, OperationId first) {
    out_.put("rank {} {{\n", rank);
    if (program_.has_data) {
      const Buffers& sizes = program_.buffers[static_cast<std::size_t>(rank)];
      out_.put("/* input={} output={} scratch={} */\n", sizes.input, sizes.output, sizes.scratch);
    }
    const auto size = static_cast<OperationId>(program_.operations.size());
    OperationId id = first;
    for (label_ = -1; id < size && operation(id).rank == rank;) {
      OperationId end = id + 1;
      while (end < size && operation(end).is_part) ++end;
      ++label_;
      for (OperationId part = id; part < end; ++part) labels_.push_back(label_);
      if (program_.has_data) write_data(id, end);
      write_operation(operation(id));
      write_waits(id);
      id = end;
    }
    out_.put("}}\n");
    return id;
  }

  void write_data(OperationId first, OperationId end) {
    const Operation& operation = this->operation(first);
    if (operation.instruction == Instruction::wait) return;
    const bool is_send = operation.instruction == Instruction::send;
    out_.put("/* blocks=");
    write_slots(first, end, is_send);
    if (!is_send) out_.put(" op={}", combines(operation.instruction) ? "sum" : "copy");
    if (!is_send && !receives(operation.instruction)) {
      out_.put(" from=");
      write_slots(first, end, true);
    }
    out_.put(" */\n");
  }

  void write_slots(OperationId first, OperationId end, bool source) {
    for (OperationId id = first; id < end; ++id) {
      const ChunkRange& range = source ? operation(id).source : operation(id).target;
      out_.put("{}{}{}", id == first ? "" : ",", name(range.buffer).front(), range.first);
      if (range.count > 1) out_.put("-{}", range.first + range.count - 1);
    }
  }

  void write_operation(const Operation& operation) {
    out_.put("l{}: ", label_);
    if (sends(operation.instruction))
      write_message("send", operation.bytes, "to", operation.to, true);
    else if (receives(operation.instruction))
      write_message("recv", operation.bytes, "from", operation.from, false);
    else
      out_.put("calc {}\n", operation.instruction == Instruction::wait ? operation.bytes : 0);
  }

  void write_message(std::string_view verb, std::uint64_t bytes, std::string_view preposition, ConnectionId id,
                     bool is_send) {
    const Connection& connection = program_.connections[static_cast<std::size_t>(id)];
    out_.put("{} {}b {} {} tag {}\n", verb, bytes, preposition, is_send ? connection.dst : connection.src,
             connection.channel);
  }

  /// Writes what the operation waits for. Its parts wait for each other without dependencies.
  void write_waits(OperationId id) {
    for (const Dependency& order : waits_[index(id)])
      out_.put("l{} {} l{}\n", label_, order.on_start ? "irequires" : "requires", labels_[index(order.before)]);
  }

  const Program& program_;
  TextOutput out_;
  std::vector<std::vector<Dependency>> waits_;
  std::vector<std::int32_t> labels_;  // by operation written so far
  std::int32_t label_ = -1;           // the last label of the rank
};

}  // namespace

bool write_goal(const Program& program, std::FILE* file) {
  return GoalWriter(program, file).write();
}

}  // namespace onceover::formats
