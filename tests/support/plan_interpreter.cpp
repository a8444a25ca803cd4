#include "plan_interpreter.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "programs/plan_memory.h"

namespace onceover::support {

namespace {

using I = PlanInstruction;
using Number = std::int32_t;

/// Where a thread is.
struct Place {
  Number call = 0;
  Number operation = 0;
  Number step = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// What a proxy has to do: a movement of an operation, or a signal.
struct Request {
  std::size_t block;
  Number operation;
  Number call;
  Number movement;  // -1: a signal
};

/// A cell: which inputs are added up in it (a number of `Inputs`), and the call of a packet or -1.
struct Held {
  Number sum = 0;
  Number flag = -1;
  friend bool operator==(const Held&, const Held&) = default;
};

struct State {
  std::vector<Place> threads;
  std::vector<Number> begun, ended;  // calls, by GPU
  std::vector<Held> cells;
  std::map<std::array<Number, 4>, std::array<Number, 2>> counters;  // signals given, waits passed
  std::map<std::array<Number, 2>, std::vector<Request>> queues;     // by GPU and port channel

  std::string key() const {
    std::string text;
    const auto add = [&](Number n) { text.append(reinterpret_cast<const char*>(&n), sizeof n); };
    for (const Place& p : threads) add(p.call), add(p.operation), add(p.step);
    for (const Number n : begun) add(n);
    for (const Number n : ended) add(n);
    for (const Held& c : cells) add(c.sum), add(c.flag);
    for (const auto& [name, counts] : counters)
      for (const Number n : name) add(n);
    for (const auto& [name, counts] : counters) add(counts[0]), add(counts[1]);
    for (const auto& [name, queue] : queues) add(name[0]), add(name[1]), add(static_cast<Number>(queue.size()));
    return text;
  }
};

class Interpreter {
 public:
  Interpreter(const ExecutionPlan& plan, std::uint32_t units, Number calls)
      : plan_(plan), memory_(plan, units), calls_(calls), sums_{{-1}} {
    numbers_[{-1}] = 0;  // 0: nothing that is defined
    for (std::size_t r = 0; r < plan.gpus.size(); ++r)
      for (std::size_t b = 0; b < plan.gpus[r].blocks.size(); ++b) {
        std::size_t threads = 1;
        for (const PlanOperation& o : plan.gpus[r].blocks[b].operations) threads = std::max(threads, o.ids.size());
        blocks_.push_back({static_cast<Rank>(r), &plan.gpus[r].blocks[b], thread_block_.size(), threads + 1});
        thread_block_.insert(thread_block_.end(), threads + 1, blocks_.size() - 1);
      }
  }

  State begin() const {
    State s;
    s.threads.resize(thread_block_.size());
    s.begun.resize(plan_.gpus.size());
    s.ended.resize(plan_.gpus.size());
    s.cells.resize(memory_.cells());
    return s;
  }

  enum class Outcome { blocked, moved, wrong };

  /// Actors are threads, then GPUs, then port channels.
  std::size_t actors() const { return thread_block_.size() + 2 * plan_.gpus.size(); }

  Outcome act(State& s, std::size_t actor) {
    if (actor < thread_block_.size()) return act_thread(s, actor);
    actor -= thread_block_.size();
    if (actor < plan_.gpus.size()) return act_gpu(s, static_cast<Rank>(actor));
    return act_proxy(s, static_cast<Rank>(actor - plan_.gpus.size()));
  }

  bool is_over(const State& s) const {
    return std::all_of(s.ended.begin(), s.ended.end(), [&](Number n) { return n == calls_; }) &&
           std::all_of(s.queues.begin(), s.queues.end(), [](const auto& q) { return q.second.empty(); });
  }

 private:
  struct Block {
    Rank rank;
    const PlanBlock* content;
    std::size_t first_thread, threads;
  };

  Number sum_of(std::vector<Number> leaves) {
    std::sort(leaves.begin(), leaves.end());
    const auto [at, is_new] = numbers_.try_emplace(leaves, static_cast<Number>(sums_.size()));
    if (is_new) sums_.push_back(leaves);
    return at->second;
  }
  Number leaf(Number call, std::size_t rank, std::size_t unit) const {
    return static_cast<Number>((static_cast<std::size_t>(call) * 64 + rank) * 4096 + unit);
  }

