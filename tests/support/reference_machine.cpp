#include "reference_machine.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace onceover::support::reference {

namespace {

/// Something that one thread does at once.
struct Deed {
  enum class Kind { meet, await, take, touch, give, tell } kind;
  int operation = -1;
  int chunk = -1;    // take, give: of the message
  int meeting = -1;  // meet: the how manieth of its block
  std::set<int> reads = {}, writes = {};
};

/// A thread of a block, and what it does in turn.
struct Worker {
  int block;
  std::vector<Deed> deeds = {};
};

class Machine {
 public:
  explicit Machine(const Program& program) : p_(program) {
    const Runtime& runtime = *program.runtime;
    is_simple_ = runtime.protocol == "Simple";
    is_ll_ = runtime.protocol == "LL" || runtime.protocol.empty();
    ends_sends_alone_ = is_ll_ && runtime.profile == "rccl";
    match();
    for (std::size_t o = 0; o < p_.operations.size();) o = add_block(o);
  }

  bool has_race() const {
    std::vector<std::pair<int, int>> touching;  // worker, deed
    for (std::size_t w = 0; w < workers_.size(); ++w)
      for (std::size_t a = 0; a < workers_[w].deeds.size(); ++a)
        if (workers_[w].deeds[a].kind == Deed::Kind::touch)
          touching.emplace_back(static_cast<int>(w), static_cast<int>(a));
    std::vector<std::vector<std::size_t>> reached;  // by deed held back: how far each worker comes
    for (const auto& held : touching) reached.push_back(run(held));
    for (std::size_t x = 0; x < touching.size(); ++x)
      for (std::size_t y = 0; y < x; ++y)
        if (conflict(touching[x], touching[y]) && is_past(reached[x], touching[y]) && is_past(reached[y], touching[x]))
          return true;
    return false;
  }

 private:
  using Place = std::pair<int, int>;

  const Operation& op(int o) const { return p_.operations[static_cast<std::size_t>(o)]; }
  const Deed& deed(Place at) const {
    return workers_[static_cast<std::size_t>(at.first)].deeds[static_cast<std::size_t>(at.second)];
  }

  void match() {
    std::map<ConnectionId, std::vector<int>> sent, received;
    for (std::size_t o = 0; o < p_.operations.size(); ++o) {
      if (sends(p_.operations[o].instruction)) sent[p_.operations[o].to].push_back(static_cast<int>(o));
      if (receives(p_.operations[o].instruction)) received[p_.operations[o].from].push_back(static_cast<int>(o));
    }
    for (const auto& [connection, receivers] : received)
      for (std::size_t k = 0; k < receivers.size(); ++k) sender_[receivers[k]] = sent[connection].at(k);
  }

  static int chunks(const Operation& o) { return std::max(o.source.count, o.target.count); }

  /// A thread for each place of a chunk in its message, and one more: the last of the block, which waits and tells.
  std::size_t add_block(std::size_t first) {
    std::size_t end = first;
    int places = 0;
    const Operation& like = p_.operations[first];
    for (;
         end < p_.operations.size() && p_.operations[end].rank == like.rank && p_.operations[end].thread == like.thread;
         ++end)
      places = std::max(places, chunks(p_.operations[end]));
    const std::size_t base = workers_.size();
    for (int k = 0; k <= places; ++k) workers_.push_back({blocks_});
    std::vector<Worker*> all;
    for (std::size_t w = base; w < workers_.size(); ++w) all.push_back(&workers_[w]);
    meetings_ = 0;
    for (std::size_t o = first; o < end; ++o) add_operation(static_cast<int>(o), all);
    ++blocks_;
    return end;
  }

  void meet(const std::vector<Worker*>& all) {
    for (Worker* w : all) w->deeds.push_back({.kind = Deed::Kind::meet, .meeting = meetings_});
    ++meetings_;
  }

  void add_operation(int o, const std::vector<Worker*>& all) {
    const Operation& x = op(o);
    Worker& last = *all.back();
    bool waits = false;
    for (const Dependency& order : p_.dependencies)
      if (order.after == o) {
        waits = true;
        last.deeds.push_back({.kind = Deed::Kind::await, .operation = order.before});
      }
    if (waits) meet(all);
    if (x.instruction == Instruction::wait) return tell(o, last);
    const bool is_local = !sends(x.instruction) && !receives(x.instruction);
    if (sends(x.instruction) || (!is_ll_ && !is_local)) meet(all);
    for (int k = 0; k < chunks(x); ++k) {
      // A reduction's threads take other chunks than those of messages.
      Worker& thread = is_simple_ || x.instruction == Instruction::reduce ? last : *all[static_cast<std::size_t>(k)];
      if (is_simple_)
        move_by_memory(o, k, thread);
      else
        move_by_lines(o, k, thread);
    }
    if (x.instruction != Instruction::send || !ends_sends_alone_) meet(all);
    tell(o, last);
  }

  void tell(int o, Worker& last) const { last.deeds.push_back({.kind = Deed::Kind::tell, .operation = o}); }

