#include "gpu/schedule/scheduler.h"

#include <bit>

namespace onceover::gpu {

Scheduler::Scheduler(const ScheduleChoice& choice, std::uint32_t warps, std::uint32_t warps_per_block)
    : choice_(choice), warps_(warps), latest_(warps - 1), runnable_(warps / 64 + 1), dice_(choice.seed) {
  const std::uint32_t width = choice.kind == ScheduleKind::starve_block ? warps_per_block : 1;
  if (choice.kind != ScheduleKind::starve_block && choice.kind != ScheduleKind::starve_warp) return;
  starved_first_ = choice.index * width;
  starved_end_ = starved_first_ + width;
}

std::optional<std::uint32_t> Scheduler::next() {
  std::optional<std::uint32_t> chosen;
  switch (choice_.kind) {
    case ScheduleKind::first: chosen = first_from(0); break;
    case ScheduleKind::last: chosen = last(); break;
    case ScheduleKind::seeded: chosen = turning(dice_.below(warps_)); break;
    default: chosen = turning((latest_ + 1) % warps_); break;
  }
  if (chosen) latest_ = *chosen;
  return chosen;
}

std::uint32_t Scheduler::turn() {
  constexpr std::uint32_t usual = 256;
  if (choice_.kind != ScheduleKind::seeded) return usual;
  const bool is_short = choice_.seed % 2 == 1;  // for what goes wrong between two instructions
  return 1 + dice_.below(is_short ? 4 : 64);
}

std::optional<std::uint32_t> Scheduler::first_from(std::uint32_t start) const {
  std::uint64_t word = runnable_[start / 64] & ~(bit(start) - 1);
  for (std::size_t at = start / 64;;) {
    if (word != 0) return static_cast<std::uint32_t>(64 * at) + static_cast<std::uint32_t>(std::countr_zero(word));
    if (++at == runnable_.size()) return std::nullopt;
    word = runnable_[at];
  }
}

std::optional<std::uint32_t> Scheduler::last() const {
  for (std::size_t at = runnable_.size(); at-- > 0;)
    if (runnable_[at] != 0)
      return static_cast<std::uint32_t>(64 * at) + 63 - static_cast<std::uint32_t>(std::countl_zero(runnable_[at]));
  return std::nullopt;
}

/// The first from `start` on, and then from 0; a starved one only if there is no other.
std::optional<std::uint32_t> Scheduler::turning(std::uint32_t start) const {
  std::optional<std::uint32_t> found = first_from(start);
  if (found && is_starved(*found)) found = starved_end_ < warps_ ? first_from(starved_end_) : std::nullopt;
  if (found) return found;
  found = first_from(0);
  if (!found || !is_starved(*found)) return found;
  const auto other = starved_end_ < warps_ ? first_from(starved_end_) : std::nullopt;
  return other ? other : found;
}

}  // namespace onceover::gpu
