#include <algorithm>
#include <cstring>

#include "gpu/machine/machine.h"

namespace onceover::gpu {
namespace {

std::uint64_t hashed(std::uint64_t hash, std::uint64_t more) {
  return (hash ^ more) * 0x9E3779B97F4A7C15u + (hash >> 32);
}

/// What a store of the value puts into a cell: the value's bytes from `from` on, behind `skipped` bytes of the cell.
WrittenValue part_of(const Value& value, std::uint64_t from, std::uint64_t skipped) {
  WrittenValue part;
  part.bits = static_cast<std::uint32_t>(value.bits >> (8 * from) << (8 * skipped));
  for (std::size_t lane = skipped / 2; lane < 2; ++lane) part.lanes[lane] = value.lanes[from / 2 + lane - skipped / 2];
  return part;
}

}  // namespace

std::uint64_t GpuMachine::address_of(BlockState& block, ThreadContext& thread, const Code& code) {
  const Value& base = value(block, thread, code.from[0]);
  if (!base.is_concrete()) {
    check_is_written(thread, base, "is used as an address");
    use(base);
  }
  return base.bits + static_cast<std::uint64_t>(code.offset);
}

/// Where `bytes` at the address are. They must be one region's, aligned as a whole, and writable if they are written.
GpuMachine::Target GpuMachine::resolve(BlockState& block, ThreadContext& thread, const Code& code,
                                       std::uint64_t address, std::uint32_t bytes, bool writes) {
  const std::uint64_t window = code.space == ptx::StateSpace::generic ? address & window_mask : 0;
  Target target{nullptr, 0};
  if (code.space == ptx::StateSpace::shared || window == shared_window) {
    const std::uint64_t in_cluster = address >> 24 & 0xFF;
    BlockState* owner = &block;
    if (in_cluster != 0) {
      const auto first = block.seat - block.index % static_cast<std::uint32_t>(block.kernel->run->cluster.count());
      owner = blocks_[first + in_cluster - 1].get();
      if (owner == nullptr) fail(thread, FindingKind::wild_address, "shared memory of a block that doesn't run");
    }
    target = {owner->shared.get(), address & 0xFFFFFF};
  } else if (code.space == ptx::StateSpace::local || window == local_window) {
    if (thread.local == nullptr) thread.local = unset_memory(block, "local memory", code_.local_bytes, false);
    target = {thread.local.get(), address & ~window_mask};
  } else if (window == param_window) {
    target = {block.kernel->arguments.get(), address & ~window_mask};
  } else {
    target.region = memory_.at(address);
    if (target.region != nullptr) target.offset = address - target.region->base();
  }
  if (target.region == nullptr) {
    std::uint64_t offset = 0;
    if (memory_.multicast_at(address, offset) != nullptr)
      fail(thread, FindingKind::unsupported,
           "a multicast address in an instruction other than multimem isn't supported");
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    fail(thread, FindingKind::wild_address, std::string("nothing is at the address ") + text);
  }
  if (!target.region->has(target.offset, bytes)) {
    fail_at(thread, FindingKind::out_of_bounds, *target.region, target.offset,
            std::to_string(bytes) + " bytes at " + std::to_string(target.offset) + ", but there are " +
                std::to_string(target.region->size()));
  }
  if (target.offset % bytes != 0)
    fail_at(thread, FindingKind::misaligned, *target.region, target.offset,
            "the address isn't a multiple of " + std::to_string(bytes));
  if (writes && target.region->is_constant())
    fail_at(thread, FindingKind::write_of_constant, *target.region, target.offset,
            "a store to memory that is constant");
  return target;
}

Order GpuMachine::order_of(const Code& code, const Region& region) const {
  const bool is_granted =
      options_.grants.weak_stores_seen && code.order == Order::weak && region.is_tracked() && region.base() != 0;
  return is_granted ? Order::relaxed : code.order;
}

Scope GpuMachine::scope_of(const Code& code, const Region& region) const {
  return code.order == Order::weak && order_of(code, region) != Order::weak ? Scope::sys : code.scope;
}

void GpuMachine::load(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint32_t bytes = code.type.bytes;
  const Target target = resolve(block, thread, code, address_of(block, thread, code), bytes * code.part_count, false);
  parts_read_.clear();
  for (std::uint32_t part = 0; part < code.part_count; ++part) {
    const Target at{target.region, target.offset + std::uint64_t{part} * bytes};
    const OperandRef to = thread.function->references[code.parts + part];
    if (bytes == 16) {
      load_wide(thread, code, at, to);
      continue;
    }
    Value loaded = load_element(thread, code, at, bytes);
    if (code.type.is_signed() && bytes < 4) loaded.bits = static_cast<std::uint64_t>(as_signed(loaded.bits, bytes));
    mark(thread, loaded);
    set(thread, to, loaded);
  }
}

/// A register of 128 bits, in two slots. Its halves are read at once.
void GpuMachine::load_wide(ThreadContext& thread, const Code& code, Target at, OperandRef to) {
  Value high;
  Value low = load_element(thread, code, at, 16, &high);
  mark(thread, low);
  mark(thread, high);
  note_load(thread, {at.region, at.offset + 8}, high);
  if (to == no_operand) return;
  thread.registers[static_cast<std::int32_t>(to)] = low;
  thread.registers[static_cast<std::int32_t>(to) + 1] = high;
}

/// Of 16 bytes, `high` gets the upper half.
Value GpuMachine::load_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes, Value* high) {
  Region& region = *at.region;
  const Value loaded = region.load(at.offset, std::min<std::uint32_t>(bytes, 8), *terms_);
  if (high != nullptr) *high = region.load(at.offset + 8, 8, *terms_);
  if (!region.is_tracked()) return loaded;
  const Order order = order_of(code, region);
  const Scope scope = scope_of(code, region);
  std::uint8_t flags = order == Order::weak ? 0 : AccessRecord::is_strong;
  if (code.has(Code::is_non_coherent)) flags |= AccessRecord::is_non_coherent;
  track(thread, region, at.offset, bytes, flags, scope, scalar_bytes(code, bytes));
  if (order != Order::weak && may_be_older(region)) return load_older(thread, code, at, bytes, high);
  if (order != Order::weak) {
    read_sync(thread, region, at.offset, bytes, scalar_bytes(code, bytes), order, scope);
    observe_latest(thread, region, at.offset, bytes, scalar_bytes(code, bytes), scope);
  }
  note_load(thread, at, loaded);
  return loaded;
}

