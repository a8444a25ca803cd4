// A certificate of a plan is an order of its operations, for each size and over several calls in a row, with a clock
// at each meeting of a block's threads: how far blocks, GPUs and port channels certainly are.
//
// The order proves that no run hangs: each operation comes after all that it may have to wait for. The clocks prove
// that nothing races: they claim no more than what the rules below give, and of any two accesses to a cell, one of them
// a write, the second knows that the first is over. Then all runs compute what this order computes, which is executed.
//
// - Threads of a block run ahead of each other. So an access knows what the block's last meeting knows, and is over at
//   the next one. Thread k of the block serves the k-th id of an operation, and knows what it saw itself.
// - The k-th wait of a counter knows what the k-th signal knew. A signal of a port channel, and a transfer, know what
// was
//   requested of the channel before.
// - Who waits for a packet knows what its sender knew when it began, at the next meeting.
// - What is known through a relaxed signal or a packet is over, but it needn't be visible. So there are two clocks.

#include <map>
#include <optional>
#include <set>

#include "check/cursor.h"
#include "check/plan.h"

namespace check {

namespace {

using Number = std::uint64_t;
using Clock = std::vector<std::uint32_t>;  // by chain

/// What is certainly over, and of that, what can be seen.
struct Knowledge {
  Clock over, seen;

  void join(const Knowledge& other, bool publishes) {
    for (std::size_t c = 0; c < over.size(); ++c) {
      over[c] = std::max(over[c], other.over[c]);
      if (publishes) seen[c] = std::max(seen[c], other.seen[c]);
    }
  }
  void step(std::size_t chain) { seen[chain] = ++over[chain]; }
};

/// An access is over when the chain has come to the value.
struct Access {
  std::size_t chain = 0;
  std::uint32_t value = 0;
  bool is_users = false, is_packet = false;  // by the user before a call; waiting for a packet, or writing one
  Number task = 0;                           // of one task all are one access
};

using Sum = std::vector<std::uint32_t>;  // what is added up, sorted; empty: nothing that is defined

struct Cell {
  Sum value;
  std::optional<Number> packet_of;  // the call
  std::size_t sender = 0;           // of a packet: what its sender knew
  std::optional<Access> writer;
  std::vector<Access> readers;  // since then
};

/// Where a signal or request comes from: those of one counter must have one order in every run.
struct Origin {
  Number call, block, meetings, thread;

  bool precedes(const Origin& next) const {
    if (block != next.block) return call < next.call;
    return meetings < next.meetings || (meetings == next.meetings && thread == next.thread);
  }
};

struct Counter {
  std::vector<std::pair<Knowledge, bool>> signals;  // and is it relaxed?
  Number waits = 0;
  std::optional<Origin> last_signal, last_wait;
};

struct Port {
  Knowledge knowledge;
  std::optional<Origin> last;
};

struct Block {
  Number gpu, number;  // in the GPU
  std::size_t chain;
  std::size_t next = 0;  // operation
  bool is_running = false;
  Knowledge knowledge;                  // at the last meeting
  std::map<Number, Knowledge> threads;  // since then
  std::set<std::size_t> awaited;        // senders of packets that were waited for since then
  std::map<Number, Number> barriers;    // how often it has met at each in this call
};

/// A transfer of data: the sum of the sources goes to each target.
struct Move {
  std::vector<Cells> sources, targets;
};

class PlanExamination {
 public:
  PlanExamination(const Plan& plan, const Text& certificate) : plan_(plan), at_(certificate) {}

  std::string run() {
    at_.expect(plan_certificate_begin);
    const auto sizes = plan_.sizes();
    calls_ = plan_.calls();
    check_barriers();
    for (const Number units : sizes) {
      at_.expect("size ");
      same(units);
      at_.expect(" calls ");
      same(calls_);
      at_.expect("\n");
      Memory memory(plan_, units);
      begin(memory);
      while (ended_ < calls_ * plan_.gpus.size()) line();
      check_balance();
    }
    if (!at_.rest().empty()) at_.malformed("expected the end of the certificate");
    return "pass: no run hangs or races, and each output is what " + std::string(plan_.collective) + " promises, in " +
           std::to_string(calls_) + " calls in a row, for all sizes of messages below " + limit_text();
  }