  /// What a unit of a GPU's output must be.
  Number due(Number call, std::size_t rank, std::size_t unit) {
    const std::size_t n = plan_.gpus.size();
    const std::size_t in = memory_.input(0).count, out = memory_.output(0).count;
    if (plan_.collective == "allgather") return sum_of({leaf(call, unit / in, unit % in)});
    if (plan_.collective == "alltoall") return sum_of({leaf(call, unit / (in / n), rank * (in / n) + unit % (in / n))});
    if (plan_.collective == "sendrecv") return sum_of({leaf(call, (rank + n - 1) % n, unit)});
    std::vector<Number> all;
    for (std::size_t r = 0; r < n; ++r)
      all.push_back(leaf(call, r, plan_.collective == "reducescatter" ? rank * out + unit : unit));
    return sum_of(all);
  }

  bool is_output_right(const State& s, Rank rank, Number call) {
    const CellRun out = memory_.output(rank);
    for (std::uint32_t u = 0; u < out.count; ++u)
      if (s.cells[out.first + u] != Held{due(call, static_cast<std::size_t>(rank), u)}) return false;
    return true;
  }

  /// A GPU ends a call when its threads are through, and begins the next one at any time after that.
  Outcome act_gpu(State& s, Rank rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (s.begun[r] == s.ended[r]) {
      if (s.begun[r] == calls_) return Outcome::blocked;
      if (s.begun[r] > 0 && !is_output_right(s, rank, s.begun[r] - 1)) return Outcome::wrong;
      const CellRun in = memory_.input(rank);
      for (std::uint32_t u = 0; u < in.count; ++u) s.cells[in.first + u] = {sum_of({leaf(s.begun[r], r, u)})};
      ++s.begun[r];
      return Outcome::moved;
    }
    for (std::size_t t = 0; t < thread_block_.size(); ++t)
      if (blocks_[thread_block_[t]].rank == rank && s.threads[t].call < s.begun[r]) return Outcome::blocked;
    if (!is_output_right(s, rank, s.ended[r])) return Outcome::wrong;
    ++s.ended[r];
    return Outcome::moved;
  }

  /// Carries out the first request of a channel of the GPU.
  Outcome act_proxy(State& s, Rank rank) {
    for (auto& [name, queue] : s.queues) {
      if (name[0] != rank || queue.empty()) continue;
      const Request request = queue.front();
      queue.erase(queue.begin());
      const PlanOperation& o = blocks_[request.block].content->operations[static_cast<std::size_t>(request.operation)];
      if (request.movement < 0) {
        ++counter(s, rank, name[1], true, true)[0];
      } else {
        const auto movements = memory_.movements(o, request.call);
        Movement m = movements[movements.size() > 1 ? static_cast<std::size_t>(request.movement) : 0];
        if (movements.size() == 1) m.targets = {m.targets[static_cast<std::size_t>(request.movement)]};
        for (std::uint32_t u = 0; u < m.sources.front().units(); ++u) move(s, m, u, request.call);
      }
      return Outcome::moved;
    }
    return Outcome::blocked;
  }

  std::array<Number, 2>& counter(State& s, Rank rank, Number id, bool is_port, bool is_signal) {
    const PlanGpu& gpu = plan_.gpus[static_cast<std::size_t>(rank)];
    const PlanChannel& c = (is_port ? gpu.port_channels : gpu.memory_channels)[static_cast<std::size_t>(id)];
    return s.counters[{is_signal ? rank : c.peer, is_signal ? c.peer : rank, is_port ? 1 : 0, c.occurrence}];
  }

  std::array<Number, 2>& semaphore(State& s, Rank rank, Number id) { return s.counters[{rank, rank, 2, id}]; }

  bool has_packets(const State& s, const Movement& m, std::uint32_t unit, Number call) const {
    for (const Operand& o : m.sources)
      if (o.content == CellContent::packets)
        for (const std::uint32_t half : {0U, 1U})
          if (s.cells[o.cells.first + 2 * unit + half].flag != call) return false;
    return true;
  }