/// A strong read is after the latest write and those that it continues, if it is morally strong with it.
void GpuMachine::observe_latest(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                                std::uint32_t scalar, Scope scope) {
  for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
    const CellSync* sync = region.cell(at).sync.get();
    if (sync != nullptr && sync->trace != nullptr) join(thread.trace, *sync->trace);
    if (sync == nullptr || !sync->is_strong || sync->writer == thread.id) continue;
    if (!is_of(*sync, bytes_in_cell(at, offset, bytes))) continue;
    if (!are_morally_strong(thread, scope, scalar, sync->writer, sync->scope, sync->bytes)) continue;
    synchronization_.observe(thread.sync, {sync->writer, sync->moment});
    for (const SingleWrite& write : sync->sequence) synchronization_.observe(thread.sync, write);
  }
}

/// What the latest write passes on to a strong read that is morally strong with it.
void GpuMachine::read_sync(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                           std::uint32_t scalar, Order order, Scope scope) {
  const std::vector<Release>* latest = nullptr;
  for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
    const CellSync* sync = region.cell(at).sync.get();
    if (sync == nullptr || !sync->is_strong || sync->releases.get() == latest) continue;
    if (!is_of(*sync, bytes_in_cell(at, offset, bytes))) continue;
    if (!are_morally_strong(thread, scope, scalar, sync->writer, sync->scope, sync->bytes)) continue;
    synchronization_.read(thread.sync, thread.id, order, scope, sync->releases);
    latest = sync->releases.get();
  }
}

/// Does what the cell knows of its latest strong write concern these bytes of it? A cell keeps one such write. If it is
/// of other bytes, what one of these would have passed on is lost, so that there may seem to be a race.
bool GpuMachine::is_of(const CellSync& sync, std::uint8_t mask) {
  if (sync.mask == mask) return true;
  outcome_.approximation = "strong accesses of different bytes of one word aren't modelled exactly";
  order_matters("strong accesses of different bytes of one word");
  return false;
}

