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
  return knowledge.lockstep && seats.are_in_one_warp(earlier.thread, now.thread);
}

/// Given that the earlier access is ordered before `now`: does whatever conflicts with it conflict with `now`, too?
bool stands_for(const AccessRecord& now, const AccessRecord& earlier, const BlockSeats& seats) {
  if ((now.mask & earlier.mask) != earlier.mask || (earlier.writes() && !now.writes())) return false;
  if (!now.is(AccessRecord::is_strong)) return true;
  if (!earlier.is(AccessRecord::is_strong)) return false;
  const std::uint8_t atomics = AccessRecord::is_swap | AccessRecord::is_update;
  return seats.seat_of(now.thread) == seats.seat_of(earlier.thread) && now.scope <= earlier.scope &&
         now.bytes == earlier.bytes && (!earlier.writes() || (now.flags & atomics) == (earlier.flags & atomics));
}

/// Two strong writes of which one is lost: none of them replaces what it reads, and not both add to it.
bool may_lose_one(const AccessRecord& a, const AccessRecord& b) {
  if (!a.writes() || !b.writes() || a.is(AccessRecord::is_swap) || b.is(AccessRecord::is_swap)) return false;
  return !a.is(AccessRecord::is_update) || !b.is(AccessRecord::is_update);
}

/// What is wrong with two accesses that nothing orders.
std::optional<FindingKind> wrong_unordered(const AccessRecord& earlier, const AccessRecord& now,
                                           const BlockSeats& seats) {
  if (!earlier.writes() && !now.writes()) return std::nullopt;
  if (!earlier.is(AccessRecord::is_strong) || !now.is(AccessRecord::is_strong)) return FindingKind::data_race;
  if (!seats.includes(earlier.scope, earlier.thread, now.thread) ||
      !seats.includes(now.scope, now.thread, earlier.thread))
    return FindingKind::narrow_scope;
  if (earlier.bytes != now.bytes) return FindingKind::mixed_sizes;
  if (may_lose_one(earlier, now)) return FindingKind::unordered_writes;
  return std::nullopt;
}

/// A non-coherent read of what was written after its kernel began.
bool is_non_coherent(const AccessRecord& earlier, const AccessRecord& now, const Knowledge& knowledge) {
  return now.is(AccessRecord::is_non_coherent) && earlier.writes() && earlier.thread != now.thread &&
         !knowledge.launch.knows(knowledge.seats, earlier.thread, earlier.moment);
}

/// Adds what is wrong between the two. Does `now` stand for the earlier one from now on?
bool compare(const AccessRecord& earlier, const AccessRecord& now, const Knowledge& knowledge,
             std::vector<Conflict>& found) {
  if ((earlier.mask & now.mask) == 0) return false;
  if (!is_ordered(earlier, now, knowledge)) {
    if (const auto kind = wrong_unordered(earlier, now, knowledge.seats)) found.push_back({*kind, earlier, now});
    return false;
  }
  if (is_non_coherent(earlier, now, knowledge)) found.push_back({FindingKind::non_coherent_read, earlier, now});
  return stands_for(now, earlier, knowledge.seats);
}

}  // namespace

void AccessHistory::add_to_others(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found) {
  if (more_ != nullptr) return add_to_more(now, knowledge, found);
  if (compare(first_, now, knowledge, found)) {
    first_ = now;
    return;
  }
  more_ = std::make_unique<More>();
  for (const AccessRecord& record : {first_, now}) (record.writes() ? more_->writes : more_->reads).push_back(record);
}

void AccessHistory::add_to_more(const AccessRecord& now, const Knowledge& knowledge, std::vector<Conflict>& found) {
  const auto is_replaced = [&](const AccessRecord& earlier) { return compare(earlier, now, knowledge, found); };
  std::erase_if(more_->writes, is_replaced);
  if (now.writes()) {
    std::erase_if(more_->reads, is_replaced);
    more_->reads_to_sweep = std::max<std::size_t>(16, 2 * more_->reads.size());
  } else if (more_->reads.size() >= more_->reads_to_sweep || more_->reads.size() < 8) {
    // Reads don't conflict with reads, so a long list needs a look only when it has doubled.
    std::erase_if(more_->reads, is_replaced);
    more_->reads_to_sweep = std::max<std::size_t>(16, 2 * more_->reads.size());
  }
  if (more_->writes.empty() && more_->reads.empty()) {
    first_ = now;
    more_.reset();
    return;
  }
  std::vector<AccessRecord>& list = now.writes() ? more_->writes : more_->reads;
  const auto is_same = [&](const AccessRecord& other) {
    return other.thread == now.thread && other.flags == now.flags && other.mask == now.mask &&
           other.bytes == now.bytes && other.scope == now.scope;
  };
  if (!list.empty() && is_same(list.back()))
    list.back() = now;
  else
    list.push_back(now);
}

}  // namespace onceover::gpu
