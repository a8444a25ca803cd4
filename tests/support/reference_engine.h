// A slow and obvious judge of schedules, to compare the fast one with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "namespaces.h"
#include "schedules/schedule.h"
#include "verifier/survey.h"

namespace onceover::support::reference {

/// How often each rank's contribution is in a value; with scratch, one number more, for contributions to other blocks.
/// Nothing: no value is held.
using Multiset = std::optional<std::vector<std::uint64_t>>;

struct Outcome {
  bool well_formed = true;  // every block has a defined result
  bool exactly_once = true;
  std::uint64_t undefined_blocks = 0;
  std::uint64_t wrong_results = 0;                  // (rank, block) pairs, of blocks with a defined result
  std::vector<bool> block_is_defined;               // by block
  std::vector<std::vector<Multiset>> final_values;  // [rank][block]; meaningless for blocks without a defined
                                                    // result, and for scratch
};

/// Executes the schedule step by step as the ranks would, keeping every rank's every block as a dense multiset.
/// O(transfers * ranks) time, O(ranks^2 * blocks) memory.
Outcome execute(const Schedule& schedule);

/// The metrics, counted one block transfer at a time; without the term depth.
Metrics measure(const Schedule& schedule);

/// Must the rank end with contributions to the block, and with how many of contributor's (0 or 1)?
bool must_hold(const Header& header, Rank rank, Block block);
std::uint64_t wanted(const Header& header, Rank contributor, Block block);

}  // namespace onceover::support::reference