bool GpuMachine::are_morally_strong(const ThreadContext& thread, Scope scope, std::uint32_t bytes, std::uint32_t other,
                                    Scope other_scope, std::uint32_t other_bytes) const {
  return bytes == other_bytes && seats_.includes(scope, thread.id, other) &&
         seats_.includes(other_scope, other, thread.id);
}

void GpuMachine::note_load(ThreadContext& thread, Target at, const Value& value) {
  constexpr std::size_t most_watched = 64;
  thread.loads = hashed(hashed(thread.loads, value.bits), at.offset + at.region->base());
  for (const Lane lane : value.lanes) thread.loads += lane.word() * std::uint64_t{0x632BE59BD9B4E019};
  if (!at.region->is_tracked()) return;
  if (recorder_ != nullptr) recorder_->loaded(*at.region, at.offset, value.bits, [&] { return site_of(thread); });
  if (thread.watched.size() < most_watched)
    thread.watched.push_back(&at.region->cell(at.offset));
  else
    thread.has_acted = true;
  thread.spin_region = at.region;
  thread.spin_offset = at.offset;
  thread.spin_bits = value.bits;
  thread.spin_pc = thread.pc;
}

void GpuMachine::store(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint32_t bytes = code.type.bytes;
  const Target target = resolve(block, thread, code, address_of(block, thread, code), bytes * code.part_count, true);
  ++stores_;
  for (std::uint32_t part = 0; part < code.part_count; ++part) {
    const Target at{target.region, target.offset + std::uint64_t{part} * bytes};
    const OperandRef from = thread.function->references[code.parts + part];
    if (bytes == 16) {
      const auto slot = static_cast<std::int32_t>(from);
      if (slot < 0)
        fail(thread, FindingKind::unsupported, "a store of 128 bits that aren't a register isn't supported");
      store_element(thread, code, at, 16, thread.registers[slot], &thread.registers[slot + 1]);
    } else {
      store_element(thread, code, at, bytes, value(block, thread, from), nullptr);
    }
  }
}

/// `high` is the upper half of 128 bits.
void GpuMachine::store_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes,
                               const Value& value, const Value* high) {
  Region& region = *at.region;
  const Order order = order_of(code, region);
  const Scope scope = scope_of(code, region);
  const bool is_strong = order != Order::weak;
  const std::uint32_t low_bytes = std::min<std::uint32_t>(bytes, 8);
  if (region.is_tracked()) {
    use(value);
    if (high != nullptr) use(*high);
    if (is_strong) ++thread.sync.now.tick;
    const bool is_unchanged =
        holds(region, at.offset, low_bytes, value) && (high == nullptr || holds(region, at.offset + 8, 8, *high));
    storing_ = {&value, high, is_unchanged};
    track(thread, region, at.offset, bytes,
          static_cast<std::uint8_t>(AccessRecord::is_write | (is_strong ? AccessRecord::is_strong : 0)), scope,
          scalar_bytes(code, bytes));
    storing_ = {};
  }
  remember_first(region, at.offset, bytes);
  bool changes = region.store(at.offset, low_bytes, value, *terms_);
  if (high != nullptr) changes = region.store(at.offset + 8, 8, *high, *terms_) || changes;
  thread.has_acted = thread.has_acted || changes;
  if (!region.is_tracked()) return;
  Releases releases;
  if (is_strong)
    releases =
        synchronization_.write(thread.sync, thread.id, order, scope, releases_of(region, at.offset, bytes), false);
  written(thread, region, at.offset, bytes, scalar_bytes(code, bytes), is_strong, scope, releases, false, changes);
  if (is_strong) ++thread.sync.now.tick;
}

/// Is an atomic there morally strong with the write that it reads? Then it passes on what that did.
bool GpuMachine::continues_sequence(const ThreadContext& thread, Region& region, std::uint64_t offset,
                                    std::uint32_t bytes, Scope scope) {
  const CellSync* sync = region.cell(offset).sync.get();
  if (sync == nullptr || !sync->is_strong || !is_of(*sync, bytes_in_cell(offset / 4 * 4, offset, bytes))) return false;
  return sync->writer == thread.id || are_morally_strong(thread, scope, bytes, sync->writer, sync->scope, sync->bytes);
}

