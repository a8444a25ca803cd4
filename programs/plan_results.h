// PlanResults: what each unit of an MSCCL++ plan's outputs must hold, and whether it does.
#pragma once

#include <optional>
#include <string>

#include "programs/plan_memory.h"
#include "verifier/terms.h"

namespace onceover::programs {

/// The leaves of a plan's data, one for each unit of each input in each call, and the postconditions.
class PlanResults {
 public:
  PlanResults(const ExecutionPlan& plan, const PlanMemory& memory) : plan_(plan), memory_(memory) {}

  /// How many leaves there are in so many calls.
  std::uint64_t leaves(std::int32_t calls) const {
    return static_cast<std::uint64_t>(calls) * plan_.gpus.size() * memory_.input(0).count;
  }

  Term leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const;

  /// Is the term what the unit of the rank's output must be, each contribution once? O(ranks).
  bool is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit) const;

  /// What it must be, in words: "the sum of unit 3 of all inputs", "unit 0 of gpu 2's input".
  std::string due(Rank rank, std::uint32_t unit) const;

  /// A term in words: "i0[1] + i2[1]", shortened if it is long.
  std::string text(const TermTable& terms, Term term) const;

 private:
  /// Whose unit of an input it must be; all ranks' if there is no rank.
  struct Due {
    std::optional<Rank> contributor;
    std::uint32_t unit;
  };
  Due due_of(Rank rank, std::uint32_t unit) const;

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
};

}  // namespace onceover::programs
