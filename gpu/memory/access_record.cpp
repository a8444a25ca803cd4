#include "gpu/memory/access_record.h"

#include <algorithm>
#include <optional>

namespace onceover::gpu {
namespace {

using Knowledge = AccessHistory::Knowledge;

bool is_ordered(const AccessRecord& earlier, const AccessRecord& now, const Knowledge& knowledge) {
  const BlockSeats& seats = knowledge.seats;
  if (earlier.thread == now.thread) return true;
  if (knowledge.clock.knows(seats, earlier.thread, earlier.moment)) return true;
  if (!earlier.writes() && knowledge.reads.knows(seats, earlier.thread, earlier.moment)) return true;
  const SingleWrite write{earlier.thread, earlier.moment};
  if (std::find(knowledge.observed.rbegin(), knowledge.observed.rend(), write) != knowledge.observed.rend())
    return true;
  return knowledge.lockstep && seats.are_in_one_warp(earlier.thread, now.thread);
}

/// Is a write before `now` in coherence at least?
bool is_coherent(const AccessRecord& earlier, const Knowledge& knowledge) {
  const auto is_it = [&](const SingleWrite& write) {
    return write.thread == earlier.thread && write.moment == earlier.moment;
  };
  return knowledge.clock.knows_coherent(knowledge.seats, earlier.thread, earlier.moment) ||
         std::any_of(knowledge.observed.begin(), knowledge.observed.end(), is_it);
}

/// Given that the earlier access is ordered before `now`: does whatever conflicts with it conflict with `now`, too?
bool stands_for(const AccessRecord& now, const AccessRecord& earlier, const BlockSeats& seats) {
  if ((now.mask & earlier.mask) != earlier.mask || (earlier.writes() && !now.writes())) return false;
  if (!now.is(AccessRecord::is_strong)) return true;
  if (!earlier.is(AccessRecord::is_strong)) return false;
  const std::uint8_t atomics = AccessRecord::is_atomic | AccessRecord::is_unchanged;
  return seats.seat_of(now.thread) == seats.seat_of(earlier.thread) && now.scope <= earlier.scope &&
         now.bytes == earlier.bytes && (!earlier.writes() || (now.flags & atomics) == (earlier.flags & atomics));
}

/// Two strong writes of which one may be lost. Atomics lose nothing to each other, nor one that changes nothing.
bool may_lose_one(const AccessRecord& a, const AccessRecord& b) {
  const auto loses = [](const AccessRecord& record) {
    return record.writes() && !(record.is(AccessRecord::is_atomic) && record.is(AccessRecord::is_unchanged));
  };
  return loses(a) && loses(b) && !(a.is(AccessRecord::is_atomic) && b.is(AccessRecord::is_atomic));
}

/// What is wrong with two accesses that nothing orders.
std::optional<FindingKind> wrong_unordered(const AccessRecord& earlier, const AccessRecord& now,
                                           const Knowledge& knowledge) {
  const BlockSeats& seats = knowledge.seats;
  if (!earlier.writes() && !now.writes()) return std::nullopt;
  if (!earlier.is(AccessRecord::is_strong) || !now.is(AccessRecord::is_strong)) return FindingKind::data_race;
  if (!seats.includes(earlier.scope, earlier.thread, now.thread) ||
      !seats.includes(now.scope, now.thread, earlier.thread))
    return FindingKind::narrow_scope;
  if (earlier.bytes != now.bytes) return FindingKind::mixed_sizes;
  if (may_lose_one(earlier, now) && !is_coherent(earlier, knowledge)) return FindingKind::unordered_writes;
  return std::nullopt;
}

/// A non-coherent read of what was written after its kernel began.
bool is_non_coherent(const AccessRecord& earlier, const AccessRecord& now, const Knowledge& knowledge) {
  return now.is(AccessRecord::is_non_coherent) && earlier.writes() &&
         !knowledge.launch.knows(knowledge.seats, earlier.thread, earlier.moment);
}

/// Adds what is wrong between the two. Does `now` stand for the earlier one from now on?
bool compare(const AccessRecord& earlier, const AccessRecord& now, const Knowledge& knowledge,
             std::vector<Conflict>& found) {
  if ((earlier.mask & now.mask) == 0) return false;
  if (!is_ordered(earlier, now, knowledge)) {
    if (const auto kind = wrong_unordered(earlier, now, knowledge)) found.push_back({*kind, earlier, now});
    return false;
  }
  if (is_non_coherent(earlier, now, knowledge)) found.push_back({FindingKind::non_coherent_read, earlier, now});
  return stands_for(now, earlier, knowledge.seats);
}

}  // namespace

void AccessHistory::add(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found) {
  if (write_.mask != 0 && compare(write_, now, knowledge, found)) write_.mask = 0;
  if (more_ != nullptr && !more_->writes.empty())
    std::erase_if(more_->writes, [&](const AccessRecord& earlier) { return compare(earlier, now, knowledge, found); });
  if (now.writes())
    add_write(now, knowledge, found);
  else
    add_read(now, knowledge, found);
}

void AccessHistory::add_write(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found) {
  if (read_.mask != 0 && compare(read_, now, knowledge, found)) read_.mask = 0;
  if (more_ != nullptr) {
    std::erase_if(more_->reads, [&](const AccessRecord& earlier) { return compare(earlier, now, knowledge, found); });
    more_->reads_to_sweep = std::max<std::size_t>(8, 2 * more_->reads.size());
  }
  if (write_.mask == 0)
    write_ = now;
  else
    keep(now);
  if (more_ != nullptr && more_->reads.empty() && more_->writes.empty()) more_.reset();
}

/// Reads don't conflict with reads. So others are looked at only for those that this one stands for, and a long list of
/// them only when it has doubled.
void AccessHistory::add_read(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found) {
  if (read_.mask == 0 || compare(read_, now, knowledge, found)) {
    read_ = now;
    return;
  }
  if (more_ != nullptr && (more_->reads.size() < 4 || more_->reads.size() >= more_->reads_to_sweep)) {
    std::erase_if(more_->reads, [&](const AccessRecord& earlier) { return compare(earlier, now, knowledge, found); });
    more_->reads_to_sweep = std::max<std::size_t>(8, 2 * more_->reads.size());
  }
  keep(now);
}

bool AccessHistory::are_same(const Exact& a, const Exact& b) {
  if (!a.has_value || !b.has_value) return false;
  const auto shared = static_cast<std::uint8_t>(a.record.mask & b.record.mask);
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    if ((shared >> byte & 1) == 0) continue;
    if ((a.value.bits >> (8 * byte) & 0xFF) != (b.value.bits >> (8 * byte) & 0xFF)) return false;
    if (a.value.lanes[byte / 2] != b.value.lanes[byte / 2]) return false;
  }
  return true;
}

