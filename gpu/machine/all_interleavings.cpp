// Runs through all interleavings, one after the other.
//
// The first thread that can run does, until it comes to a strong access. Weak accesses need no choice: if no run has a
// race, they are ordered, and races are found by clocks in whatever order they run. At a strong access there are two
// ways. The thread goes on: a read then chooses one of the writes that it may return. Or it waits until another thread
// has accessed the same place. This is needed only if, in some run, such an access follows that doesn't depend on the
// first one: then that asks for it. So two runs differ in what some read returned or in the order of two atomics, and
// each such difference is tried.
//
// A thread that comes back to where it was, with the same registers, and has only read, has done nothing. It goes back
// to where it was before its first read, and waits for a change of what it read. A loop that spins is one read.
#include <algorithm>

#include "gpu/machine/machine.h"
#include "gpu/machine/slots.h"

namespace onceover::gpu {
namespace {

constexpr std::size_t most_read_points = 64;

bool is_skipped(const ThreadContext& thread, const Code& code) {
  return code.guard >= 0 && ((thread.registers[code.guard].bits & 1) != 0) == code.guard_is_negated;
}

/// Does more than compute, read or branch?
bool acts(Opcode opcode) {
  switch (opcode) {
    case Opcode::store:
    case Opcode::store_param:
    case Opcode::atomic:
    case Opcode::reduction:
    case Opcode::multimem_store:
    case Opcode::multimem_reduction:
    case Opcode::barrier_sync:
    case Opcode::barrier_arrive:
    case Opcode::barrier_reduce:
    case Opcode::warp_barrier:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::warp_reduce:
    case Opcode::elect:
    case Opcode::call:
    case Opcode::call_pointer:
    case Opcode::leave:
    case Opcode::exit: return true;
    default: return false;
  }
}

TracePointer version_of(const TrackedCell& cell) {
  return cell.sync == nullptr ? nullptr : cell.sync->trace;
}

bool share_a_cell(const std::vector<TrackedCell*>& some, const std::vector<TrackedCell*>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](TrackedCell* cell) { return std::find(others.begin(), others.end(), cell) != others.end(); });
}

/// Of the earlier and the later of two accesses: may the earlier one see or do something else if it comes later?
bool depends(bool writes, bool later_writes, bool later_is_atomic, bool keeps_older) {
  if (!writes) return later_writes;
  return later_writes || later_is_atomic || !keeps_older;
}

}  // namespace

ThreadContext& GpuMachine::first_running(std::uint32_t warp) {
  BlockState& block = *blocks_[seats_.seat_of(warp * 32)];
  return *std::find_if(block.threads.begin() + warp * 32 % threads_per_seat_, block.threads.end(),
                       [](const ThreadContext& thread) { return thread.state == ThreadState::runs; });
}

/// Runs the thread until it can't, it waits, or its turn is over.
void GpuMachine::advance(ThreadContext& thread) {
  constexpr int turn = 4096;
  BlockState& block = block_of(thread);
  for (int k = 0; k < turn && thread.state == ThreadState::runs; ++k) {
    const Code& code = thread.function->code[thread.pc];
    if (is_skipped(thread, code)) {
      step(block, thread);
      continue;
    }
    const auto access = followed_access(block, thread, code);
    if (!access) {
      if (acts(code.opcode)) settle(thread);
      step(block, thread);
      continue;
    }
    if (went_round_in_vain(thread)) return;
    std::size_t choice = 0;
    std::erase_if(woken_, [&](const DelayedThread& woken) { return woken.thread == thread.id; });
    if (access->is_strong) {
      choice = options_.choices->choose_to_go();
      if (options_.choices->is_to_wait(choice)) return delay(thread, *access);
    }
    if (code.opcode != Opcode::store) note_read_point(thread);
    access_followed(block, thread, *access, choice);
  }
}