 private:
  std::string limit_text() const {
    const Number limit = plan_.limit(), gibi = Number{1} << 30;
    return limit % gibi == 0 ? std::to_string(limit / gibi) + " GiB" : std::to_string(limit) + " bytes";
  }

  void same(Number value) {
    if (at_.number(0, UINT64_MAX) != value) at_.unproven("this should be " + std::to_string(value));
  }

  Number number_below(Number end) {
    if (end == 0) at_.malformed("there is none");
    return at_.number(0, end - 1);
  }

  /// Blocks that meet at a barrier must be as many as it says, and meet equally often.
  void check_barriers() {
    for (const Gpu& gpu : plan_.gpus) {
      std::map<Number, std::map<std::size_t, Number>> uses;
      std::map<Number, Number> wanted;
      for (std::size_t b = 0; b < gpu.blocks.size(); ++b)
        for (const Operation& o : gpu.blocks[b])
          if (o.name == "barrier" && !o.meets_alone()) {
            ++uses[o.barrier][b];
            if (!wanted.emplace(o.barrier, o.barrier_blocks).second && wanted[o.barrier] != o.barrier_blocks)
              at_.unproven("a barrier waits for different numbers of blocks");
          }
      for (const auto& [barrier, by_block] : uses)
        for (const auto& [block, times] : by_block)
          if (by_block.size() != wanted[barrier] || times != by_block.begin()->second)
            at_.unproven("a barrier has other blocks than it waits for");
    }
  }

  void begin(const Memory& memory) {
    memory_ = &memory;
    const std::size_t gpus = plan_.gpus.size();
    std::size_t chains = gpus;
    blocks_.clear(), ports_.clear(), counters_.clear(), meetings_.clear(), first_block_.clear(), first_port_.clear();
    claimed_.clear(), sent_.clear();
    for (std::size_t r = 0; r < gpus; ++r) {
      first_block_.push_back(blocks_.size());
      for (std::size_t b = 0; b < plan_.gpus[r].blocks.size(); ++b)
        blocks_.push_back({r, b, chains++, 0, false, {}, {}, {}, {}});
    }
    for (const Gpu& gpu : plan_.gpus) {
      first_port_.push_back(ports_.size());
      ports_.resize(ports_.size() + gpu.port.size());
    }
    first_port_chain_ = chains;
    chains += ports_.size();
    nothing_known_ = {Clock(chains, 0), Clock(chains, 0)};
    for (Block& block : blocks_) block.knowledge = nothing_known_;
    for (Port& port : ports_) port.knowledge = nothing_known_;
    gpus_.assign(gpus, nothing_known_);
    started_.assign(gpus, 0), finished_.assign(gpus, 0);
    ended_ = 0;
    cells_.assign(memory.cells(), {});
    count_packet_writers();
    check_packets();
  }

  /// Who waits for a packet takes any bytes with the right flag for it. So nothing else may be written there, ever.
  void check_packets() {
    std::vector<bool> is_awaited(memory_->cells(), false), is_plain(memory_->cells(), false);
    const auto mark = [](const std::vector<Cells>& all, bool are_packets, std::vector<bool>& marks) {
      for (const Cells& cells : all)
        if (cells.are_packets == are_packets)
          for (Number c = cells.first; c < cells.first + cells.count; ++c) marks[c] = true;
    };
    for (Number call = 0; call < calls_; ++call)
      for (const Gpu& gpu : plan_.gpus)
        for (const auto& block : gpu.blocks)
          for (const Operation& o : block)
            for (const Move& m : moves(o, call)) mark(m.sources, true, is_awaited), mark(m.targets, false, is_plain);
    for (Number c = 0; c < memory_->cells(); ++c)
      if (is_awaited[c] && is_plain[c]) at_.unproven("packets are awaited where plain data is written, too");
  }

