// The memory model of PTX as its axioms have it: a slow judge of little programs, to compare the engine with.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "little_program.h"

namespace onceover::gpu {

struct AxiomJudgement {
  std::set<Observed> allowed;           // what threads may read
  std::set<Observed> allowed_in_order;  // ... in executions without load buffering
  bool has_race = false;                // in some execution
  bool has_race_in_order = false;       // ... without load buffering
  std::string race;                     // one of them, in words; empty for none
  bool has_superseded_race = false;     // a race by the letter alone: of a pair that can't show
};

/// Enumerates candidate executions: for each word that is read the write that it is from, then an order of the fence.sc
/// and of the writes of each place. Those that satisfy all axioms of chapter 8 of the PTX ISA are executions. No
/// clocks: causality is a closure of pairs. An execution has load buffering if reads-from and program order make a
/// circle.
///
/// A data race is that of section 8.7.1: two overlapping accesses of different threads, at least one a write, that
/// aren't morally strong and that causality doesn't order. Left out are pairs that can't show: a write and what comes
/// after a later write of the same bytes, of which causality, which isn't transitive, orders the later one only. Where
/// a race has mixed sizes the axioms don't apply, and what is allowed means nothing. Time: exponential in the number of
/// reads; at most 32 steps.
AxiomJudgement judge_by_axioms(const LittleProgram& program);

}  // namespace onceover::gpu
