// How a plan of MSCCL++ is read: as documented, or as the runtime of August 2026 runs it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/plan.h"

namespace onceover::formats {

enum class PlanReading : std::uint8_t {
  intended,  // get copies what it names, and flush waits
  executor,  // get swaps the positions that it names, and flush does nothing
};

/// By their names on the command line.
inline constexpr std::array plan_readings{std::pair<std::string_view, PlanReading>{"intended", PlanReading::intended},
                                          std::pair<std::string_view, PlanReading>{"executor", PlanReading::executor}};

/// What that runtime does otherwise than documented in this plan, a sentence each. O(operations).
std::vector<std::string> differences_of_executor(const ExecutionPlan& plan);

/// The plan as that runtime runs it, with a note that says so if that is different. If a swapped position is beyond its
/// buffer, or sources are taken from elsewhere, the plan can't be judged. O(operations).
ExecutionPlan as_executed(ExecutionPlan plan);

}  // namespace onceover::formats
