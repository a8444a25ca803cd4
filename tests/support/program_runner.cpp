#include "program_runner.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <random>
#include <vector>

namespace onceover::support {

namespace {

/// How often each (rank, chunk of its input) is in a sum; empty where nothing was ever stored.
using Value = std::vector<int>;

class Runner {
 public:
  Runner(const Program& program, std::uint32_t depth, std::uint32_t seed)
      : program_(program),
        depth_(depth),
        random_(seed),
        done_(program.operations.size(), false),
        fifos_(program.connections.size()),
        sends_(program.connections.size(), 0),
        receives_(program.connections.size(), 0) {
    for (const Buffers& sizes : program.buffers) {
      memory_.emplace_back();
      for (const std::int32_t size : {sizes.input, sizes.output, sizes.scratch})
        memory_.back().emplace_back(static_cast<std::size_t>(size));
    }
    for (Rank r = 0; r < program.ranks; ++r) fill(r);
    for (std::size_t id = 0; id < program.operations.size(); ++id) number(id);
  }

  std::string run() {
    for (std::size_t left = program_.operations.size(); left > 0;) {
      std::vector<std::size_t> ready;
      for (std::size_t id = 0; id < done_.size(); ++id)
        if (!done_[id] && may_run(id)) ready.push_back(id);
      if (ready.empty()) return fmt::format("deadlock with {} operations left", left);
      left -= perform(ready[random_() % ready.size()]);
      if (!fault_.empty()) return fault_;
    }
    for (const auto& fifo : fifos_)
      if (!fifo.empty()) return "a message was never received";
    return judge();
  }

 private:
  std::vector<Value>& buffer(Rank rank, Buffer which) {
    // In place, the larger of input and output is both.
    const bool share = program_.in_place && which != Buffer::scratch;
    const Buffer real = !share                                              ? which
                        : program_.collective == Collective::reduce_scatter ? Buffer::input
                                                                            : Buffer::output;
    return memory_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(real)];
  }

  std::size_t at(Rank rank, Buffer which, std::int32_t chunk) const {
    const bool is_part = (which == Buffer::input && program_.collective == Collective::allgather) ||
                         (which == Buffer::output && program_.collective == Collective::reduce_scatter);
    return static_cast<std::size_t>(program_.in_place && is_part ? chunk + rank * share() : chunk);
  }

  std::int32_t share() const { return program_.chunks / program_.ranks; }

  Value& slot(Rank rank, const ChunkRange& range, std::int32_t k) {
    return buffer(rank, range.buffer).at(at(rank, range.buffer, range.first + k));
  }

  Value leaf(Rank rank, std::int32_t chunk) const {
    Value value(static_cast<std::size_t>(program_.ranks * program_.chunks), 0);
    value[static_cast<std::size_t>(rank * program_.chunks + chunk)] = 1;
    return value;
  }

  void fill(Rank rank) {
    if (program_.collective == Collective::broadcast && rank != program_.root) return;
    const std::int32_t size = program_.buffers[static_cast<std::size_t>(rank)].input;
    for (std::int32_t k = 0; k < size; ++k) buffer(rank, Buffer::input).at(at(rank, Buffer::input, k)) = leaf(rank, k);
  }

  /// The k-th send of a connection belongs to its k-th receive.
  void number(std::size_t id) {
    const Operation& o = program_.operations[id];
    before_.emplace_back();
    if (o.to != no_connection) order_.push_back(sends_[static_cast<std::size_t>(o.to)]++);
    if (o.from != no_connection) order_.push_back(receives_[static_cast<std::size_t>(o.from)]++);
    if (o.to == no_connection && o.from == no_connection) order_.push_back(0);
    const bool follows = id > 0 && program_.threads_are_ordered && program_.operations[id - 1].rank == o.rank &&
                         program_.operations[id - 1].thread == o.thread;
    if (follows) before_[id].push_back(id - 1);
    if (id + 1 == program_.operations.size()) {
      for (const Dependency& order : program_.dependencies)
        before_[static_cast<std::size_t>(order.after)].push_back(static_cast<std::size_t>(order.before));
      sends_.assign(sends_.size(), 0);
      receives_.assign(receives_.size(), 0);
    }
  }

  bool has_begun(std::size_t id) const {
    for (const std::size_t b : before_[id])
      if (!done_[b]) return false;
    return true;
  }