bool GpuMachine::holds(const Region& region, std::uint64_t offset, std::uint32_t bytes, const Value& value) const {
  if (bytes == 1)
    return region.bytes()[offset] == static_cast<std::uint8_t>(value.bits) && value.is_concrete() &&
           region.lanes()[offset / 2].is_empty();
  return std::memcmp(region.bytes() + offset, &value.bits, bytes) == 0 &&
         std::memcmp(region.lanes() + offset / 2, value.lanes.data(), bytes / 2 * sizeof(Lane)) == 0;
}

const Releases& GpuMachine::releases_of(Region& region, std::uint64_t offset, std::uint32_t bytes) {
  static const Releases none;
  const CellSync* sync = region.cell(offset).sync.get();
  if (sync == nullptr || sync->releases == nullptr) return none;
  return is_of(*sync, bytes_in_cell(offset / 4 * 4, offset, bytes)) ? sync->releases : none;
}

/// The writes before a new one in coherence, as far as that is certain: those before the latest write, and that itself,
/// if the thread knows it or if an atomic reads it. Only a sequence of atomics makes them causal.
void GpuMachine::extend_sequence(const ThreadContext& thread, CellSync& sync, bool continues) const {
  const bool is_known = sync.is_strong && (continues || sync.writer == thread.id ||
                                           synchronization_.knows_coherent(thread.sync, sync.writer, sync.moment));
  if (!is_known) {
    sync.sequence.clear();
    return;
  }
  if (!continues)
    for (SingleWrite& write : sync.sequence) write.is_causal = false;
  std::erase_if(sync.sequence,
                [&](const SingleWrite& write) { return write.thread == thread.id || write.thread == sync.writer; });
  if (sync.writer != thread.id) sync.sequence.push_back({sync.writer, sync.moment, continues});
}

/// What a write leaves in its cells: what it passes on, and threads that wake.
void GpuMachine::written(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                         std::uint32_t scalar, bool is_strong, Scope scope, const Releases& releases, bool continues,
                         bool changes) {
  for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
    TrackedCell& cell = region.cell(at);
    const std::uint8_t mask = bytes_in_cell(at, offset, bytes);
    if (is_strong) {
      CellSync& sync = cell.synced();
      if (sync.is_strong && !is_of(sync, mask)) sync.is_strong = false;
      extend_sequence(thread, sync, continues);
      sync.releases = releases;
      sync.is_strong = true;
      sync.writer = thread.id;
      sync.moment = thread.sync.now;
      sync.scope = scope;
      sync.bytes = scalar;
      sync.mask = mask;
    } else if (cell.sync != nullptr && (cell.sync->mask & mask) != 0) {
      cell.sync->releases = nullptr;
      cell.sync->is_strong = false;
      cell.sync->sequence.clear();
    }
    if (tries_all() && cell.sync != nullptr) cell.sync->trace = std::make_shared<const TraceClock>(thread.trace);
    if (changes) wake(cell);
  }
  if (recorder_ != nullptr && is_strong && region.base() != 0) recorder_->written(region, offset);
  if (changes) ++progress_;
  if (may_be_older(region)) remember(thread, region, offset, bytes, scalar, is_strong, scope);
}

void GpuMachine::wake(TrackedCell& cell) {
  if (cell.sync == nullptr || cell.sync->watchers.empty()) return;
  std::vector<std::uint32_t> watchers;
  watchers.swap(cell.sync->watchers);
  for (const std::uint32_t id : watchers) {
    ThreadContext* thread = thread_of(id);
    if (thread == nullptr || thread->state != ThreadState::parked) continue;
    thread->loop = -1;
    thread->has_had_patience = false;
    set_state(*thread, ThreadState::runs);
  }
}

