#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "gpu/machine/machine.h"

namespace onceover::gpu {

void GpuMachine::come_to_barrier(BlockState& block, ThreadContext& thread, const Code& code) {
  if (!code.has(Code::is_aligned)) {
    enter_barrier(block, thread, 1);
    return check_barrier(block, thread.barrier);
  }
  set_state(thread, ThreadState::gathers);
  check_gathered(block, thread);
}

/// An aligned barrier is the same instruction for all threads of a warp that haven't ended, and they come to it
/// together; else what happens is undefined. Where a barrier is for some of the block, the warp counts as a whole one.
void GpuMachine::check_gathered(BlockState& block, ThreadContext& thread) {
  std::array<ThreadContext*, 32> gathered{};
  std::size_t count = 0;
  const std::uint32_t first = thread.index / 32 * 32;
  for (std::uint32_t at = first; at < std::min<std::size_t>(first + 32, block.threads.size()); ++at) {
    ThreadContext& other = block.threads[at];
    if (other.state == ThreadState::ended) continue;
    if (other.state != ThreadState::gathers) return;
    gathered[count++] = &other;
  }
  const std::span members(gathered.data(), count);
  const auto is_elsewhere = [&](const ThreadContext* other) {
    return other->pc != thread.pc || other->function != thread.function;
  };
  if (std::any_of(members.begin(), members.end(), is_elsewhere))
    fail(thread, FindingKind::divergent_barrier, "threads of one warp come to a barrier at different places");
  const bool is_for_all = thread.function->code[thread.pc].from[1] == no_operand;
  for (ThreadContext* member : members)
    enter_barrier(block, *member, is_for_all ? 1 : member == members.front() ? 32 : 0);
  for (const ThreadContext* member : members)
    if (member->barrier != thread.barrier)
      fail(thread, FindingKind::divergent_barrier, "threads of one warp use different barriers at the same place");
  check_barrier(block, thread.barrier);
}

/// `count` is how many threads come with it.
void GpuMachine::enter_barrier(BlockState& block, ThreadContext& thread, std::uint32_t count) {
  const Code& code = thread.function->code[thread.pc];
  choose_barrier(block, thread, code);
  BarrierState& barrier = block.barriers[thread.barrier];
  barrier.here += count;
  synchronization_.fold(thread.sync);
  if (code.opcode == Opcode::barrier_arrive) return arrive(thread, barrier);
  barrier.waiting.push_back(thread.index);
  set_state(thread, ThreadState::at_barrier);
}

/// Adds what the thread knows to what is known of those that arrived before; null for none.
void GpuMachine::pass_on(ThreadContext& thread, ClockPointer& clock, ClockPointer& reads) const {
  const ClockPointer before = clock != nullptr ? clock : thread.sync.clock;
  const ClockPointer reads_before = reads != nullptr ? reads : thread.sync.reads;
  clock = joined(seats_, before, thread.sync.clock, thread.id, thread.sync.now);
  reads = joined(seats_, reads_before, thread.sync.reads, thread.id, thread.sync.now);
  ++thread.sync.now.tick;
}

void GpuMachine::arrive(ThreadContext& thread, BarrierState& barrier) {
  pass_on(thread, barrier.arrivals, barrier.arrival_reads);
  join(barrier.arrival_trace, thread.trace);
  ++thread.pc;
  set_state(thread, ThreadState::runs);
}

/// Which barrier, and how many threads it is for. All that use it must agree.
void GpuMachine::choose_barrier(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint64_t number = lowest(value(block, thread, code.from[0]).bits, 4);
  if (number >= block.barriers.size()) fail(thread, FindingKind::divergent_barrier, "a block has barriers 0 to 15");
  std::uint64_t expected = 0;
  if (code.from[1] != no_operand) {
    expected = lowest(value(block, thread, code.from[1]).bits, 4);
    if (expected == 0 || expected % 32 != 0)
      fail(thread, FindingKind::divergent_barrier, "a barrier is for a multiple of 32 threads");
  }
  BarrierState& barrier = block.barriers[number];
  const TraceClock& before = block.barrier_traces[number];
  for (std::uint32_t other = 0; other < before.size(); ++other)
    if (!knows(thread.trace, other, before[other]))
      order_matters("threads come to a barrier for some of the block in an order that isn't fixed");
  if ((barrier.here > 0 || !barrier.waiting.empty()) && barrier.expected != expected)
    fail(thread, FindingKind::divergent_barrier, "threads use the same barrier for different numbers of threads");
  barrier.expected = static_cast<std::uint32_t>(expected);
  thread.barrier = static_cast<std::uint32_t>(number);
}

void GpuMachine::check_barrier(BlockState& block, std::uint32_t number) {
  const BarrierState& barrier = block.barriers[number];
  if (barrier.here == 0) return;
  const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live;
  if (barrier.here >= expected) release_barrier(block, number);
}

void GpuMachine::release_barrier(BlockState& block, std::uint32_t number) {
  BarrierState& barrier = block.barriers[number];
  reduce_at_barrier(block, barrier);
  ClockJoin clock(seats_);
  ClockJoin reads(seats_);
  if (barrier.arrivals != nullptr) {
    clock.add(barrier.arrivals);
    reads.add(barrier.arrival_reads);
  }
  for (const std::uint32_t at : barrier.waiting) {
    clock.add(block.threads[at].sync.clock);
    reads.add(block.threads[at].sync.reads);
  }
  const bool is_whole_block = barrier.waiting.size() == block.threads.size();
  if (is_whole_block) {
    ++block.generation;
    clock.learn_generations(block.seat, block.generation);
    reads.learn_generations(block.seat, block.generation);
  } else {
    for (const std::uint32_t at : barrier.waiting) {
      clock.learn(block.threads[at].id, block.threads[at].sync.now);
      reads.learn(block.threads[at].id, block.threads[at].sync.now);
    }
  }
  std::vector<std::uint32_t> waiting;
  TraceClock trace;
  if (tries_all()) {
    trace = barrier.arrival_trace;
    for (const std::uint32_t at : barrier.waiting) join(trace, block.threads[at].trace);
    if (barrier.expected != 0) block.barrier_traces[number] = trace;
  }
  waiting.swap(barrier.waiting);
  barrier = BarrierState{};
  if (waiting.empty()) return;
  const ClockPointer known = clock.take();
  const ClockPointer known_reads = options_.grants.kernel_boundary ? reads.take() : known;
  for (const std::uint32_t at : waiting) {
    ThreadContext& thread = block.threads[at];
    thread.sync.clock = known;
    thread.sync.reads = known_reads;
    if (tries_all()) thread.trace = trace;
    thread.sync.now =
        is_whole_block ? Moment{block.generation, 1} : Moment{thread.sync.now.generation, thread.sync.now.tick + 1};
    ++thread.pc;
    set_state(thread, ThreadState::runs);
  }
}

void GpuMachine::reduce_at_barrier(BlockState& block, BarrierState& barrier) {
  std::uint64_t count = 0;
  const auto code_of = [&](const ThreadContext& thread) -> const Code& { return thread.function->code[thread.pc]; };
  const auto holds = [&](ThreadContext& thread) {
    const Code& code = code_of(thread);
    return ((value(block, thread, code.from[2]).bits & 1) != 0) != code.has(Code::is_negated);
  };
  for (const std::uint32_t at : barrier.waiting) {
    ThreadContext& thread = block.threads[at];
    if (code_of(thread).opcode == Opcode::barrier_reduce && holds(thread)) ++count;
  }
  for (const std::uint32_t at : barrier.waiting) {
    ThreadContext& thread = block.threads[at];
    const Code& code = code_of(thread);
    if (code.opcode != Opcode::barrier_reduce) continue;
    switch (static_cast<BarrierReduction>(code.mode)) {
      case BarrierReduction::popc: set(thread, code.to, concrete(count)); break;
      case BarrierReduction::bit_and: set(thread, code.to, concrete(count == barrier.waiting.size() ? 1 : 0)); break;
      case BarrierReduction::bit_or: set(thread, code.to, concrete(count > 0 ? 1 : 0)); break;
    }
  }
}

void GpuMachine::arrive_in_cluster(BlockState& block, ThreadContext& thread, const Code& code) {
  if (tries_all())
    fail(thread, FindingKind::unsupported, "barriers of clusters aren't supported where all interleavings are tried");
  if (thread.owes_cluster_wait)
    fail(thread, FindingKind::divergent_barrier, "a thread arrives at the cluster's barrier twice, without waiting");
  const std::uint64_t cluster = block.index / block.kernel->run->cluster.count();
  ClusterBarrier& barrier = block.kernel->cluster_barriers[static_cast<std::uint32_t>(cluster)];
  thread.owes_cluster_wait = true;
  thread.cluster_phase = barrier.phase;
  thread.has_acted = true;
  ++barrier.arrived;
  if (code.order == Order::release) {
    synchronization_.fold(thread.sync);
    pass_on(thread, barrier.arrivals, barrier.arrival_reads);
  }
  ++thread.pc;
  check_cluster(block, barrier);
}

void GpuMachine::wait_in_cluster(BlockState& block, ThreadContext& thread) {
  if (!thread.owes_cluster_wait)
    fail(thread, FindingKind::divergent_barrier, "a thread waits at the cluster's barrier and hasn't arrived there");
  const std::uint64_t cluster = block.index / block.kernel->run->cluster.count();
  ClusterBarrier& barrier = block.kernel->cluster_barriers[static_cast<std::uint32_t>(cluster)];
  if (barrier.phase != thread.cluster_phase) return pass_cluster_barrier(thread, barrier);
  barrier.waiting.push_back(thread.id);
  set_state(thread, ThreadState::at_cluster);
}

/// A thread that ends is awaited no more.
void GpuMachine::leave_cluster(BlockState& block, ThreadContext& thread) {
  auto& barriers = block.kernel->cluster_barriers;
  const std::uint64_t cluster = block.index / block.kernel->run->cluster.count();
  const auto found = barriers.find(static_cast<std::uint32_t>(cluster));
  if (found == barriers.end()) return;
  if (thread.owes_cluster_wait && thread.cluster_phase == found->second.phase) --found->second.arrived;
  check_cluster(block, found->second);
}

void GpuMachine::check_cluster(BlockState& block, ClusterBarrier& barrier) {
  if (barrier.arrived == 0 || barrier.arrived < live_in_cluster(block)) return;
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.known = std::move(barrier.arrivals);
  barrier.known_reads = std::move(barrier.arrival_reads);
  barrier.arrivals = barrier.arrival_reads = nullptr;
  ++progress_;
  std::vector<std::uint32_t> waiting;
  waiting.swap(barrier.waiting);
  for (const std::uint32_t id : waiting) {
    ThreadContext& thread = *thread_of(id);
    pass_cluster_barrier(thread, barrier);
    set_state(thread, ThreadState::runs);
  }
}

/// The wait acquires what those released who arrived.
void GpuMachine::pass_cluster_barrier(ThreadContext& thread, const ClusterBarrier& barrier) {
  thread.owes_cluster_wait = false;
  ++thread.pc;
  if (barrier.known == nullptr) return;
  synchronization_.fold(thread.sync);
  thread.sync.clock = joined(seats_, barrier.known, thread.sync.clock, thread.id, thread.sync.now);
  thread.sync.reads = options_.grants.kernel_boundary
                          ? joined(seats_, barrier.known_reads, thread.sync.reads, thread.id, thread.sync.now)
                          : thread.sync.clock;
  ++thread.sync.now.tick;
}

/// How many threads of the block's cluster haven't ended, including those of blocks that haven't begun.
std::uint64_t GpuMachine::live_in_cluster(const BlockState& block) const {
  const KernelState& kernel = *block.kernel;
  const std::uint64_t blocks = kernel.run->cluster.count();
  const std::uint64_t first = block.index / blocks * blocks;
  std::uint64_t live = 0;
  for (std::uint64_t index = first; index < std::min<std::uint64_t>(first + blocks, kernel.run->grid.count());
       ++index) {
    const auto& other = blocks_[kernel.first_seat + index];
    if (index >= kernel.next_block)
      live += kernel.run->block.count();
    else if (other != nullptr)
      live += other->live;
  }
  return live;
}

void GpuMachine::wait_in_warp(BlockState& block, ThreadContext& thread, const Code& code) {
  const OperandRef mask = code.opcode == Opcode::warp_barrier ? code.from[0] : code.from[3];
  thread.warp_mask = static_cast<std::uint32_t>(value(block, thread, mask).bits);
  if ((thread.warp_mask >> (thread.index % 32) & 1) == 0)
    fail(thread, FindingKind::divergent_barrier, "the mask leaves out the thread that uses it");
  set_state(thread, ThreadState::at_warp);
  check_warp(block, thread);
}

/// Runs the operation if all threads of the mask, except those that have ended, are there.
void GpuMachine::check_warp(BlockState& block, ThreadContext& thread) {
  const std::uint32_t first = thread.index / 32 * 32;
  std::vector<ThreadContext*> members;
  for (std::uint32_t lane = 0; lane < 32 && first + lane < block.threads.size(); ++lane) {
    ThreadContext& other = block.threads[first + lane];
    if ((thread.warp_mask >> lane & 1) == 0 || other.state == ThreadState::ended) continue;
    if (other.state != ThreadState::at_warp) return;
    const bool is_same_place =
        other.pc == thread.pc && other.function == thread.function && other.frames.size() == thread.frames.size();
    if (!is_same_place && !are_same_operation(other, thread)) return;
    if (other.warp_mask != thread.warp_mask) {
      if (!is_same_place) return;
      fail(other, FindingKind::divergent_barrier, "threads of a warp name different masks at the same place");
    }
    members.push_back(&other);
  }
  run_warp_operation(block, members);
}

/// Threads may come to an operation of their warp at different places, if its qualifiers are the same.
bool GpuMachine::are_same_operation(const ThreadContext& a, const ThreadContext& b) {
  const Code& one = a.function->code[a.pc];
  const Code& other = b.function->code[b.pc];
  return one.opcode == other.opcode && one.mode == other.mode && one.type.element == other.type.element &&
         one.type.number == other.type.number && one.type.bytes == other.type.bytes;
}

void GpuMachine::synchronize_warp(std::vector<ThreadContext*>& members) {
  ClockJoin clock(seats_);
  ClockJoin reads(seats_);
  for (ThreadContext* member : members) {
    synchronization_.fold(member->sync);
    clock.add(member->sync.clock);
    reads.add(member->sync.reads);
  }
  for (const ThreadContext* member : members) {
    clock.learn(member->id, member->sync.now);
    reads.learn(member->id, member->sync.now);
  }
  const ClockPointer known = clock.take();
  const ClockPointer known_reads = options_.grants.kernel_boundary ? reads.take() : known;
  for (ThreadContext* member : members) {
    member->sync.clock = known;
    member->sync.reads = known_reads;
    ++member->sync.now.tick;
  }
}

namespace {

/// The lane that a shuffle reads, or -1 if that is behind the segment's bounds.
int shuffled_from(ShuffleMode mode, std::uint32_t lane, std::uint32_t by, std::uint32_t bounds) {
  const std::uint32_t segment = bounds >> 8 & 31;
  const std::uint32_t clamp = bounds & 31;
  const auto highest = static_cast<int>((lane & segment) | (clamp & ~segment));
  const auto lowest_lane = lane & segment;
  const auto here = static_cast<int>(lane);
  const auto distance = static_cast<int>(by & 31);
  switch (mode) {
    case ShuffleMode::up: return here - distance >= highest ? here - distance : -1;
    case ShuffleMode::down: return here + distance <= highest ? here + distance : -1;
    case ShuffleMode::butterfly: return (here ^ distance) <= highest ? here ^ distance : -1;
    case ShuffleMode::index: {
      const auto from = static_cast<int>(lowest_lane | ((by & 31) & ~segment));
      return from <= highest ? from : -1;
    }
  }
  return -1;
}

}  // namespace

void GpuMachine::run_warp_operation(BlockState& block, std::vector<ThreadContext*>& members) {
  WarpOperands warp = operands_of(block, members);
  const Code& first = members.front()->function->code[members.front()->pc];
  if (first.opcode == Opcode::warp_barrier) synchronize_warp(members);
  if (tries_all()) {
    TraceClock trace;
    for (const ThreadContext* member : members) join(trace, member->trace);
    for (ThreadContext* member : members) member->trace = trace;
  }
  if (first.opcode == Opcode::warp_reduce) {
    warp.reduced = warp.values[members.front()->index % 32];
    for (std::size_t at = 1; at < members.size(); ++at)
      warp.reduced = arithmetic_.atomic(first, warp.reduced, warp.values[members[at]->index % 32]);
  }
  for (ThreadContext* member : members) {
    set_warp_result(block, *member, warp);
    ++member->pc;
    set_state(*member, ThreadState::runs);
  }
}

GpuMachine::WarpOperands GpuMachine::operands_of(BlockState& block, const std::vector<ThreadContext*>& members) {
  WarpOperands warp;
  for (ThreadContext* member : members) {
    const Code& code = member->function->code[member->pc];
    const std::uint32_t lane = member->index % 32;
    Value& operand = warp.values[lane];
    warp.present |= std::uint32_t{1} << lane;
    if (code.from[0] != no_operand && code.opcode != Opcode::warp_barrier)
      operand = value(block, *member, code.from[0]);
    if (code.opcode != Opcode::shuffle) use(operand);
    if (((operand.bits & 1) != 0) != code.has(Code::is_negated)) warp.true_for |= std::uint32_t{1} << lane;
  }
  return warp;
}

void GpuMachine::set_warp_result(BlockState& block, ThreadContext& thread, const WarpOperands& warp) {
  const Code& code = thread.function->code[thread.pc];
  const auto set_both = [&](std::uint64_t bits, bool also) {
    set(thread, code.to, concrete(bits));
    set(thread, code.also_to, concrete(also ? 1 : 0));
  };
  switch (code.opcode) {
    case Opcode::shuffle: return shuffle(block, thread, code, warp);
    case Opcode::vote: return set(thread, code.to, concrete(warp.voted(static_cast<VoteMode>(code.mode))));
    case Opcode::match: {
      const std::uint32_t same = warp.same_as(thread.index % 32);
      const bool all = same == warp.present;
      return set_both(code.mode == 1 ? same : all ? warp.present : 0, all);
    }
    case Opcode::warp_reduce: return set(thread, code.to, warp.reduced);
    case Opcode::elect: {
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(warp.present));
      return set_both(leader, thread.index % 32 == leader);
    }
    default: return;
  }
}