  void move(State& s, const Movement& m, std::uint32_t unit, Number call) {
    std::vector<Number> leaves;
    bool is_defined = true;
    Number flag = call;
    for (const Operand& o : m.sources) {
      const bool is_plain = o.content == CellContent::plain;
      const Held value = s.cells[o.cells.first + (is_plain ? unit : 2 * unit)];
      if (!is_plain) flag = value.flag;
      is_defined &= value.sum != 0 && (is_plain ? value.flag == -1 : true);
      if (value.sum != 0)
        leaves.insert(leaves.end(), sums_[static_cast<std::size_t>(value.sum)].begin(),
                      sums_[static_cast<std::size_t>(value.sum)].end());
    }
    const Number sum = is_defined ? sum_of(std::move(leaves)) : 0;
    for (const Operand& o : m.targets) {
      const bool is_plain = o.content == CellContent::plain;
      if (is_plain)
        s.cells[o.cells.first + unit] = {sum, -1};
      else
        for (const std::uint32_t half : {0U, 1U}) s.cells[o.cells.first + 2 * unit + half] = {sum, flag};
    }
  }

  /// Have all threads of the block come at least to the place?
  bool have_come(const State& s, const Block& block, const Place& place) const {
    for (std::size_t t = block.first_thread; t < block.first_thread + block.threads; ++t)
      if (s.threads[t] < place) return false;
    return true;
  }

  /// Have all blocks of the GPU that use the barrier come to it as often as this block?
  bool have_met(const State& s, const Block& block, const Place& at, Number barrier) const {
    const auto uses = [&](const Block& b) {
      std::vector<Number> all;
      for (std::size_t k = 0; k < b.content->operations.size(); ++k)
        if (b.content->operations[k].instruction == I::barrier && b.content->operations[k].barrier == barrier)
          all.push_back(static_cast<Number>(k));
      return all;
    };
    const auto own = uses(block);
    const auto which = std::find(own.begin(), own.end(), at.operation) - own.begin();
    return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block& other) {
      if (other.rank != block.rank) return true;
      const auto theirs = uses(other);
      return theirs.empty() || have_come(s, other, {at.call, theirs[static_cast<std::size_t>(which)], 0});
    });
  }

  Outcome act_thread(State& s, std::size_t t) {
    const Block& block = blocks_[thread_block_[t]];
    const std::size_t q = t - block.first_thread;
    Place& at = s.threads[t];
    if (at.call == s.begun[static_cast<std::size_t>(block.rank)]) return Outcome::blocked;
    if (at.operation == static_cast<Number>(block.content->operations.size())) {
      at = {at.call + 1, 0, 0};
      return Outcome::moved;
    }
    const PlanOperation& o = block.content->operations[static_cast<std::size_t>(at.operation)];
    const auto go_on = [&] {
      at = {at.call, at.operation + 1, 0};
      return Outcome::moved;
    };
    const bool is_served = q < o.ids.size();
    const bool is_port = o.channel == ChannelType::port;
    switch (o.instruction) {
      case I::nop: return have_come(s, block, {at.call, at.operation, 0}) ? go_on() : Outcome::blocked;
      case I::barrier: {
        const bool is_alone = o.barrier_blocks == 1;
        const bool passes =
            is_alone ? have_come(s, block, {at.call, at.operation, 0}) : have_met(s, block, at, o.barrier);
        return passes ? go_on() : Outcome::blocked;
      }
      case I::signal:
        if (is_served && is_port) push(s, block, at, o.ids[q], -1);
        if (is_served && !is_port) ++counter(s, block.rank, o.ids[q], false, true)[0];
        return go_on();
      case I::release:
        if (is_served) ++semaphore(s, block.rank, o.ids[q])[0];
        return go_on();
      case I::wait:
      case I::acquire: {
        if (!is_served) return go_on();
        const bool is_semaphore = o.instruction == I::acquire;
        auto& counts =
            is_semaphore ? semaphore(s, block.rank, o.ids[q]) : counter(s, block.rank, o.ids[q], is_port, false);
        const Number given =
            is_semaphore
                ? plan_.gpus[static_cast<std::size_t>(block.rank)].semaphores[static_cast<std::size_t>(o.ids[q])]
                : 0;
        if (counts[0] + given <= counts[1]) return Outcome::blocked;
        ++counts[1];
        return go_on();
      }
      case I::flush: return is_served && !s.queues[{block.rank, o.ids[q]}].empty() ? Outcome::blocked : go_on();
      default: return is_port ? act_port(s, block, q, at, o) : act_data(s, block, q, at, o);
    }
  }

  void push(State& s, const Block& block, const Place& at, Number id, Number movement) {
    s.queues[{block.rank, id}].push_back(
        {static_cast<std::size_t>(&block - blocks_.data()), at.operation, at.call, movement});
  }

