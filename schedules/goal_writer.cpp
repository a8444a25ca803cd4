#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedules/goal_file.h"

namespace onceover {

namespace {

class Writer {
 public:
  Writer(const Program& program, std::FILE* file) : program_(program), file_(file) {
    waits_.resize(program.operations.size());
    for (const Order& order : program.orders) waits_[index(order.after)].push_back(order);
  }

  bool write() {
    put("num_ranks {}\n", program_.ranks);
    if (program_.has_data)
      put("/* onceover 1 collective={} chunks={} root={} in-place={} */\n", name(program_.collective), program_.chunks,
          program_.root, program_.in_place ? 1 : 0);
    OperationId next = 0;
    for (Rank r = 0; r < program_.ranks; ++r) next = write_rank(r, next);
    flush();
    return ok_;
  }

 private:
  static std::size_t index(OperationId id) { return static_cast<std::size_t>(id); }
  const Operation& operation(OperationId id) const { return program_.operations[index(id)]; }

  /// Writes the operations from `first` on that are the rank's; returns the one after them.
  OperationId write_rank(Rank rank, OperationId first) {
    put("rank {} {{\n", rank);
    if (program_.has_data) {
      const Buffers& sizes = program_.buffers[static_cast<std::size_t>(rank)];
      put("/* input={} output={} scratch={} */\n", sizes.input, sizes.output, sizes.scratch);
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
      if (text_.size() > most_held) flush();
      id = end;
    }
    put("}}\n");
    return id;
  }

  void write_data(OperationId first, OperationId end) {
    const Operation& operation = this->operation(first);
    if (operation.act == Act::wait) return;
    const bool is_send = operation.act == Act::send;
    put("/* blocks=");
    write_slots(first, end, is_send);
    if (!is_send) put(" op={}", combines(operation.act) ? "sum" : "copy");
    if (!is_send && !receives(operation.act)) {
      put(" from=");
      write_slots(first, end, true);
    }
    put(" */\n");
  }

  void write_slots(OperationId first, OperationId end, bool source) {
    for (OperationId id = first; id < end; ++id) {
      const Slots& slots = source ? operation(id).source : operation(id).target;
      put("{}{}{}", id == first ? "" : ",", name(slots.buffer).front(), slots.first);
      if (slots.count > 1) put("-{}", slots.first + slots.count - 1);
    }
  }

  void write_operation(const Operation& operation) {
    put("l{}: ", label_);
    if (sends(operation.act))
      write_message("send", operation.bytes, "to", operation.to, true);
    else if (receives(operation.act))
      write_message("recv", operation.bytes, "from", operation.from, false);
    else
      put("calc {}\n", operation.act == Act::wait ? operation.bytes : 0);
  }

  void write_message(std::string_view verb, std::uint64_t bytes, std::string_view preposition, ConnectionId id,
                     bool is_send) {
    const Connection& connection = program_.connections[static_cast<std::size_t>(id)];
    put("{} {}b {} {} tag {}\n", verb, bytes, preposition, is_send ? connection.dst : connection.src,
        connection.channel);
  }

  /// The parts of an operation wait for each other without being told.
  void write_waits(OperationId id) {
    for (const Order& order : waits_[index(id)])
      put("l{} {} l{}\n", label_, order.on_start ? "irequires" : "requires", labels_[index(order.before)]);
  }

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  void flush() {
    ok_ = std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size() && ok_;
    text_.clear();
  }

  static constexpr std::size_t most_held = 1 << 16;

  const Program& program_;
  std::FILE* file_;
  std::vector<std::vector<Order>> waits_;
  std::vector<std::int32_t> labels_;  // of the operations so far
  std::int32_t label_ = -1;           // the last of the rank
  fmt::memory_buffer text_;
  bool ok_ = true;
};

}  // namespace

bool write_goal(const Program& program, std::FILE* file) {
  return Writer(program, file).write();
}

}  // namespace onceover