/// What the thread is about to access, unless it is a weak write or memory of its own.
std::optional<GpuMachine::FollowedAccess> GpuMachine::followed_access(BlockState& block, ThreadContext& thread,
                                                                      const Code& code) {
  FollowedAccess access;
  const std::uint32_t bytes = code.type.bytes * code.part_count;
  const auto add = [&](Region& region, std::uint64_t offset) {
    for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) access.cells.push_back(&region.cell(at));
  };
  switch (code.opcode) {
    case Opcode::fence:
      if (code.order != Order::sc) return std::nullopt;
      access.cells.push_back(&all_fences_);
      access.may_write = true;
      return access;
    case Opcode::load:
    case Opcode::store:
    case Opcode::atomic:
    case Opcode::reduction: {
      access.may_write = code.opcode != Opcode::load;
      const Target at = resolve(block, thread, code, address_of(block, thread, code), bytes, access.may_write);
      if (!at.region->is_tracked()) return std::nullopt;
      access.is_atomic = code.opcode == Opcode::atomic || code.opcode == Opcode::reduction;
      access.is_strong = access.is_atomic || order_of(code, *at.region) != Order::weak;
      access.keeps_older = may_be_older(*at.region);
      if (!access.is_strong && access.may_write) return std::nullopt;
      add(*at.region, at.offset);
      if (bytes < 4) access.mask = bytes_in_cell(at.offset, bytes);
      return access;
    }
    case Opcode::multimem_load:
    case Opcode::multimem_store:
    case Opcode::multimem_reduction: {
      std::uint64_t offset = 0;
      const Multicast* multicast = memory_.multicast_at(address_of(block, thread, code), offset);
      if (multicast == nullptr || !memory_.buffer(multicast->buffers.front()).has(offset, bytes)) return std::nullopt;
      access.may_write = code.opcode != Opcode::multimem_load;
      access.is_atomic = code.opcode == Opcode::multimem_reduction;
      access.is_strong = code.order != Order::weak;
      if (!access.is_strong && access.may_write) return std::nullopt;
      for (const std::size_t buffer : multicast->buffers) add(memory_.buffer(buffer), offset);
      return access;
    }
    default: return std::nullopt;
  }
}

/// Has it come back to a read with the same registers, having only read? Then it is where it was before that read.
bool GpuMachine::went_round_in_vain(ThreadContext& thread) {
  if (!thread.frames.empty()) return false;
  auto& points = thread.read_points;
  const std::vector<bool>& needed = needed_registers(*thread.function, thread.pc);
  const auto is_here = [&](const ReadPoint& point) {
    if (point.pc != thread.pc || point.function != thread.function) return false;
    for (std::size_t slot = 0; slot < needed.size(); ++slot)
      if (needed[slot] && !(point.registers[slot] == thread.registers[slot])) return false;
    return true;
  };
  const auto found = std::find_if(points.begin(), points.end(), is_here);
  if (found == points.end()) return false;
  for (auto point = found; point != points.end(); ++point)
    for (const std::uint32_t id : point->woken) delay_again(id);
  bool is_latest = true;
  std::vector<TrackedCell*> cells;
  for (auto point = found; point != points.end(); ++point) {
    if (point->has_read_older) {
      points.clear();
      throw Redundant();
    }
    for (const auto& [cell, version] : point->reads) {
      is_latest = is_latest && version_of(*cell) == version;
      cells.push_back(cell);
    }
  }
  const std::uint32_t count = thread.id < found->trace.size() ? found->trace[thread.id] : 0;
  for (TrackedCell* cell : cells)
    std::erase_if(access_log_[cell],
                  [&](const LoggedAccess& past) { return past.thread == thread.id && past.count > count; });
  std::copy(found->registers.begin(), found->registers.end(), thread.registers);
  thread.sync = found->sync;
  thread.seen = found->seen;
  thread.visible = found->visible;
  thread.trace = found->trace;
  points.erase(found, points.end());
  if (!is_latest) return true;
  for (TrackedCell* cell : cells) cell->synced().watchers.push_back(thread.id);
  set_state(thread, ThreadState::parked);
  return true;
}

void GpuMachine::note_read_point(ThreadContext& thread) {
  if (!thread.frames.empty()) return;
  ReadPoint point;
  point.function = thread.function;
  point.pc = thread.pc;
  point.registers.assign(thread.registers, thread.registers + thread.function->slots);
  point.sync = thread.sync;
  point.seen = thread.seen;
  point.visible = thread.visible;
  point.trace = thread.trace;
  if (thread.read_points.size() == most_read_points) {
    for (const std::size_t choice : thread.read_points.front().asks) options_.choices->ask_to_wait(choice);
    thread.read_points.erase(thread.read_points.begin());
  }
  thread.read_points.push_back(std::move(point));
}

/// What the thread has read wasn't in vain.
void GpuMachine::settle(ThreadContext& thread) {
  for (const ReadPoint& point : thread.read_points)
    for (const std::size_t choice : point.asks) options_.choices->ask_to_wait(choice);
  thread.read_points.clear();
}

void GpuMachine::settle_all() {
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    for (ThreadContext& thread : block->threads) settle(thread);
  }
}

/// Delays a thread again that was woken in vain.
void GpuMachine::delay_again(std::uint32_t id) {
  const auto found =
      std::find_if(woken_.begin(), woken_.end(), [&](const DelayedThread& woken) { return woken.thread == id; });
  if (found == woken_.end()) return;
  delayed_.push_back(std::move(*found));
  woken_.erase(found);
  set_state(*thread_of(id), ThreadState::parked);
}