  Deed reading(int o, int k) const {
    Deed a{.kind = Deed::Kind::touch, .operation = o, .chunk = k};
    if (reads_source(op(o).instruction)) a.reads = {where(op(o).source, op(o).rank, k)};
    if (op(o).instruction == Instruction::reduce) a.reads.insert(where(op(o).target, op(o).rank, k));
    return a;
  }

  Deed writing(int o, int k) const {
    Deed a{.kind = Deed::Kind::touch, .operation = o, .chunk = k};
    if (stores(op(o).instruction)) a.writes = {where(op(o).target, op(o).rank, k)};
    return a;
  }

  /// Takes, reads, stores, and then lets go.
  void move_by_memory(int o, int k, Worker& thread) const {
    if (receives(op(o).instruction)) thread.deeds.push_back({.kind = Deed::Kind::take, .operation = o, .chunk = k});
    thread.deeds.push_back(reading(o, k));
    thread.deeds.push_back(writing(o, k));
    if (sends(op(o).instruction)) thread.deeds.push_back({.kind = Deed::Kind::give, .operation = o, .chunk = k});
  }

  /// Reads, takes, passes on, and then stores.
  void move_by_lines(int o, int k, Worker& thread) const {
    if (receives(op(o).instruction)) thread.deeds.push_back({.kind = Deed::Kind::take, .operation = o, .chunk = k});
    thread.deeds.push_back(reading(o, k));
    if (sends(op(o).instruction)) thread.deeds.push_back({.kind = Deed::Kind::give, .operation = o, .chunk = k});
    thread.deeds.push_back(writing(o, k));
  }

  /// Runs on as long as any thread can, but for one deed that never happens; returns how far each came.
  std::vector<std::size_t> run(Place held) const {
    std::vector<std::size_t> at(workers_.size(), 0);
    std::set<int> told;
    std::set<std::pair<int, int>> given;
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t w = 0; w < workers_.size(); ++w)
        while (at[w] < workers_[w].deeds.size() && Place(static_cast<int>(w), static_cast<int>(at[w])) != held &&
               can(workers_[w], at, w, told, given)) {
          const Deed& a = workers_[w].deeds[at[w]++];
          if (a.kind == Deed::Kind::tell) told.insert(a.operation);
          if (a.kind == Deed::Kind::give) given.emplace(a.operation, a.chunk);
          moves = true;
        }
    }
    return at;
  }

  bool can(const Worker& worker, const std::vector<std::size_t>& at, std::size_t w, const std::set<int>& told,
           const std::set<std::pair<int, int>>& given) const {
    const Deed& a = worker.deeds[at[w]];
    switch (a.kind) {
      case Deed::Kind::await: return told.contains(a.operation);
      case Deed::Kind::take: return given.contains({sender_.at(a.operation), a.chunk});
      case Deed::Kind::meet: return all_are_at(worker.block, a.meeting, at);
      default: return true;
    }
  }

  /// Has every thread of the block come to the meeting, or left it?
  bool all_are_at(int block, int meeting, const std::vector<std::size_t>& at) const {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      const auto& deeds = workers_[w].deeds;
      if (workers_[w].block != block) continue;
      const auto own = std::find_if(deeds.begin(), deeds.end(), [&](const Deed& a) { return a.meeting == meeting; });
      if (at[w] < static_cast<std::size_t>(own - deeds.begin())) return false;
    }
    return true;
  }

  static bool is_past(const std::vector<std::size_t>& at, Place place) {
    return at[static_cast<std::size_t>(place.first)] > static_cast<std::size_t>(place.second);
  }

  bool conflict(Place x, Place y) const {
    const Deed &a = deed(x), &b = deed(y);
    if (op(a.operation).rank != op(b.operation).rank) return false;
    auto meets = [](const std::set<int>& one, const std::set<int>& other) {
      return std::any_of(one.begin(), one.end(), [&](int e) { return other.contains(e); });
    };
    return meets(a.writes, b.writes) || meets(a.writes, b.reads) || meets(a.reads, b.writes);
  }

  int where(const ChunkRange& range, Rank rank, int k) const {
    const Buffers& b = p_.buffers[static_cast<std::size_t>(rank)];
    const int chunk = range.first + k;
    if (range.buffer == Buffer::scratch) return 2'000'000 + chunk;
    if (!p_.in_place) return range.buffer == Buffer::output ? 1'000'000 + chunk : chunk;
    if (range.buffer == Buffer::input && b.input < b.output) return rank * b.input + chunk;
    if (range.buffer == Buffer::output && b.output < b.input) return rank * b.output + chunk;
    return chunk;
  }

  const Program& p_;
  bool is_simple_ = false, is_ll_ = false, ends_sends_alone_ = false;
  std::map<int, int> sender_;  // of the message that an operation receives
  std::vector<Worker> workers_;
  int blocks_ = 0;
  int meetings_ = 0;  // of the block at hand
};

}  // namespace

bool has_race(const Program& program) {
  return Machine(program).has_race();
}

}  // namespace onceover::support::reference
