#include "gpu/memory/clock.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace onceover::gpu {

bool Clock::knows_thread(std::uint32_t thread, Moment moment) const {
  const auto at = std::lower_bound(threads_.begin(), threads_.end(), thread,
                                   [](const Known& known, std::uint32_t wanted) { return known.thread < wanted; });
  return at != threads_.end() && at->thread == thread && at->moment >= moment;
}

bool Clock::knows_write(std::uint32_t thread, Moment moment) const {
  return std::binary_search(writes_.begin(), writes_.end(), SingleWrite{thread, moment});
}

bool Clock::covers(const BlockSeats& seats, const Clock& other) const {
  for (std::size_t seat = 0; seat < generations_.size(); ++seat)
    if (other.generations_[seat] > generations_[seat]) return false;
  const auto is_in_this = [&](const auto& known) { return knows(seats, known.thread, known.moment); };
  const auto is_write_in_this = [&](const SingleWrite& write) {
    return write.is_causal ? knows(seats, write.thread, write.moment)
                           : knows_coherent(seats, write.thread, write.moment);
  };
  return std::all_of(other.threads_.begin(), other.threads_.end(), is_in_this) &&
         std::all_of(other.writes_.begin(), other.writes_.end(), is_write_in_this);
}

void Clock::learn_generations(std::uint32_t seat, std::uint32_t end) {
  generations_[seat] = std::max(generations_[seat], end);
}

void Clock::learn(const BlockSeats& seats, std::uint32_t thread, Moment moment) {
  if (is_known(seats, thread, moment)) return;
  const auto at = std::lower_bound(threads_.begin(), threads_.end(), thread,
                                   [](const Known& known, std::uint32_t wanted) { return known.thread < wanted; });
  if (at == threads_.end() || at->thread != thread)
    threads_.insert(at, {thread, moment});
  else
    at->moment = std::max(at->moment, moment);
}

void Clock::learn_writes(const BlockSeats& seats, const std::vector<SingleWrite>& writes) {
  std::vector<SingleWrite> unknown;
  for (const SingleWrite& write : writes)
    if (!is_known(seats, write.thread, write.moment) && !knows_thread(write.thread, write.moment))
      unknown.push_back(write);
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  add_writes(std::move(unknown));
}

void Clock::add_writes(std::vector<SingleWrite> sorted) {
  constexpr std::size_t most = 4096;  // forgetting some may show a race that isn't, never hide one
  if (sorted.empty()) return;
  std::vector<SingleWrite> both;
  std::set_union(writes_.begin(), writes_.end(), sorted.begin(), sorted.end(), std::back_inserter(both));
  if (both.size() > most) both.resize(most);
  writes_ = std::move(both);
}

void Clock::join(const BlockSeats& seats, const Clock& other) {
  for (std::size_t seat = 0; seat < generations_.size(); ++seat)
    generations_[seat] = std::max(generations_[seat], other.generations_[seat]);
  for (const Known& known : other.threads_) learn(seats, known.thread, known.moment);
  if (&other != this) add_writes(other.writes_);
  forget_what_generations_cover(seats);
}

void Clock::forget_what_generations_cover(const BlockSeats& seats) {
  const auto is_covered = [&](const auto& known) { return is_known(seats, known.thread, known.moment); };
  std::erase_if(threads_, is_covered);
  std::erase_if(
      writes_, [&](const SingleWrite& write) { return is_covered(write) || knows_thread(write.thread, write.moment); });
}

void ClockJoin::add(const ClockPointer& clock) {
  if (clock.get() == latest_) return;
  latest_ = clock.get();
  if (clock_ == nullptr)
    clock_ = std::make_shared<Clock>(*clock);
  else
    clock_->join(seats_, *clock);
}

ClockPointer ClockJoin::take() {
  clock_->forget_what_generations_cover(seats_);
  latest_ = nullptr;
  return std::exchange(clock_, nullptr);
}

ClockPointer joined(const BlockSeats& seats, const ClockPointer& a, const ClockPointer& b, std::uint32_t thread,
                    Moment moment) {
  const bool knows_moment = a->knows_all_until(seats, thread, moment);
  if (knows_moment && (a == b || a->covers(seats, *b))) return a;
  auto both = std::make_shared<Clock>(*a);
  if (a != b) both->join(seats, *b);
  both->learn(seats, thread, moment);
  return both;
}

}  // namespace onceover::gpu
