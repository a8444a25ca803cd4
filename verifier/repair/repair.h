// Repair: the smallest change found that makes a schedule right which isn't exactly once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/repair/block_edits.h"
#include "verifier/verify.h"

namespace onceover::verifier {

/// How a change in one block becomes that in another, whose owner is another rank.
enum class Turned : std::uint8_t {
  same,      // between the same ranks
  rotated,   // ranks shift as the owner does, in each dimension of the torus
  mirrored,  // so, but reflected in dimensions where the owner moves by an odd number of places
  flipped,   // rank r becomes r xor the owners' difference
};

std::string_view name(Turned turned);

/// A change of messages in some blocks. In other blocks than the first it is turned, as the repair says.
struct MessageEdit {
  MoveEdit edit;  // in the first block
  std::vector<Block> blocks;
};

/// Steps that change places.
struct StepSwap {
  int first;
  int second;
};

struct Repair {
  std::vector<MessageEdit> edits = {};
  Turned turned = Turned::same;
  std::optional<StepSwap> swap = {};   // in place of edits
  std::uint64_t new_messages = 0;      // of those that the edits name: how many does the schedule not have?
  std::uint64_t alternatives = 0;      // further single edits that make all failing blocks right
  bool is_least = false;               // no repair is smaller: every single edit was looked for
  SchedulePtr schedule = {};           // after the repair
  Verdict verdict = Verdict::unknown;  // of that schedule, by all that was required
  std::vector<std::string> still_fails = {};

  /// "at step 2, rank 5 sends block 4 to rank 3, not to rank 6": a line for each change.
  std::vector<std::string> text() const;
};

/// What the search may cost: a number of look-ups. The usual one takes some 50 ms.
inline constexpr std::int64_t usual_repair_budget = 1 << 19;
inline constexpr std::int64_t most_repair_budget = std::int64_t{1} << 32;

/// Looks for a repair of a schedule that fails exactly-once (or isn't well-formed for the way its blocks move): one
/// move left out, added, or both, alike in all blocks that fail, or turned with their owners; two blocks that change
/// places in a message; two steps that change places; else one edit for each block, as few different ones as are found
/// by taking the most common first. Nothing if there is none of these, if the budget runs out, or if blocks share
/// scratch.
///
/// `report` is on the schedule as it is; where several edits are as small, one on the paths that it shows comes first.
/// The schedule with the repair was judged by `verify` with these options, and is exactly once.

std::optional<Repair> find_repair(const Schedule& schedule, const Report& report, const VerifyOptions& options,
                                  std::int64_t budget = usual_repair_budget);

}  // namespace onceover::verifier