  /// In which operations of a call each cell is written as a packet: none, one or several.
  void count_packet_writers() {
    packet_writers_.assign(calls_, std::vector<std::uint8_t>(memory_->cells(), 0));
    for (Number call = 0; call < calls_; ++call)
      for (std::size_t r = 0; r < plan_.gpus.size(); ++r)
        for (const auto& block : plan_.gpus[r].blocks)
          for (const Operation& o : block)
            for (const Move& m : moves(o, call))
              for (const Cells& target : m.targets)
                if (target.are_packets && !stays(m, target))
                  for (Number c = target.first; c < target.first + target.count; ++c)
                    if (packet_writers_[call][c] < 2) ++packet_writers_[call][c];
  }

  std::vector<Move> moves(const Operation& o, Number call) const {
    std::vector<Move> all(o.sources.empty() ? 0 : o.is_pairwise ? o.sources.size() : 1);
    for (std::size_t k = 0; k < o.sources.size(); ++k)
      for (const std::uint32_t rank : o.sources[k].ranks)
        all[o.is_pairwise ? k : 0].sources.push_back(memory_->at(o, o.sources[k], rank, call));
    for (std::size_t k = 0; k < o.targets.size(); ++k)
      for (const std::uint32_t rank : o.targets[k].ranks)
        all[o.is_pairwise ? k : 0].targets.push_back(memory_->at(o, o.targets[k], rank, call));
    return all;
  }

  /// Is it a packet that is stored onto itself?
  static bool stays(const Move& m, const Cells& target) {
    return target.are_packets && m.sources.size() == 1 && m.sources[0].are_packets &&
           m.sources[0].first == target.first;
  }

  void line() {
    if (at_.skip("start ")) return start(number_below(plan_.gpus.size()));
    if (at_.skip("end ")) return end(number_below(plan_.gpus.size()));
    const bool enters = at_.skip("enter "), leaves = !enters && at_.skip("leave ");
    if (!enters && !leaves) at_.expect("run ");
    const Number r = number_below(plan_.gpus.size());
    at_.expect(" ");
    Block& block = blocks_[first_block_[r] + number_below(plan_.gpus[r].blocks.size())];
    if (enters) return enter(block);
    if (leaves) return leave(block);
    at_.expect(" ");
    const auto& operations = plan_.gpus[r].blocks[block.number];
    if (!block.is_running || block.next == operations.size()) at_.unproven("this block runs nothing now");
    same(block.next);
    execute(block, operations[block.next]);
    if (!is_meeting(operations[block.next])) at_.expect("\n");
    ++block.next;
  }

  static bool is_meeting(const Operation& o) { return o.name == "nop" || o.name == "barrier"; }

  /// The user has set the input; from the second call on, the output may have been in use until now.
  void start(Number r) {
    if (started_[r] != finished_[r] || started_[r] == calls_) at_.unproven("the GPU can't begin a call now");
    at_.expect("\n");
    const Number call = started_[r]++;
    gpus_[r].step(r);
    const Access access{r, gpus_[r].over[r], true, false, ++tasks_};
    const Cells in = memory_->whole(r, Space::input), out = memory_->whole(r, Space::output);
    if (call > 0)
      for (Number c = out.first; c < out.first + out.count; ++c) read(c, access, gpus_[r]);
    for (Number u = 0; u < in.count; ++u) {
      write(in.first + u, access, gpus_[r]);
      cells_[in.first + u].value = {leaf(call, r, u)};
      cells_[in.first + u].packet_of.reset();
    }
  }

  void enter(Block& block) {
    const Number r = block.gpu;
    if (started_[r] == finished_[r] || block.is_running || block.next > 0) at_.unproven("the block can't begin now");
    block.is_running = true;
    block.barriers.clear();
    block.knowledge.join(gpus_[r], true);
    block.knowledge.step(block.chain);
    claim(block);
  }

