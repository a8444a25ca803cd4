// Strong reads that return older writes.
//
// A read may return any write to its cell that isn't older, in the order in which they ran, than one that is ordered
// before the read, or than one that the thread has read or written itself. So reads of a thread never go back, and what
// a fence or an acquire ordered is seen. After a fence.sc a thread also sees what was before each fence.sc that ran
// earlier, if their scopes include each other. A cell keeps its latest writes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gpu/machine/machine.h"

namespace onceover::gpu {
namespace {

constexpr std::size_t most_writes = 6;

/// The place of these bytes, by which a thread's memory of what it has seen is kept.
SeenPlace place_in(const TrackedCell& cell, std::uint8_t mask) {
  return reinterpret_cast<const char*>(&cell) + std::countr_zero(mask);
}

}  // namespace

/// Keeps what the cells hold before their first write.
void GpuMachine::remember_first(Region& region, std::uint64_t offset, std::uint32_t bytes) {
  if (!may_be_older(region)) return;
  for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
    CellSync& sync = region.cell(at).synced();
    if (!sync.older.empty()) continue;
    OlderWrite first;
    std::memcpy(&first.bits, region.bytes() + at, 4);
    first.low = region.lanes()[at / 2];
    first.high = region.lanes()[at / 2 + 1];
    first.releases = sync.releases;
    first.thread = UINT32_MAX;
    sync.older.push_back(first);
  }
}

void GpuMachine::remember(ThreadContext& thread, Region& region, std::uint64_t offset, std::uint32_t bytes,
                          std::uint32_t scalar, bool is_strong, Scope scope) {
  for (std::uint64_t at = offset / 4 * 4; at < offset + bytes; at += 4) {
    TrackedCell& cell = region.cell(at);
    CellSync& sync = cell.synced();
    OlderWrite write;
    write.store = stores_;
    write.mask = bytes_in_cell(at, offset, bytes);
    std::memcpy(&write.bits, region.bytes() + at, 4);
    write.low = region.lanes()[at / 2];
    write.high = region.lanes()[at / 2 + 1];
    write.thread = thread.id;
    write.moment = thread.sync.now;
    write.scope = scope;
    write.bytes = scalar;
    write.is_strong = is_strong;
    write.releases = sync.releases;
    write.sequence = sync.sequence;
    write.trace = sync.trace;
    sync.older.push_back(write);
    if (sync.older.size() > most_writes && !tries_all()) {
      sync.older.erase(sync.older.begin());
      ++sync.dropped;
    }
    thread.seen[place_in(cell, write.mask)] = sync.dropped + sync.older.size() - 1;
  }
}

std::size_t GpuMachine::oldest_allowed(const ThreadContext& thread, const TrackedCell& cell, std::uint8_t mask) const {
  const CellSync& sync = *cell.sync;
  std::size_t oldest = 0;
  for (std::size_t at = sync.older.size(); at-- > 0;) {
    const OlderWrite& write = sync.older[at];
    if (write.thread == UINT32_MAX || (write.mask & mask) == 0) continue;
    const bool is_known = write.thread == thread.id || thread.sync.clock->knows(seats_, write.thread, write.moment) ||
                          (thread.visible != nullptr && thread.visible->knows(seats_, write.thread, write.moment));
    if (!is_known) continue;
    oldest = at;
    break;
  }
  const auto seen = thread.seen.find(place_in(cell, mask));
  if (seen != thread.seen.end() && seen->second >= sync.dropped)
    oldest = std::max<std::size_t>(oldest, seen->second - sync.dropped);
  return std::min(oldest, sync.older.size() - 1);
}

/// Is a store that wrote this cell and one that the load read before seen in both, or in none?
bool GpuMachine::is_whole(const CellSync& sync, std::uint8_t mask, std::size_t chosen) const {
  return std::all_of(parts_read_.begin(), parts_read_.end(), [&](const PartRead& part) {
    for (std::size_t mine = 0; mine < sync.older.size(); ++mine)
      for (std::size_t theirs = 0; theirs < part.sync->older.size(); ++theirs) {
        const OlderWrite& of_mine = sync.older[mine];
        const OlderWrite& of_theirs = part.sync->older[theirs];
        const bool is_of_both = of_mine.store != 0 && of_mine.store == of_theirs.store && (of_mine.mask & mask) != 0 &&
                                (of_theirs.mask & part.mask) != 0;
        if (is_of_both && (chosen >= mine) != (part.chosen >= theirs)) return false;
      }
    return true;
  });
}

/// The latest write of these bytes, or by the dice one before it, with which no store is seen by half. Parts of a load
/// that different stores wrote are independent.
std::size_t GpuMachine::chosen_write(ThreadContext& thread, TrackedCell& cell, std::uint8_t mask) {
  const CellSync& sync = *cell.sync;
  const std::size_t oldest = oldest_allowed(thread, cell, mask);
  if (tries_all()) {
    const std::size_t chosen = choose_write(thread, cell, mask, oldest);
    parts_read_.push_back({&sync, mask, chosen});
    return chosen;
  }
  std::optional<std::size_t> chosen;
  for (std::size_t at = sync.older.size(); at-- > oldest;) {
    if ((sync.older[at].mask & mask) == 0 || !is_whole(sync, mask, at)) continue;
    chosen = at;
    if (at == oldest || scheduler_.dice().below(3) != 0) break;
  }
  parts_read_.push_back({&sync, mask, chosen.value_or(sync.older.size() - 1)});
  return parts_read_.back().chosen;
}

