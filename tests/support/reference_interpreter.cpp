#include "reference_interpreter.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

namespace onceover::support::reference {

namespace {

/// What a value is: how often each rank's chunk is in it, and how it was added up. Empty text: nobody set it.
struct Contents {
  std::map<std::pair<Rank, int>, int> counts = {};
  std::string text = {};
};

/// A value by its number, the same for the same text; 0 is what nobody set.
using Value = int;

class Values {
 public:
  Value of(const Contents& contents) {
    const auto [it, is_new] = numbers_.try_emplace(contents.text, static_cast<Value>(contents_.size()));
    if (is_new) contents_.push_back(contents);
    return it->second;
  }

  Value sum(Value x, Value y) {
    const Contents &a = (*this)[x], &b = (*this)[y];
    Contents v = a;
    for (const auto& [leaf, times] : b.counts) v.counts[leaf] += times;
    v.text = a.text < b.text ? fmt::format("({}+{})", a.text, b.text) : fmt::format("({}+{})", b.text, a.text);
    return of(v);
  }

  const Contents& operator[](Value value) const { return contents_[static_cast<std::size_t>(value)]; }

 private:
  std::vector<Contents> contents_{{}};
  std::map<std::string, Value> numbers_{{"", 0}};
};

using Place = std::pair<Rank, int>;  // rank, and a number of our own for the chunk

struct Thread {
  std::vector<int> operations;
};

struct State {
  std::vector<std::size_t> at;                         // by thread: its operation
  std::vector<bool> is_sent;                           // by thread: its send is on its way but hasn't ended
  std::vector<bool> has_ended;                         // by operation
  std::vector<std::vector<std::vector<Value>>> queue;  // by connection: messages sent and not taken
  std::vector<std::size_t> sent, taken;                // by connection
  std::map<Place, Value> memory;

  std::string key() const {
    std::string text;
    for (const std::size_t a : at) text += std::to_string(a) + ",";
    for (const bool s : is_sent) text += s ? '1' : '0';
    for (const auto& messages : queue)
      for (const auto& message : messages)
        for (const Value value : message) text += std::to_string(value) + ";";
    for (const auto& [place, value] : memory) text += fmt::format("{}.{}:{}|", place.first, place.second, value);
    return text;
  }
};

class Interpreter {
 public:
  Interpreter(const Program& program, std::size_t depth, std::size_t most_states)
      : p_(program), depth_(depth), most_states_(most_states) {
    for (std::size_t o = 0; o < p_.operations.size(); ++o) {
      const Operation& op = p_.operations[o];
      if (o == 0 || !p_.threads_are_ordered || op.rank != p_.operations[o - 1].rank ||
          op.thread != p_.operations[o - 1].thread)
        threads_.push_back({});
      threads_.back().operations.push_back(static_cast<int>(o));
    }
  }

  Behaviour run() {
    explore(start());
    return result_;
  }

  bool lacks_slots() const {
    for (const Operation& o : p_.operations) {
      if ((reads_source(o.instruction) && !is_there(o.rank, o.source)) ||
          (stores(o.instruction) && !is_there(o.rank, o.target)))
        return true;
      if (!reads_source(o.instruction) || !stores(o.instruction)) continue;
      const std::set<int> read = places(o.rank, o.source), written = places(o.rank, o.target);
      if (read != written && meet(read, written)) return true;
    }
    return false;
  }

 private:
  // Where a chunk lies; input and output in place are one as the format says.
  int where(Rank rank, Buffer buffer, int k) const {
    const Buffers& b = p_.buffers[static_cast<std::size_t>(rank)];
    if (buffer == Buffer::scratch) return 2'000'000 + k;
    if (!p_.in_place) return (buffer == Buffer::output ? 1'000'000 : 0) + k;
    if (buffer == Buffer::input && b.input < b.output) return rank * b.input + k;
    if (buffer == Buffer::output && b.output < b.input) return rank * b.output + k;
    return k;
  }

  bool is_there(Rank rank, const ChunkRange& range) const {
    const Buffers& b = p_.buffers[static_cast<std::size_t>(rank)];
    const int size = range.buffer == Buffer::input ? b.input : range.buffer == Buffer::output ? b.output : b.scratch;
    return range.first >= 0 && range.first + range.count <= size;
  }

  std::set<int> places(Rank rank, const ChunkRange& range) const {
    std::set<int> all;
    for (int k = 0; k < range.count; ++k) all.insert(where(rank, range.buffer, range.first + k));
    return all;
  }

  static bool meet(const std::set<int>& x, const std::set<int>& y) {
    for (const int e : x)
      if (y.count(e) > 0) return true;
    return false;
  }