void GpuMachine::atomic(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint32_t bytes = code.type.bytes;
  const Target target = resolve(block, thread, code, address_of(block, thread, code), bytes * code.part_count, true);
  const bool swaps = static_cast<AtomicOperation>(code.mode) == AtomicOperation::compare_and_swap;
  if (bytes == 16) return atomic_wide(thread, code, target);
  const Value replacement = swaps ? value(block, thread, code.from[1]) : Value{};
  for (std::uint32_t part = 0; part < code.part_count; ++part) {
    const Target at{target.region, target.offset + std::uint64_t{part} * bytes};
    const Value operand = value(block, thread, thread.function->references[code.parts + part]);
    const Value old = update_element(thread, code, at, bytes, operand, swaps ? &replacement : nullptr);
    if (code.has(Code::has_result)) set(thread, thread.function->references[code.parts + code.part_count + part], old);
  }
}

/// Reads, and writes unless `replacement` is for another value than there is. Returns what was there.
Value GpuMachine::update_element(ThreadContext& thread, const Code& code, Target at, std::uint32_t bytes,
                                 const Value& operand, const Value* replacement) {
  Region& region = *at.region;
  const Value old = region.load(at.offset, bytes, *terms_);
  use(operand);
  if (replacement != nullptr) use(*replacement);
  const bool writes = replacement == nullptr || lowest(old.bits, bytes) == lowest(operand.bits, bytes);
  const Value made = replacement != nullptr ? *replacement : arithmetic_.atomic(code, old, operand);
  if (!region.is_tracked()) {
    if (writes) thread.has_acted = region.store(at.offset, bytes, made, *terms_) || thread.has_acted;
    return old;
  }
  const bool is_unchanged = writes && holds(region, at.offset, bytes, made);
  const auto flags = static_cast<std::uint8_t>(AccessRecord::is_strong | AccessRecord::is_atomic |
                                               (writes ? AccessRecord::is_write : 0) |
                                               (is_unchanged ? AccessRecord::is_unchanged : 0));
  ++thread.sync.now.tick;
  const auto observe = [&] { observe_latest(thread, region, at.offset, bytes, scalar_bytes(code, bytes), code.scope); };
  // What an exchange or a compare-and-swap does depends on what it reads, so it can't be lost to that write. What an
  // addition does can be, in another order.
  const bool is_swap = code.has(Code::has_result) &&
                       (replacement != nullptr || static_cast<AtomicOperation>(code.mode) == AtomicOperation::exchange);
  if (is_swap) observe();
  if (writes) storing_ = {&made, nullptr, is_unchanged};
  track(thread, region, at.offset, bytes, flags, code.scope, scalar_bytes(code, bytes));
  storing_ = {};
  observe();
  const bool continues = continues_sequence(thread, region, at.offset, scalar_bytes(code, bytes), code.scope);
  // The read of a reduction is no part of an acquire pattern.
  if (code.opcode != Opcode::reduction && code.opcode != Opcode::multimem_reduction)
    read_sync(thread, region, at.offset, bytes, scalar_bytes(code, bytes), code.order, code.scope);
  note_load(thread, at, old);
  if (writes) {
    const Releases before = releases_of(region, at.offset, bytes);
    ++stores_;
    remember_first(region, at.offset, bytes);
    const bool changes = region.store(at.offset, bytes, made, *terms_);
    thread.has_acted = thread.has_acted || changes;
    written(thread, region, at.offset, bytes, scalar_bytes(code, bytes), true, code.scope,
            synchronization_.write(thread.sync, thread.id, code.order, code.scope, before, continues), continues,
            changes);
  }
  ++thread.sync.now.tick;
  return old;
}