bool AccessHistory::add_exactly(const AccessRecord& now, const WrittenValue* value, const Knowledge& knowledge,
                                std::vector<Conflict>& found) {
  constexpr std::size_t most = 4096;
  if (more_ == nullptr) more_ = std::make_unique<More>();
  const Exact exact{now, value != nullptr, value != nullptr ? *value : WrittenValue{}};
  Exact* repeated = nullptr;
  for (Exact& earlier : more_->exact) {
    const std::size_t known = found.size();
    compare(earlier.record, now, knowledge, found);
    if (found.size() > known) found.back().same_value = are_same(earlier, exact);
    const bool repeats = earlier.record.thread == now.thread && earlier.record.flags == now.flags &&
                         earlier.record.mask == now.mask && earlier.record.bytes == now.bytes &&
                         earlier.record.scope == now.scope && earlier.has_value == exact.has_value &&
                         (!now.writes() || are_same(earlier, exact));
    if (repeats) repeated = &earlier;
  }
  // A thread that knows the later one of two weak writes, or of two reads, knows the earlier one.
  const bool is_one_of_many = now.writes() && now.is(AccessRecord::is_strong);
  if (repeated != nullptr && !is_one_of_many)
    *repeated = exact;
  else if (more_->exact.size() < most)
    more_->exact.push_back(exact);
  else
    return false;
  return true;
}

void AccessHistory::keep(const AccessRecord& now) {
  if (more_ == nullptr) more_ = std::make_unique<More>();
  std::vector<AccessRecord>& list = now.writes() ? more_->writes : more_->reads;
  const bool repeats = !list.empty() && list.back().thread == now.thread && list.back().flags == now.flags &&
                       list.back().mask == now.mask && list.back().bytes == now.bytes && list.back().scope == now.scope;
  if (repeats)
    list.back() = now;
  else
    list.push_back(now);
}

}  // namespace onceover::gpu