  State start() {
    State s;
    s.at.assign(threads_.size(), 0);
    s.is_sent.assign(threads_.size(), false);
    s.has_ended.assign(p_.operations.size(), false);
    s.queue.resize(p_.connections.size());
    s.sent.assign(p_.connections.size(), 0);
    s.taken.assign(p_.connections.size(), 0);
    for (Rank r = 0; r < p_.ranks; ++r)
      for (int k = 0; k < p_.buffers[static_cast<std::size_t>(r)].input; ++k)
        if ((p_.collective != Collective::broadcast && p_.collective != Collective::scatter) || r == p_.root)
          s.memory[{r, where(r, Buffer::input, k)}] = values_.of({{{{r, k}, 1}}, fmt::format("x{}.{}", r, k)});
    for (const InitialCopy& c : p_.initial_copies)
      s.memory[{c.rank, where(c.rank, c.target.buffer, c.target.first)}] =
          s.memory[{c.rank, where(c.rank, c.source.buffer, c.source.first)}];
    return s;
  }

  bool is_begun(const State& s, int o) const {
    for (const Hang& hang : p_.hangs)
      if (hang.operation == o) return false;
    for (const Dependency& order : p_.dependencies)
      if (order.after == o && !s.has_ended[static_cast<std::size_t>(order.before)]) return false;
    return true;
  }

  const Operation& op(int o) const { return p_.operations[static_cast<std::size_t>(o)]; }

  /// Is the receiver ready for message number k of the connection, or past it?
  bool is_partner_ready(const State& s, std::size_t connection, std::size_t k) const {
    if (s.taken[connection] > k) return true;
    if (s.taken[connection] < k) return false;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (s.at[t] == threads_[t].operations.size()) continue;
      const int o = threads_[t].operations[s.at[t]];
      if (receives(op(o).instruction) && static_cast<std::size_t>(op(o).from) == connection && !s.is_sent[t])
        return is_begun(s, o);
    }
    return false;
  }

  bool has_room(const State& s, std::size_t connection, std::size_t k) const {
    if (depth_ == 0) return is_partner_ready(s, connection, k);
    return k < depth_ || s.taken[connection] > k - depth_;
  }

  bool can_act(const State& s, std::size_t t) const {
    if (s.at[t] == threads_[t].operations.size() || s.is_sent[t]) return false;
    const int o = threads_[t].operations[s.at[t]];
    if (!is_begun(s, o)) return false;
    if (!receives(op(o).instruction)) return true;
    if (s.queue[static_cast<std::size_t>(op(o).from)].empty()) return false;
    if (!sends(op(o).instruction)) return true;
    const auto to = static_cast<std::size_t>(op(o).to);
    return has_room(s, to, s.sent[to]);
  }

  std::vector<Value> read(const State& s, Rank rank, const ChunkRange& range) {
    std::vector<Value> values;
    for (int k = 0; k < range.count; ++k) {
      const auto found = s.memory.find({rank, where(rank, range.buffer, range.first + k)});
      values.push_back(found == s.memory.end() ? Value{} : found->second);
      if (values.back() == Value{}) result_.reads_unset = true;
    }
    return values;
  }

  void instruction(State& s, std::size_t t) {
    const int o = threads_[t].operations[s.at[t]];
    const Operation& x = op(o);
    std::vector<Value> values;
    if (receives(x.instruction)) {
      auto& queue = s.queue[static_cast<std::size_t>(x.from)];
      values = queue.front();
      queue.erase(queue.begin());
      ++s.taken[static_cast<std::size_t>(x.from)];
      const int expected = x.instruction == Instruction::receive_reduce_send ? x.source.count : x.target.count;
      if (static_cast<int>(values.size()) != expected) result_.ends = false;
      values.resize(static_cast<std::size_t>(expected));
    }
    std::vector<Value> local;
    if (reads_source(x.instruction)) local = read(s, x.rank, x.source);
    switch (x.instruction) {
      case Instruction::send:
      case Instruction::copy: values = local; break;
      case Instruction::reduce: {
        values = read(s, x.rank, x.target);
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = values_.sum(values[k], local[k]);
        break;
      }
      case Instruction::receive_reduce:
      case Instruction::receive_reduce_send:
      case Instruction::receive_reduce_copy_send:
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = values_.sum(values[k], local[k]);
        break;
      default: break;
    }
    if (stores(x.instruction))
      for (int k = 0; k < x.target.count; ++k)
        s.memory[{x.rank, where(x.rank, x.target.buffer, x.target.first + k)}] = values[static_cast<std::size_t>(k)];
    if (sends(x.instruction)) {
      s.queue[static_cast<std::size_t>(x.to)].push_back(values);
      ++s.sent[static_cast<std::size_t>(x.to)];
    }
    if (x.instruction == Instruction::send)
      s.is_sent[t] = true;
    else
      end(s, t);
  }

