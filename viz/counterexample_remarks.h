// Remarks on a counterexample: short sentences, each at the place in a picture over time where something breaks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/counterexample.h"
#include "verifier/repair/block_edits.h"

namespace onceover::viz {

/// What there is to say about a rank after a step.
struct Remark {
  int step;
  Rank rank;
  std::string words;
  friend bool operator==(const Remark&, const Remark&) = default;
};

/// Where it goes wrong, by step: "4 has it and never sends block 3". Empty if only the end shows it. `moves` are those
/// of the counterexample's block, between cells (see Trace). Every sentence is compared with them. O(moves)
std::vector<Remark> remarks_on(const Schedule& schedule, const Counterexample& counterexample,
                               std::span<const Move> moves);

/// What the counterexample's rank ends with: "ends without 4's contribution"; empty if that isn't what is wrong.
std::string ending_of(const Counterexample& counterexample);

}  // namespace onceover::viz
