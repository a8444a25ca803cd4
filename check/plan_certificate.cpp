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

#include "check/plan_cells.h"

namespace check {

namespace {

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
      begin(units);
      while (ended_ < calls_ * plan_.gpus.size()) line();
      check_balance();
    }
    if (!at_.rest().empty()) at_.malformed("expected the end of the certificate");
    return "pass: no run hangs or races, and each output is what " + std::string(plan_.collective) + " promises, in " +
           std::to_string(calls_) + " calls of one size in a row, for " + messages_text();
  }

 private:
  /// The messages that the plan is for, as far as offsets don't overflow.
  std::string messages_text() const {
    const auto [least, most] = plan_.messages();
    const Number limit = plan_.limit(), gibi = Number{1} << 30, step = plan_.step();
    const std::string below =
        limit % gibi == 0 ? std::to_string(limit / gibi) + " GiB" : std::to_string(limit) + " bytes";
    if (plan_.most_bytes < limit)
      return "all messages of " + std::to_string(least) + " to " + std::to_string(most) + " bytes";
    return least == step ? "all sizes of messages below " + below
                         : "all messages of " + std::to_string(least) + " bytes or more, below " + below;
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

  void begin(Number units) {
    const std::size_t gpus = plan_.gpus.size();
    std::size_t chains = gpus;
    blocks_.clear(), ports_.clear(), counters_.clear(), meetings_.clear(), first_block_.clear(), first_port_.clear();
    claimed_.clear();
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
    cells_.emplace(plan_, units, calls_, at_);
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

  void start(Number r) {
    if (started_[r] != finished_[r] || started_[r] == calls_) at_.unproven("the GPU can't begin a call now");
    at_.expect("\n");
    gpus_[r].step(r);
    cells_->start(r, started_[r]++, {r, gpus_[r].over[r], true, false}, gpus_[r]);
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
    ++ended_;
    gpus_[r].step(r);
    cells_->end(r, finished_[r]++, {r, gpus_[r].over[r], false, false}, gpus_[r]);
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
    for (const std::size_t sender : block.awaited) all.join(cells_->sender(sender), false);
    return all;
  }

  /// Replaces the block's clocks by those that the certificate claims, which must not be beyond them. The certificate
  /// lists the entries that changed since the block's last meeting. The block's own entry must be exact.
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
    return counters_[{waits ? block.gpu : c.peer, waits ? c.peer : block.gpu, o.is_port ? 1u : 0u, c.occurrence}];
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
    if (o.ids[k] >= plan_.gpus[block.gpu].port.size()) at_.unproven("there is no such port channel");
    const std::size_t number = first_port_[block.gpu] + o.ids[k];
    Port& port = ports_[number];
    follow(port.last, origin(block, k));
    if (o.name != "flush") port.knowledge.join(thread, true);
    if (o.name.starts_with("p")) {
      const std::size_t chain = first_port_chain_ + number;
      port.knowledge.step(chain);
      const auto all = cells_->moves(o, call_of(block));
      cells_->apply({all[k]}, {chain, port.knowledge.over[chain]}, port.knowledge, call_of(block), block.awaited);
    }
    if (o.name == "signal" || o.name.starts_with("pws")) {
      Counter& counted = counter(block, o, o.ids[k], false);
      follow(counted.last_signal, origin(block, k));
      counted.signals.emplace_back(port.knowledge, false);
    }
    if (o.name == "flush" || o.name == "pwsf") thread.join(port.knowledge, true);
  }

  void move_all(Block& block, const Operation& o) {
    cells_->note_sender(block.knowledge);
    cells_->apply(cells_->moves(o, call_of(block)), {block.chain, block.knowledge.over[block.chain] + 1},
                  block.knowledge, call_of(block), block.awaited);
  }

  void check_balance() {
    for (const auto& [name, counted] : counters_)
      if (counted.signals.size() != counted.waits) at_.unproven("a counter isn't used up");
  }

  const Plan& plan_;
  Cursor at_;
  Number calls_ = 0;
  std::optional<PlanCells> cells_;
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
};

}  // namespace

Outcome check_plan_certificate(const Text& plan, const Text& certificate) try {
  const Plan read = read_plan(plan);
  return {Outcome::Kind::proved, PlanExamination(read, certificate).run()};
} catch (const Outcome& outcome) {
  return outcome;
}

}  // namespace check