  /// The k-th unit that a thread moves, counted from the last thread.
  Outcome act_data(State& s, const Block& block, std::size_t q, Place& at, const PlanOperation& o) {
    const auto movements = memory_.movements(o, at.call);
    Number k = 0;
    for (const Movement& m : movements)
      for (std::uint32_t u = 0; u < m.sources.front().units(); ++u) {
        if (block.threads - 1 - u % block.threads != q || k++ != at.step) continue;
        if (!has_packets(s, m, u, at.call)) return Outcome::blocked;
        move(s, m, u, at.call);
        ++at.step;
        return Outcome::moved;
      }
    at = {at.call, at.operation + 1, 0};
    return Outcome::moved;
  }

  Outcome act_port(State& s, const Block& block, std::size_t q, Place& at, const PlanOperation& o) {
    constexpr Number waited = 1, pushed = 2;
    if (o.instruction == I::read_put_packets && at.step < waited) {
      const Movement m = memory_.movements(o, at.call).front();
      for (std::uint32_t u = 0; u < m.sources.front().units(); ++u)
        if (block.threads - 1 - u % block.threads == q && !has_packets(s, m, u, at.call)) return Outcome::blocked;
      at.step = waited;
      return Outcome::moved;
    }
    if (o.instruction == I::read_put_packets && !have_come(s, block, {at.call, at.operation, waited}))
      return Outcome::blocked;
    const bool is_served = q < o.ids.size();
    if (is_served && at.step < pushed) {
      push(s, block, at, o.ids[q], static_cast<Number>(q));
      if (o.instruction != I::put && o.instruction != I::put_packets && o.instruction != I::read_put_packets)
        push(s, block, at, o.ids[q], -1);
      at.step = pushed;
      return Outcome::moved;
    }
    if (is_served && o.instruction == I::put_signal_flush && !s.queues[{block.rank, o.ids[q]}].empty())
      return Outcome::blocked;
    at = {at.call, at.operation + 1, 0};
    return Outcome::moved;
  }

  const ExecutionPlan& plan_;
  PlanMemory memory_;
  Number calls_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> thread_block_;
  std::map<std::vector<Number>, Number> numbers_;
  std::vector<std::vector<Number>> sums_;
};

/// Tries every next step of every state that it comes to.
bool try_all(Interpreter& interpreter, std::size_t most_states, PlanRuns& runs) {
  std::vector<State> open{interpreter.begin()};
  std::set<std::string> seen{open.front().key()};
  while (!open.empty()) {
    if (seen.size() > most_states) return false;
    const State state = std::move(open.back());
    open.pop_back();
    bool is_stuck = true;
    for (std::size_t a = 0; a < interpreter.actors(); ++a) {
      State next = state;
      const auto outcome = interpreter.act(next, a);
      if (outcome == Interpreter::Outcome::blocked) continue;
      is_stuck = false;
      if (outcome == Interpreter::Outcome::wrong) ++runs.wrong;
      if (outcome == Interpreter::Outcome::moved && seen.insert(next.key()).second) open.push_back(std::move(next));
    }
    if (is_stuck) ++(interpreter.is_over(state) ? runs.right : runs.hung);
  }
  return true;
}

/// In a walk some actors are much slower than others.
void walk(Interpreter& interpreter, std::mt19937& random, PlanRuns& runs) {
  State s = interpreter.begin();
  std::vector<double> weights(interpreter.actors());
  for (double& w : weights) w = random() % 3 == 0 ? 0.02 : 1;
  std::vector<double> left = weights;
  for (;;) {
    if (std::all_of(left.begin(), left.end(), [](double w) { return w == 0; })) {
      ++(interpreter.is_over(s) ? runs.right : runs.hung);
      return;
    }
    const std::size_t actor = std::discrete_distribution<std::size_t>(left.begin(), left.end())(random);
    switch (interpreter.act(s, actor)) {
      case Interpreter::Outcome::wrong: ++runs.wrong; return;
      case Interpreter::Outcome::moved: left = weights; break;
      case Interpreter::Outcome::blocked: left[actor] = 0; break;
    }
  }
}

}  // namespace

PlanRuns interpret(const ExecutionPlan& plan, std::uint32_t units, std::int32_t calls, std::size_t most_states,
                   std::size_t walks, std::mt19937& random) {
  Interpreter interpreter(plan, units, calls);
  PlanRuns runs;
  runs.are_all = try_all(interpreter, most_states, runs);
  for (std::size_t k = 0; k < walks && !runs.are_all; ++k) walk(interpreter, random, runs);
  return runs;
}

}  // namespace onceover::support