/// The bytes of the load that are in the cell at `at`, as they were after the write.
void GpuMachine::take_from(const OlderWrite& write, Target load, std::uint64_t at, std::uint32_t bytes, Value& low,
                           Value* high) {
  const std::array lanes{write.low, write.high};
  if (bytes < 4) {
    const std::uint64_t skipped = load.offset % 4;
    low = concrete(lowest(write.bits >> (8 * skipped), bytes));
    low.lanes[0] = lanes[skipped / 2];
    if (bytes == 2) return;
    const auto pair = static_cast<std::uint16_t>(write.bits >> (16 * (skipped / 2)));
    const ValueTerm term = part_of_pair(*terms_, lanes[skipped / 2], pair, skipped % 2 == 1);
    low.lanes[0] = (*terms_)[term].kind == TermKind::constant ? Lane() : Lane(term, 0);
    return;
  }
  const std::uint64_t part = (at - load.offset) / 4;
  Value& into = part < 2 ? low : *high;
  const std::uint64_t half = part % 2;
  into.bits &= ~(std::uint64_t{0xFFFFFFFF} << (32 * half));
  into.bits |= std::uint64_t{write.bits} << (32 * half);
  into.lanes[2 * half] = write.low;
  into.lanes[2 * half + 1] = write.high;
}

/// Of 16 bytes, `high` gets the upper half.
Value GpuMachine::load_older(ThreadContext& thread, const Code& code, Target load, std::uint32_t bytes, Value* high) {
  Region& region = *load.region;
  const Order order = order_of(code, region);
  const Scope scope = scope_of(code, region);
  Value low = region.load(load.offset, std::min<std::uint32_t>(bytes, 8), *terms_);
  // Parts of a vector may be torn apart on request, an element never.
  if (options_.torn_vectors && !options_.grants.whole_vectors) parts_read_.clear();
  bool is_latest = true;
  const std::vector<Release>* latest = nullptr;
  for (std::uint64_t at = load.offset / 4 * 4; at < load.offset + bytes; at += 4) {
    TrackedCell& cell = region.cell(at);
    if (cell.sync == nullptr) continue;
    CellSync& sync = *cell.sync;
    if (sync.older.empty()) continue;
    const std::uint8_t mask = bytes_in_cell(at, load.offset, bytes);
    const std::size_t chosen = chosen_write(thread, cell, mask);
    const OlderWrite write = sync.older[chosen];
    is_latest =
        is_latest && std::none_of(sync.older.begin() + static_cast<std::ptrdiff_t>(chosen) + 1, sync.older.end(),
                                  [&](const OlderWrite& later) { return (later.mask & mask) != 0; });
    thread.seen[place_in(cell, mask)] = sync.dropped + chosen;
    if (write.trace != nullptr) join(thread.trace, *write.trace);
    take_from(write, load, at, bytes, low, high);
    if (!write.is_strong || write.mask != mask ||
        !are_morally_strong(thread, scope, scalar_bytes(code, bytes), write.thread, write.scope, write.bytes))
      continue;
    if (write.releases.get() != latest) synchronization_.read(thread.sync, thread.id, order, scope, write.releases);
    latest = write.releases.get();
    if (write.thread != thread.id) synchronization_.observe(thread.sync, {write.thread, write.moment});
    for (const SingleWrite& before : write.sequence) synchronization_.observe(thread.sync, before);
  }
  note_load(thread, load, low);
  if (!is_latest) thread.has_acted = true;
  return low;
}

/// A fence.sc shows what it knows to later ones whose scopes go with its own, and sees what earlier ones showed.
void GpuMachine::fence_visibility(ThreadContext& thread, Scope scope) {
  synchronization_.fold(thread.sync);
  const std::uint32_t seat = seats_.seat_of(thread.id);
  ClockPointer visible = thread.visible != nullptr ? thread.visible : thread.sync.clock;
  visible = joined(seats_, visible, thread.sync.clock, thread.id, thread.sync.now);
  const auto places = [&](Scope level) -> std::pair<Scope, std::uint32_t> {
    switch (level) {
      case Scope::cta: return {level, seat};
      case Scope::cluster: return {level, seats_.cluster_of(seat)};
      case Scope::gpu: return {level, static_cast<std::uint32_t>(seats_.rank_of(thread.id))};
      default: return {level, 0};
    }
  };
  for (auto level = static_cast<int>(Scope::cta); level <= static_cast<int>(scope); ++level) {
    const auto shown = sc_fences_.find(places(static_cast<Scope>(level)));
    if (shown != sc_fences_.end()) visible = joined(seats_, visible, shown->second, thread.id, thread.sync.now);
  }
  for (auto level = static_cast<int>(Scope::cta); level <= static_cast<int>(scope); ++level)
    sc_fences_[places(static_cast<Scope>(level))] = visible;
  thread.visible = visible;
}

}  // namespace onceover::gpu