/// The thread waits for an access that its own depends on. A read then returns a later write, since earlier ones are
/// tried without waiting.
void GpuMachine::delay(ThreadContext& thread, const FollowedAccess& access) {
  delayed_.push_back({thread.id, access});
  set_state(thread, ThreadState::parked);
  if (access.may_write || !access.keeps_older || access.cells.size() != 1) return;
  const CellSync* sync = access.cells.front()->sync.get();
  thread.awaited = access.cells.front();
  thread.awaited_from = sync == nullptr ? 1 : sync->dropped + std::max<std::size_t>(1, sync->older.size());
}

void GpuMachine::access_followed(BlockState& block, ThreadContext& thread, const FollowedAccess& access,
                                 std::size_t choice) {
  const TraceClock before = thread.trace;
  if (access.is_strong) {
    check_places(thread.function->code[thread.pc], access);
    if (thread.trace.size() <= thread.id) thread.trace.resize(thread.id + 1);
    ++thread.trace[thread.id];
  }
  std::vector<ReadPoint::Read> reads;
  for (TrackedCell* cell : access.cells) reads.push_back({cell, version_of(*cell)});
  chose_older_ = false;
  const std::uint64_t stores = stores_;
  const Code& code = thread.function->code[thread.pc];
  step(block, thread);
  thread.awaited = nullptr;
  const bool writes = access.may_write && (code.opcode != Opcode::atomic || stores_ != stores);
  if (writes) {
    settle(thread);
  } else if (!thread.read_points.empty()) {
    thread.read_points.back().reads = std::move(reads);
    thread.read_points.back().has_read_older = chose_older_;
  }
  if (!access.is_strong) return;
  log_access(thread, access, writes, before, choice);
  wake_delayed(thread, access, writes);
}

/// Choices are made by words.
void GpuMachine::check_places(const Code& code, const FollowedAccess& access) {
  if (code.opcode == Opcode::fence || code.type.bytes >= 4) return;
  if (code.part_count > 1) order_matters("strong vectors of elements of fewer than four bytes");
  for (const TrackedCell* cell : access.cells) {
    const auto [known, is_new] = small_places_.try_emplace(cell, access.mask);
    if (!is_new && known->second != access.mask) order_matters("strong accesses of different bytes of one word");
  }
}

/// Asks for those to wait that this one follows, but doesn't depend on.
void GpuMachine::log_access(ThreadContext& thread, const FollowedAccess& access, bool writes, const TraceClock& before,
                            std::size_t choice) {
  for (TrackedCell* cell : access.cells) {
    std::vector<LoggedAccess>& log = access_log_[cell];
    for (const LoggedAccess& past : log)
      if (past.thread != thread.id && depends(past.writes, writes, access.is_atomic, access.keeps_older) &&
          !knows(before, past.thread, past.count)) {
        if (writes || thread.read_points.empty())
          options_.choices->ask_to_wait(past.choice);
        else
          thread.read_points.back().asks.push_back(past.choice);
      }
    log.push_back({thread.id, thread.trace[thread.id], choice, writes});
  }
}

void GpuMachine::wake_delayed(ThreadContext& thread, const FollowedAccess& access, bool writes) {
  std::erase_if(delayed_, [&](const DelayedThread& delayed) {
    if (!share_a_cell(delayed.access.cells, access.cells)) return false;
    if (!depends(delayed.access.may_write, writes, access.is_atomic, access.keeps_older)) return false;
    woken_.push_back(delayed);
    if (!writes && !thread.read_points.empty()) thread.read_points.back().woken.push_back(delayed.thread);
    set_state(*thread_of(delayed.thread), ThreadState::runs);
    return true;
  });
}

/// By slots: is the register needed at the instruction?
const std::vector<bool>& GpuMachine::needed_registers(const CodeFunction& function, std::uint32_t pc) {
  auto& needed = needed_[&function];
  if (needed.empty()) needed = registers_needed(function);
  return needed[pc];
}

/// Chooses the write that a load reads, among those that the memory model allows, the latest first.
std::size_t GpuMachine::choose_write(const ThreadContext& thread, const TrackedCell& cell, std::uint8_t mask,
                                     std::size_t oldest) {
  const CellSync& sync = *cell.sync;
  std::vector<std::size_t> allowed;
  for (std::size_t at = sync.older.size(); at-- > oldest;) {
    const bool is_too_early = &cell == thread.awaited && sync.dropped + at < thread.awaited_from;
    const bool concerns = (sync.older[at].mask & mask) != 0;
    if (concerns && !is_too_early && is_whole(sync, mask, at)) allowed.push_back(at);
  }
  if (allowed.empty()) throw Redundant();
  const std::size_t chosen = allowed[options_.choices->choose(static_cast<std::uint32_t>(allowed.size()))];
  chose_older_ = chose_older_ || chosen != allowed.front();
  return chosen;
}

}  // namespace onceover::gpu