  void leave(Block& block) {
    const auto& operations = plan_.gpus[block.gpu].blocks[block.number];
    if (!block.is_running || block.next < operations.size()) at_.unproven("the block isn't through");
    meet(block);
    block.is_running = false;
    ++block.next;  // until all blocks of the GPU have left
    claim(block);
  }

  /// All blocks have left. Who calls next has the outputs from now on.
  void end(Number r) {
    if (started_[r] == finished_[r]) at_.unproven("the GPU has no call to end");
    for (std::size_t b = 0; b < plan_.gpus[r].blocks.size(); ++b) {
      Block& block = blocks_[first_block_[r] + b];
      if (block.is_running || block.next == 0) at_.unproven("a block of the GPU isn't through");
      gpus_[r].join(block.knowledge, true);
      block.next = 0;
    }
    at_.expect("\n");
    const Number call = finished_[r]++;
    ++ended_;
    gpus_[r].step(r);
    const Access access{r, gpus_[r].over[r], false, false, ++tasks_};
    const Cells out = memory_->whole(r, Space::output);
    for (Number u = 0; u < out.count; ++u) {
      read(out.first + u, access, gpus_[r]);
      const Cell& cell = cells_[out.first + u];
      if (cell.packet_of || cell.value != due(call, r, u))
        at_.unproven("unit " + std::to_string(u) + " of the output isn't what it must be");
    }
  }

  std::uint32_t leaf(Number call, Number rank, Number unit) const {
    const Number units = memory_->whole(0, Space::input).count;
    return static_cast<std::uint32_t>((call * plan_.gpus.size() + rank) * units + unit);
  }

  /// What a unit of a rank's output must be.
  Sum due(Number call, Number rank, Number unit) const {
    const Number n = plan_.gpus.size();
    const Number in = memory_->whole(rank, Space::input).count, out = memory_->whole(rank, Space::output).count;
    if (plan_.collective == "allgather") return {leaf(call, unit / in, unit % in)};
    if (plan_.collective == "alltoall") return {leaf(call, unit / (in / n), rank * (in / n) + unit % (in / n))};
    if (plan_.collective == "sendrecv") return {leaf(call, (rank + n - 1) % n, unit)};
    Sum sum;
    for (Number r = 0; r < n; ++r)
      sum.push_back(leaf(call, r, plan_.collective == "reducescatter" ? rank * out + unit : unit));
    return sum;
  }

  /// All threads meet, and know what each did.
  void meet(Block& block) {
    block.knowledge = joined(block);
    block.knowledge.step(block.chain);
    block.threads.clear(), block.awaited.clear();
  }

  Knowledge joined(const Block& block) const {
    Knowledge all = block.knowledge;
    for (const auto& [thread, knowledge] : block.threads) all.join(knowledge, true);
    for (const std::size_t sender : block.awaited) all.join(sent_[sender], false);
    return all;
  }

  /// Replaces the block's clocks by those that the certificate claims, which must not be beyond them. It gives the
  /// entries that aren't as at the block's meeting before. How far the block itself is must be exact.
  void claim(Block& block) {
    Knowledge& known = block.knowledge;
    Knowledge& before = claimed_.emplace(std::pair(block.gpu, block.number), nothing_known_).first->second;
    claim_clock(" over", known.over, before.over);
    claim_clock(" seen", known.seen, before.seen);
    if (before.over[block.chain] != known.over[block.chain] || before.seen[block.chain] != known.seen[block.chain])
      at_.unproven("the block has met " + std::to_string(known.over[block.chain]) + " times");
    at_.expect("\n");
    known = before;
  }

  void claim_clock(std::string_view word, const Clock& known, Clock& claimed) {
    at_.expect(word);
    while (!at_.rest().starts_with(" seen") && at_.skip(" ")) {
      const Number chain = number_below(claimed.size());
      at_.expect(":");
      const auto value = static_cast<std::uint32_t>(at_.number(0, UINT32_MAX));
      if (value > known[chain]) at_.unproven("the block can't know this; it knows " + std::to_string(known[chain]));
      claimed[chain] = value;
    }
    for (std::size_t c = 0; c < claimed.size(); ++c)
      if (claimed[c] > known[c]) at_.unproven("the block can't know as much of chain " + std::to_string(c));
  }