void GpuMachine::shuffle(BlockState& block, ThreadContext& thread, const Code& code, const WarpOperands& warp) {
  use(value(block, thread, code.from[1]));
  const auto by = static_cast<std::uint32_t>(value(block, thread, code.from[1]).bits);
  const auto bounds = static_cast<std::uint32_t>(value(block, thread, code.from[2]).bits);
  const std::uint32_t lane = thread.index % 32;
  const int from = shuffled_from(static_cast<ShuffleMode>(code.mode), lane, by, bounds);
  if (from >= 0 && (warp.present >> from & 1) == 0 && code.to != no_operand)
    fail(thread, FindingKind::divergent_barrier, "the shuffle reads a lane that isn't in its mask");
  set(thread, code.to, warp.values[from >= 0 ? static_cast<std::size_t>(from) : lane]);
  set(thread, code.also_to, concrete(from >= 0 ? 1 : 0));
}

std::uint32_t GpuMachine::WarpOperands::voted(VoteMode mode) const {
  switch (mode) {
    case VoteMode::all: return true_for == present ? 1 : 0;
    case VoteMode::any: return true_for != 0 ? 1 : 0;
    case VoteMode::uniform: return true_for == present || true_for == 0 ? 1 : 0;
    case VoteMode::ballot: return true_for;
  }
  return 0;
}

std::uint32_t GpuMachine::WarpOperands::same_as(std::uint32_t lane) const {
  std::uint32_t same = 0;
  for (std::uint32_t other = 0; other < 32; ++other)
    if ((present >> other & 1) != 0 && values[other].bits == values[lane].bits) same |= std::uint32_t{1} << other;
  return same;
}

}  // namespace onceover::gpu
