// The kinds of faults that programs and plans have besides those of schedules, and the findings on deadlocks and races.
#pragma once

#include <optional>
#include <string>

#include "formats/program.h"
#include "verifier/counterexample.h"
#include "verifier/property.h"

namespace onceover::programs {

struct Matching;
class Memory;
struct Races;

/// An operation reads what nothing has set.
inline constexpr FaultKind unset_fault{"unset", "such operations"};
/// An operation names chunks that its buffer doesn't have, or its two ranges overlap.
inline constexpr FaultKind range_fault_kind{"no-slot", "such operations"};
/// An operation of an out-of-place program writes to the user's input.
inline constexpr FaultKind overwritten_fault{"overwritten", "such operations"};
/// An operation waits for something that never comes.
inline constexpr FaultKind starved_fault{"starved", "connections or waits without a counterpart"};
/// Operations wait in a circle, each for the next.
inline constexpr FaultKind deadlock_fault{"deadlock", "such circles"};
/// Two operations use a chunk, at least one writes it, and nothing orders them.
inline constexpr FaultKind race_fault{"race", "racing pairs of accesses"};
/// Operations of a plan that, as they are, may go wrong.
inline constexpr FaultKind unsafe_fault{"unsafe", "such faults"};
/// A result holds a chunk that doesn't belong there.
inline constexpr FaultKind wrong_chunk_fault{"wrong-source", "wrong results (rank, chunk)"};

/// A nop between two operations of a block that follow each other, by which a race is gone. The plan with it was
/// judged: it passes, or these required properties still fail; if neither, its verdict is unknown.
struct NopRepair {
  Rank rank;
  std::int32_t block;
  std::int32_t after;  // the operations' positions in the block, without the nop
  std::int32_t before;
  bool passes;
  std::vector<std::string> still_fails = {};
};

/// "needs a nop between operations 4 and 5 of gpu 0, block 1; the plan with it passes", or what else was found with it.
std::string text(const NopRepair& repair);

/// The repair that a plan's counterexample tells; nothing if it tells none.
const NopRepair* nop_repair(const Counterexample& counterexample);

/// "rank 0, thread block 1, step 2 (line 14)".
std::string text(const Counterexample::Site& site);

/// Judges the program with FIFOs of this depth. `smallest` is the result of `smallest_depth`.
Finding judge_deadlock(const Program& program, const Matching& matching, std::optional<std::uint32_t> smallest,
                       std::optional<std::uint32_t> depth);

/// "rendezvous", "FIFOs of 2 messages".
std::string depth_text(std::uint32_t depth);

/// The finding on race-free: the two operations of a race, and why the existing order doesn't cover them.
Finding judge_races(const Program& program, const Memory& memory, const Races& races);

}  // namespace onceover::programs