  void execute(Block& block, const Operation& o) {
    if (o.meets_alone()) {
      meet(block);
      return claim(block);
    }
    if (o.name == "barrier") return barrier(block, o);
    if (!o.sources.empty() && !o.is_port) return move_all(block, o);
    for (std::size_t k = 0; k < o.ids.size(); ++k) {
      Knowledge& thread = block.threads.emplace(k, block.knowledge).first->second;
      if (o.is_port && o.name != "wait")
        use_port(block, o, k, thread);
      else
        count(block, o, k, thread);
    }
  }

  Number call_of(const Block& block) const { return started_[block.gpu] - 1; }

  Origin origin(const Block& block, Number thread) const {
    return {call_of(block), block.number, block.knowledge.over[block.chain], thread};
  }

  /// All blocks of the barrier must have come to it, equally often.
  void barrier(Block& block, const Operation& o) {
    const Number occurrence = block.barriers[o.barrier]++;
    const std::vector<Number> name{block.gpu, o.barrier, call_of(block), occurrence};
    auto found = meetings_.find(name);
    if (found == meetings_.end()) {
      Knowledge all = nothing_known_;
      for (std::size_t b = 0; b < plan_.gpus[block.gpu].blocks.size(); ++b) {
        const Block& other = blocks_[first_block_[block.gpu] + b];
        const auto at = place_of_barrier(other, o.barrier, occurrence);
        if (!at) continue;
        if (!other.is_running || other.next != *at) at_.unproven("another block hasn't come to the barrier");
        Knowledge theirs = joined(other);
        theirs.step(other.chain);
        all.join(theirs, true);
      }
      found = meetings_.emplace(name, std::move(all)).first;
    }
    block.knowledge = found->second;
    block.threads.clear(), block.awaited.clear();
    claim(block);
  }

  std::optional<std::size_t> place_of_barrier(const Block& block, Number barrier, Number occurrence) const {
    const auto& operations = plan_.gpus[block.gpu].blocks[block.number];
    for (std::size_t k = 0; k < operations.size(); ++k)
      if (operations[k].name == "barrier" && operations[k].barrier == barrier && !operations[k].meets_alone() &&
          occurrence-- == 0)
        return k;
    return std::nullopt;
  }

  /// The counter on which the peer of a channel waits, or the GPU itself.
  Counter& counter(const Block& block, const Operation& o, std::uint32_t id, bool waits) {
    if (o.name.starts_with("sem_")) return counters_[{block.gpu, block.gpu, 2, id}];
    const Gpu& gpu = plan_.gpus[block.gpu];
    const Channel& c = o.is_port ? gpu.port[id] : gpu.memory[id];
    return counters_[{waits ? block.gpu : c.peer, waits ? c.peer : block.gpu, o.is_port ? 1 : 0, c.occurrence}];
  }

  /// Events of a counter or channel must have one order in every run.
  void follow(std::optional<Origin>& last, const Origin& next) {
    if (last && !last->precedes(next)) at_.unproven("not covered: threads whose order isn't fixed use one channel");
    last = next;
  }

  void count(Block& block, const Operation& o, std::size_t k, Knowledge& thread) {
    const bool waits = o.name == "wait" || o.name == "sem_acquire";
    Counter& counted = counter(block, o, o.ids[k], waits);
    if (!waits) {
      follow(counted.last_signal, origin(block, k));
      counted.signals.emplace_back(thread, o.is_relaxed);
      return;
    }
    follow(counted.last_wait, origin(block, k));
    const Number given = o.name == "wait" ? 0 : plan_.gpus[block.gpu].semaphores[o.ids[k]];
    const Number number = counted.waits++;
    if (number < given) return;
    if (number - given >= counted.signals.size()) at_.unproven("what this waits for comes later, or never");
    const auto& [signal, is_relaxed] = counted.signals[number - given];
    thread.join(signal, !is_relaxed && !o.is_relaxed);
  }

