// Why a schedule is wrong, in the words of its transfers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"

namespace onceover {

/// A smallest piece of evidence against a schedule.
struct Counterexample {
  enum class Kind {
    duplicate,      // the rank ends with the contributor's data several times: `paths` are ways that it took
    missing,        // the rank ends without it: `paths` holds how far it came, if it left home at all
    not_held,       // a transfer sends, or reduces into, a block that the rank doesn't hold
    conflict,       // a copy and another write to one rank and block in one step: `paths` holds both
    self_transfer,  // a transfer from a rank to itself
    out_of_range,   // a transfer names a rank or block that isn't there
  };

  /// One hop of a path: src sends at `step`, dst has it after.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    friend bool operator==(const Leg&, const Leg&) = default;
  };
  using Path = std::vector<Leg>;

  Kind kind;
  Rank rank;
  Block block;
  std::optional<Rank> contributor = {};
  std::uint64_t times = 0;       // how often the contribution arrived, at most `many`
  std::vector<Path> paths = {};  // shortest first, at most `shown_paths`
  std::optional<int> step = {};  // of a fault; missing: of the copy that replaced it, or when it was sent on without it
  std::optional<int> final_step =
      {};  // duplicate, missing: when the rank's last value was made, if it ever was written
  std::optional<Rank> replaced_by = {};  // missing: it did arrive, but a copy from this rank replaced it

  static constexpr std::uint64_t many = 1'000'000'000'000;
  static constexpr std::size_t shown_paths = 8;

  /// Is this one easier to follow? One that shows where a contribution was lost beats one that doesn't. Then the value
  /// that was final earlier is nearer to the cause, and at last the fewer hops in all paths shown, the better.
  bool simpler_than(const Counterexample& other) const;
};

std::string_view name(Counterexample::Kind kind);

/// The counterexample in sentences, a headline and a line per path.
std::vector<std::string> describe(const Counterexample& counterexample);

/// The shortest counterexample that `block` offers; nothing if the block ends as the collective asks.
/// Independent of Execution and ResultCheck: follows every contribution through the trace, not the terms.
/// Cost: O(hops + ranks) per contributor; contributors after the first wrong one are tried while cheap.
std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace);

}  // namespace onceover
