// Changes schedules, one change at a time.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string_view>

#include "namespaces.h"
#include "plain_schedule.h"

namespace onceover::support {

/// Ways to change a schedule, by name: "transfer dropped".
std::span<const std::string_view> schedule_changes();

/// Seeded: the same mutants every time.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  /// A copy that differs by one change of one kind, 0 .. schedule_changes-1; nothing if the kind can't be applied here,
  /// or changed nothing in several tries.
  std::optional<PlainSchedule> mutant_of(const PlainSchedule& original, std::size_t change);

  /// A copy that differs by one change of some kind. There must be transfers.
  PlainSchedule mutant_of(const PlainSchedule& original);

 private:
  std::mt19937 random_;
};

}  // namespace onceover::support