/// Exchange and compare-and-swap of 128 bits.
void GpuMachine::atomic_wide(ThreadContext& thread, const Code& code, Target at) {
  Region& region = *at.region;
  const auto slot_of = [&](OperandRef reference) {
    const auto slot = static_cast<std::int32_t>(reference);
    if (slot < 0)
      fail(thread, FindingKind::unsupported, "an atomic of 128 bits that aren't a register isn't supported");
    return slot;
  };
  const bool swaps = static_cast<AtomicOperation>(code.mode) == AtomicOperation::compare_and_swap;
  const std::array old{region.load(at.offset, 8, *terms_), region.load(at.offset + 8, 8, *terms_)};
  const auto operand = slot_of(thread.function->references[code.parts]);
  const auto made = swaps ? slot_of(code.from[1]) : operand;
  const bool writes =
      !swaps || (old[0].bits == thread.registers[operand].bits && old[1].bits == thread.registers[operand + 1].bits);
  bool continues = false;
  if (region.is_tracked()) {
    ++thread.sync.now.tick;
    observe_latest(thread, region, at.offset, 16, 16, code.scope);
    track(thread, region, at.offset, 16,
          static_cast<std::uint8_t>(AccessRecord::is_strong | AccessRecord::is_atomic |
                                    (writes ? AccessRecord::is_write : 0)),
          code.scope, 16);
    continues = continues_sequence(thread, region, at.offset, 16, code.scope);
    read_sync(thread, region, at.offset, 16, 16, code.order, code.scope);
    note_load(thread, at, old[0]);
  }
  if (writes) {
    const Releases before = region.is_tracked() ? releases_of(region, at.offset, 16) : nullptr;
    ++stores_;
    remember_first(region, at.offset, 16);
    bool changes = region.store(at.offset, 8, thread.registers[made], *terms_);
    changes = region.store(at.offset + 8, 8, thread.registers[made + 1], *terms_) || changes;
    thread.has_acted = thread.has_acted || changes;
    if (region.is_tracked())
      written(thread, region, at.offset, 16, 16, true, code.scope,
              synchronization_.write(thread.sync, thread.id, code.order, code.scope, before, continues), continues,
              changes);
  }
  if (region.is_tracked()) ++thread.sync.now.tick;
  const OperandRef to = thread.function->references[code.parts + 1];
  if (!code.has(Code::has_result) || to == no_operand) return;
  thread.registers[static_cast<std::int32_t>(to)] = old[0];
  thread.registers[static_cast<std::int32_t>(to) + 1] = old[1];
}

void GpuMachine::multimem(BlockState& block, ThreadContext& thread, const Code& code) {
  const std::uint64_t address = address_of(block, thread, code);
  std::uint64_t offset = 0;
  const Multicast* multicast = memory_.multicast_at(address, offset);
  if (multicast == nullptr) fail(thread, FindingKind::wild_address, "a multimem instruction needs a multicast address");
  add_note(
      "addresses of all ranks and plain ones of the same place are taken for one: PTX asks for fence.proxy.alias "
      "between them");
  for (const std::size_t buffer : multicast->buffers) check_multimem(thread, code, memory_.buffer(buffer), offset);
  if (code.opcode == Opcode::multimem_load) return multimem_load(thread, code, *multicast, offset);
  for (const std::size_t buffer : multicast->buffers) {
    for (std::uint32_t part = 0; part < code.part_count; ++part) {
      const Target at{&memory_.buffer(buffer), offset + std::uint64_t{part} * code.type.bytes};
      const Value operand = value(block, thread, thread.function->references[code.parts + part]);
      if (code.opcode == Opcode::multimem_store)
        store_element(thread, code, at, code.type.bytes, operand, nullptr);
      else
        update_element(thread, code, at, code.type.bytes, operand, nullptr);
    }
  }
}

void GpuMachine::check_multimem(ThreadContext& thread, const Code& code, Region& region, std::uint64_t offset) {
  const std::uint32_t bytes = code.type.bytes * code.part_count;
  if (!region.has(offset, bytes))
    fail_at(thread, FindingKind::out_of_bounds, region, offset, std::to_string(bytes) + " bytes past the end");
  if (offset % bytes != 0)
    fail_at(thread, FindingKind::misaligned, region, offset,
            "the address isn't a multiple of " + std::to_string(bytes));
  if (region.is_constant() && code.opcode != Opcode::multimem_load)
    fail_at(thread, FindingKind::write_of_constant, region, offset, "a store to memory that is constant");
}