  bool may_run(std::size_t id) {
    if (!has_begun(id)) return false;
    const Operation& o = program_.operations[id];
    if (o.to != no_connection) {
      const auto c = static_cast<std::size_t>(o.to);
      if (order_[id] != sends_[c]) return false;
      return depth_ > 0 ? o.is_part || fifos_[c].size() < depth_ : receiver_of(id).has_value();
    }
    if (o.from == no_connection) return true;
    const auto c = static_cast<std::size_t>(o.from);
    return !fifos_[c].empty() && order_[id] == receives_[c];
  }

  /// Under rendezvous, the receive that is ready for a send.
  std::optional<std::size_t> receiver_of(std::size_t send) const {
    for (std::size_t id = 0; id < done_.size(); ++id) {
      const Operation& o = program_.operations[id];
      if (!done_[id] && o.from == program_.operations[send].to && order_[id] == order_[send] && has_begun(id))
        return id;
    }
    return std::nullopt;
  }

  /// Returns how many operations were done.
  std::size_t perform(std::size_t id) {
    const Operation& o = program_.operations[id];
    const auto receiver = o.to != no_connection && depth_ == 0 ? receiver_of(id) : std::nullopt;
    execute(id);
    if (receiver) execute(*receiver);
    return receiver ? 2 : 1;
  }

  void execute(std::size_t id) {
    const Operation& o = program_.operations[id];
    done_[id] = true;
    std::vector<Value> values;
    if (o.from != no_connection) {
      auto& fifo = fifos_[static_cast<std::size_t>(o.from)];
      values = fifo.front();
      fifo.pop_front();
      ++receives_[static_cast<std::size_t>(o.from)];
      if (values.size() != static_cast<std::size_t>(o.target.count)) fault_ = "a message has another size";
    } else if (o.instruction != Instruction::wait) {
      for (std::int32_t k = 0; k < o.source.count; ++k) values.push_back(slot(o.rank, o.source, k));
    }
    if (!fault_.empty()) return;
    for (const Value& value : values)
      if (value.empty()) fault_ = fmt::format("operation {} moves what was never set", id);
    if (o.to != no_connection) {
      fifos_[static_cast<std::size_t>(o.to)].push_back(values);
      ++sends_[static_cast<std::size_t>(o.to)];
      return;
    }
    for (std::int32_t k = 0; k < o.target.count && fault_.empty(); ++k)
      store(slot(o.rank, o.target, k), values[static_cast<std::size_t>(k)],
            o.instruction == Instruction::reduce || o.instruction == Instruction::receive_reduce);
  }

  void store(Value& held, const Value& value, bool adds) {
    if (!adds) {
      held = value;
    } else if (held.empty()) {
      fault_ = "added to nothing";
    } else {
      for (std::size_t k = 0; k < held.size(); ++k) held[k] += value[k];
    }
  }

  std::string judge() {
    for (Rank r = 0; r < program_.ranks; ++r) {
      if (program_.collective == Collective::reduce && r != program_.root) continue;
      const std::int32_t size = program_.collective == Collective::reduce_scatter ? share() : program_.chunks;
      for (std::int32_t k = 0; k < size; ++k)
        if (buffer(r, Buffer::output).at(at(r, Buffer::output, k)) != promised(r, k))
          return fmt::format("rank {} ends with the wrong o[{}]", r, k);
    }
    return "";
  }

  Value promised(Rank rank, std::int32_t chunk) const {
    if (program_.collective == Collective::broadcast) return leaf(program_.root, chunk);
    if (program_.collective == Collective::allgather) return leaf(chunk / share(), chunk % share());
    const std::int32_t input = program_.collective == Collective::reduce_scatter ? chunk + rank * share() : chunk;
    Value sum(static_cast<std::size_t>(program_.ranks * program_.chunks), 0);
    for (Rank r = 0; r < program_.ranks; ++r) sum[static_cast<std::size_t>(r * program_.chunks + input)] = 1;
    return sum;
  }

  const Program& program_;
  std::uint32_t depth_;
  std::mt19937 random_;
  std::vector<bool> done_;
  std::vector<std::deque<std::vector<Value>>> fifos_;
  std::vector<std::size_t> sends_;
  std::vector<std::size_t> receives_;
  std::vector<std::size_t> order_;                // of an operation on its connection
  std::vector<std::vector<std::size_t>> before_;  // what must be done first
  std::vector<std::vector<std::vector<Value>>> memory_;
  std::string fault_;
};

}  // namespace

std::string run_once(const Program& program, std::uint32_t depth, std::uint32_t seed) {
  return Runner(program, depth, seed).run();
}

}  // namespace onceover::support