  /// Requests transfers and signals of a port channel, or waits until all before are done.
  void use_port(Block& block, const Operation& o, std::size_t k, Knowledge& thread) {
    const std::size_t number = first_port_[block.gpu] + o.ids[k];
    Port& port = ports_[number];
    follow(port.last, origin(block, k));
    if (o.name != "flush") port.knowledge.join(thread, true);
    if (o.name.starts_with("p")) {
      const std::size_t chain = first_port_chain_ + number;
      port.knowledge.step(chain);
      const auto all = moves(o, call_of(block));
      apply({all[k]}, {chain, port.knowledge.over[chain], false, false, ++tasks_}, port.knowledge, block);
    }
    if (o.name == "signal" || o.name.starts_with("pws")) {
      Counter& counted = counter(block, o, o.ids[k], false);
      follow(counted.last_signal, origin(block, k));
      counted.signals.emplace_back(port.knowledge, false);
    }
    if (o.name == "flush" || o.name == "pwsf") thread.join(port.knowledge, true);
  }

  void move_all(Block& block, const Operation& o) {
    const Access access{block.chain, block.knowledge.over[block.chain] + 1, false, false, ++tasks_};
    sent_.push_back(block.knowledge);
    apply(moves(o, call_of(block)), access, block.knowledge, block);
  }

  /// Moves data, if nothing of it can race. Packets go with the last of `sent_`.
  void apply(const std::vector<Move>& all, const Access& access, const Knowledge& knowledge, Block& block) {
    check_alone(all);
    for (const Move& m : all) {
      for (const Cells& source : m.sources)
        for (Number c = source.first; c < source.first + source.count; ++c)
          source.are_packets ? wait_for(c, access, block) : read(c, access, knowledge);
      const Number units = m.sources[0].count / (m.sources[0].are_packets ? 2 : 1);
      for (Number u = 0; u < units; ++u) {
        const Sum sum = sum_of(m, u);
        for (const Cells& target : m.targets)
          if (!stays(m, target)) store(target, u, sum, access, knowledge, call_of(block));
      }
    }
  }

  /// Threads do their elements on their own: what an operation writes it may read only at the same element, and write
  /// only once.
  void check_alone(const std::vector<Move>& all) const {
    const auto meet = [](const Cells& a, const Cells& b) {
      return std::max(a.first, b.first) < std::min(a.first + a.count, b.first + b.count);
    };
    std::vector<Cells> written;
    for (const Move& m : all)
      for (const Cells& target : m.targets) {
        if (stays(m, target)) continue;
        for (const Cells& other : written)
          if (meet(target, other)) at_.unproven("the operation writes a unit twice");
        written.push_back(target);
        for (const Move& n : all)
          for (const Cells& source : n.sources) {
            const bool is_same = &n == &m && source.first == target.first && source.are_packets == target.are_packets;
            if (meet(target, source) && !is_same) at_.unproven("the operation reads what it writes elsewhere");
          }
      }
  }

  Sum sum_of(const Move& m, Number unit) const {
    Sum sum;
    for (const Cells& source : m.sources) {
      const Cell& cell = cells_[source.first + (source.are_packets ? 2 * unit : unit)];
      const Cell& other = source.are_packets ? cells_[source.first + 2 * unit + 1] : cell;
      const bool is_defined =
          !cell.value.empty() && cell.packet_of.has_value() == source.are_packets && cell.value == other.value;
      if (!is_defined) return {};
      sum.insert(sum.end(), cell.value.begin(), cell.value.end());
    }
    if (sum.size() > calls_ * plan_.gpus.size()) return {};  // a contribution is there twice, and no output may have it
    std::sort(sum.begin(), sum.end());
    return sum;
  }