/// The switch adds in an order that it doesn't tell. The bits are those of the ranks' order.
void GpuMachine::multimem_load(ThreadContext& thread, const Code& code, const Multicast& multicast,
                               std::uint64_t offset) {
  const std::uint32_t bytes = code.type.bytes;
  for (std::uint32_t part = 0; part < code.part_count; ++part) {
    std::optional<Value> sum;
    for (const std::size_t buffer : multicast.buffers) {
      const Target at{&memory_.buffer(buffer), offset + std::uint64_t{part} * bytes};
      const Value loaded = load_element(thread, code, at, bytes);
      sum = sum ? arithmetic_.atomic(code, *sum, loaded) : loaded;
    }
    Value result = *sum;
    if (!result.is_concrete() && multicast.buffers.size() > 1) {
      for (std::uint32_t scalar = 0; scalar < code.type.scalars; ++scalar) {
        const ValueTerm term = arithmetic_.term(result, code.type.element, scalar);
        if (term != ValueTerm::none && (*terms_)[term].kind == TermKind::combined)
          arithmetic_.set_term(result, code.type.element, scalar,
                               terms_->switched(code.type.element, term, ++switched_));
      }
    }
    set(thread, thread.function->references[code.parts + part], result);
  }
}

void GpuMachine::track(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                       std::uint8_t flags, Scope scope, std::uint32_t scalar) {
  const std::uint32_t site = thread.function->first_site + thread.function->code[thread.pc].source;
  track(thread.sync, thread.id, site, block_of(thread).kernel->call, region, offset, bytes, flags, scope, scalar);
}

void GpuMachine::track(const ThreadSync& sync, std::uint32_t thread, std::uint32_t site, std::uint32_t call,
                       Region& region, std::uint64_t offset, std::uint32_t bytes, std::uint8_t flags, Scope scope,
                       std::uint32_t scalar) {
  const AccessHistory::Knowledge knowledge{seats_,       *sync.clock,   *sync.reads,
                                           *sync.launch, sync.observed, options_.grants.lockstep};
  AccessRecord record;
  record.thread = thread;
  record.moment = sync.now;
  record.site = site;
  record.call = static_cast<std::uint16_t>(call);
  record.flags = flags;
  record.scope = scope;
  record.bytes = static_cast<std::uint8_t>(scalar);
  const bool is_strong_write = record.writes() && record.is(AccessRecord::is_strong);
  if (recorder_ != nullptr && recorder_->wants(region, offset, bytes, is_strong_write))
    recorder_->access(site_of(record), region, offset, bytes, record.writes(), record.is(AccessRecord::is_strong));
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const std::uint64_t end = std::min(at / 4 * 4 + 4, offset + bytes);
    record.mask = bytes_in_cell(at, end - at);
    add_access(record, knowledge, region, at, at - offset);
    at = end;
  }
}

/// Of one cell; `distance` is that from the first byte of the access.
void GpuMachine::add_access(const AccessRecord& record, const AccessHistory::Knowledge& knowledge, Region& region,
                            std::uint64_t at, std::uint64_t distance) {
  AccessHistory& accesses = region.cell(at).accesses;
  if (!examined_.empty() && examined_.contains(number_of_cell(region, at))) {
    const WrittenValue value = storing_.low == nullptr
                                   ? WrittenValue{}
                                   : part_of(distance < 8 ? *storing_.low : *storing_.high, distance % 8, at % 4);
    if (!accesses.add_exactly(record, storing_.low == nullptr ? nullptr : &value, knowledge, conflicts_))
      ++outcome_.findings_left_out;
  } else {
    accesses.add(record, knowledge, conflicts_);
  }
  for (Conflict& conflict : conflicts_) {
    const bool is_doubtful = examined_.empty() && storing_.is_unchanged && conflict.earlier.writes();
    if (is_doubtful) doubtful_.insert(number_of_cell(region, at));
    report(conflict, region, at);
  }
  conflicts_.clear();
}

/// Unique for a buffer's cell. Cells of shared memory may have one number; then they are all examined.
std::uint64_t GpuMachine::number_of_cell(const Region& region, std::uint64_t offset) {
  const std::uint64_t shared =
      hashed(std::hash<std::string>()(region.name()), static_cast<std::uint64_t>(region.rank())) | std::uint64_t{1}
                                                                                                       << 63;
  return (region.base() != 0 ? region.base() : shared) + offset / 4 * 4;
}

}  // namespace onceover::gpu