  void end(State& s, std::size_t t) {
    s.has_ended[static_cast<std::size_t>(threads_[t].operations[s.at[t]])] = true;
    s.is_sent[t] = false;
    ++s.at[t];
  }

  bool can_end(const State& s, std::size_t t) const {
    if (s.at[t] == threads_[t].operations.size() || !s.is_sent[t]) return false;
    const auto to = static_cast<std::size_t>(op(threads_[t].operations[s.at[t]]).to);
    return has_room(s, to, s.sent[to] - 1);
  }

  bool conflict(int a, int b) const {
    if (op(a).rank != op(b).rank) return false;
    auto touched = [&](int o, bool written) {
      const Operation& x = op(o);
      std::set<int> all = stores(x.instruction) ? places(x.rank, x.target) : std::set<int>{};
      if (!written && reads_source(x.instruction)) all.merge(places(x.rank, x.source));
      return all;
    };
    return meet(touched(a, true), touched(b, false)) || meet(touched(a, false), touched(b, true));
  }

  void explore(State first) {
    std::vector<State> open{std::move(first)};
    std::set<std::string> seen;
    while (!open.empty()) {
      const State s = std::move(open.back());
      open.pop_back();
      if (!seen.insert(s.key()).second) continue;
      if (seen.size() > most_states_) {
        result_.too_large = true;
        return;
      }
      std::vector<int> next;
      bool moves = false;
      for (std::size_t t = 0; t < threads_.size(); ++t) {
        if (can_act(s, t)) {
          moves = true;
          next.push_back(threads_[t].operations[s.at[t]]);
          open.push_back(s);
          instruction(open.back(), t);
        } else if (can_end(s, t)) {
          moves = true;
          open.push_back(s);
          end(open.back(), t);
        }
      }
      for (std::size_t a = 0; a < next.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (conflict(next[a], next[b])) result_.races = true;
      if (!moves) judge(s);
    }
  }

  void judge(const State& s) {
    for (std::size_t t = 0; t < threads_.size(); ++t)
      if (s.at[t] < threads_[t].operations.size()) result_.ends = false;
    for (const auto& queue : s.queue)
      if (!queue.empty()) result_.ends = false;
    if (!result_.ends) return;
    std::map<int, std::set<std::string>> sums;
    for (Rank r = 0; r < p_.ranks; ++r)
      for (int k = 0; k < p_.buffers[static_cast<std::size_t>(r)].output; ++k) {
        const auto found = s.memory.find({r, where(r, Buffer::output, k)});
        const Contents& value = values_[found == s.memory.end() ? Value{} : found->second];
        if (must_hold(r) && value.counts != wanted(r, k)) result_.is_right = false;
        if (p_.collective == Collective::allreduce) sums[k].insert(value.text);
      }
    for (const auto& [chunk, texts] : sums)
      if (texts.size() > 1) result_.is_reproducible = false;
  }

  bool must_hold(Rank rank) const { return p_.collective != Collective::reduce || rank == p_.root; }

  // Only the collectives that the tests use.
  std::map<std::pair<Rank, int>, int> wanted(Rank rank, int k) const {
    const int share = p_.chunks / p_.ranks;
    std::map<std::pair<Rank, int>, int> all;
    if (p_.collective == Collective::allreduce || p_.collective == Collective::reduce)
      for (Rank r = 0; r < p_.ranks; ++r) all[{r, k}] = 1;
    if (p_.collective == Collective::broadcast) all[{p_.root, k}] = 1;
    if (p_.collective == Collective::reduce_scatter)
      for (Rank r = 0; r < p_.ranks; ++r) all[{r, rank * share + k}] = 1;
    if (p_.collective == Collective::allgather) all[{k / share, k % share}] = 1;
    if (p_.collective == Collective::alltoall) all[{k / share, rank * share + k % share}] = 1;
    return all;
  }

  const Program& p_;
  std::size_t depth_, most_states_;
  std::vector<Thread> threads_;
  Values values_;
  Behaviour result_;
};

}  // namespace

bool lacks_slots(const Program& program) {
  return Interpreter(program, 0, 0).lacks_slots();
}

Behaviour interpret(const Program& program, std::size_t depth, std::size_t most_states) {
  return Interpreter(program, depth, most_states).run();
}

}  // namespace onceover::support::reference
