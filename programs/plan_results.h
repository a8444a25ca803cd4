// PlanResults: what each unit of an MSCCL++ plan's outputs must hold, and whether it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/plan_memory.h"
#include "verifier/term_judgement.h"

namespace onceover::programs {

/// The leaves of a plan's data, one for each unit of each input in each call, and what is owed.
class PlanResults {
 public:
  PlanResults(const ExecutionPlan& plan, const PlanMemory& memory);

  /// How many leaves there are in so many calls.
  std::uint64_t leaves(std::int32_t calls) const {
    return static_cast<std::uint64_t>(calls) * plan_.gpus.size() * memory_.input(0).count;
  }

  Term leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const;

  /// Is the term what the unit of the rank's output must be, each contribution once? O(ranks).
  bool is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit);

  /// What it must be, in words: "the sum of unit 3 of all inputs", "unit 0 of gpu 2's input".
  std::string due(Rank rank, std::uint32_t unit) const;

  /// A term in words: "i0[1] + i2[1]", shortened if it is long.
  std::string text(const TermTable& terms, Term term) const;

 private:
  /// Which call's input a leaf is of, and what of it.
  struct Source {
    std::int32_t call;
    Contribution contribution;
  };
  Source source_of(const TermTable& terms, Term leaf) const;
  Owed owed(Rank rank, std::uint32_t unit) const { return results_[static_cast<std::size_t>(rank)].owed(unit); }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  std::optional<Promise> promise_;       // in units; none if nothing says what the collective promises
  std::vector<PromisedResult> results_;  // by rank
  LeafWalk leaves_;
};

}  // namespace onceover::programs