  void store(const Cells& target, Number unit, const Sum& sum, Access access, const Knowledge& knowledge, Number call) {
    access.is_packet = target.are_packets;
    const Number first = target.first + (target.are_packets ? 2 * unit : unit);
    for (Number c = first; c < first + (target.are_packets ? 2 : 1); ++c) {
      write(c, access, knowledge);
      cells_[c].value = sum;
      cells_[c].packet_of.reset();
      if (!target.are_packets) continue;
      cells_[c].packet_of = call;
      cells_[c].sender = sent_.size() - 1;
    }
  }

  /// A read must know that the last write is over, and see it.
  void read(Number c, const Access& access, const Knowledge& knowledge) {
    Cell& cell = cells_[c];
    if (cell.writer) {
      const bool is_ordered = knowledge.over[cell.writer->chain] >= cell.writer->value;
      const bool is_seen = cell.writer->is_users || knowledge.seen[cell.writer->chain] >= cell.writer->value;
      if (!is_ordered || !is_seen) at_.unproven("a read isn't known to come after the write before it");
    }
    cell.readers.push_back(access);
  }

  /// A packet comes from the one operation of this call that writes it, which must be earlier in the order.
  void wait_for(Number c, Access access, Block& block) {
    Cell& cell = cells_[c];
    const Number call = call_of(block);
    if (packet_writers_[call][c] != 1) at_.unproven("a packet that is waited for isn't written once in the call");
    if (cell.packet_of != call) at_.unproven("a packet that is waited for comes later, or was replaced");
    block.awaited.insert(cell.sender);
    access.is_packet = true;
    cell.readers.push_back(access);
  }

  /// A write must know that the write before it and all reads since then are over, and see the former.
  void write(Number c, const Access& access, const Knowledge& knowledge) {
    Cell& cell = cells_[c];
    bool was_awaited = false;
    for (const Access& r : cell.readers) {
      was_awaited = was_awaited || r.is_packet;
      if (r.task != access.task && knowledge.over[r.chain] < r.value)
        at_.unproven("a write isn't known to come after a read");
    }
    if (cell.writer) {
      const Access& w = *cell.writer;
      const bool is_ordered = knowledge.over[w.chain] >= w.value || (was_awaited && w.is_packet);
      const bool is_seen =
          w.is_users || (w.is_packet && (access.is_packet || was_awaited)) || knowledge.seen[w.chain] >= w.value;
      if (!is_ordered || !is_seen) at_.unproven("a write isn't known to come after the write before it");
    }
    if (!plan_.is_in_place && !access.is_users && memory_->is_input(c)) at_.unproven("an operation writes to an input");
    cell.readers.clear();
    cell.writer = access;
  }

  void check_balance() {
    for (const auto& [name, counted] : counters_)
      if (counted.signals.size() != counted.waits) at_.unproven("a counter isn't used up");
  }

  const Plan& plan_;
  Cursor at_;
  Number calls_ = 0;
  const Memory* memory_ = nullptr;
  std::vector<Block> blocks_;
  std::vector<Port> ports_;
  std::vector<std::size_t> first_block_, first_port_;  // by GPU
  std::size_t first_port_chain_ = 0;
  Knowledge nothing_known_;
  std::vector<Knowledge> gpus_;
  std::vector<Number> started_, finished_;  // calls, by GPU
  Number ended_ = 0;                        // calls of all GPUs
  std::map<std::vector<Number>, Counter> counters_;
  std::map<std::vector<Number>, Knowledge> meetings_;
  std::map<std::pair<Number, Number>, Knowledge> claimed_;
  std::vector<Cell> cells_;
  std::vector<Knowledge> sent_;  // what senders of packets knew
  Number tasks_ = 0;
  std::vector<std::vector<std::uint8_t>> packet_writers_;  // by call and cell
};

}  // namespace

Outcome check_plan_certificate(const Text& plan, const Text& certificate) try {
  const Plan read = read_plan(plan);
  return {Outcome::Kind::proved, PlanExamination(read, certificate).run()};
} catch (const Outcome& outcome) {
  return outcome;
}

}  // namespace check
