// Why a schedule is wrong, in the words of its transfers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"

namespace onceover::verifier {

/// A smallest piece of evidence against a schedule.
struct Counterexample {
  enum class Kind {
    duplicate,      // the rank ends with the contributor's data several times: `paths` are ways that it took
    missing,        // the rank ends without it: `paths` holds how far it came, if it left home at all
    not_held,       // a transfer sends, or reduces into, a block that the rank doesn't hold
    conflict,       // a copy and another write to one rank and block in one step: `paths` holds both
    self_transfer,  // a transfer from a rank to itself
    out_of_range,   // a transfer names a rank or block that isn't there
    gap,            // a sum joins runs of ranks that aren't neighbours: `shown` names both
    different,      // two ranks end with different sums: `shown` has them, then where they differ
    already_held,   // a rank receives what it has
    unused,         // a rank receives what nobody uses
    ports,          // a rank sends or receives (`shown`) too many messages in one step
    staging,        // a rank holds too many blocks for others after a step
    scattered,      // messages that can't all be runs, whatever the order of the blocks: `shown` has them
    wrong_source,   // a program ends with another block's data where this one belongs
    unset,          // an operation of a program reads what nobody set
    no_slot,        // an operation names chunks that its buffer hasn't got, or both sides of it overlap
    starved,        // an operation waits for what never comes
    deadlock,       // operations wait for each other, each of `sites` for the next
    race,           // two operations use a chunk, one writes it, and nothing orders them
    overwritten,    // an operation writes to the user's input, out of place
  };

  /// An operation of a program.
  struct Site {
    Rank rank;
    std::int32_t thread;
    std::int32_t number;
    std::uint32_t line;  // of its file; 0: there is none
    friend bool operator==(const Site&, const Site&) = default;
  };

  /// One move of a path: src sends at `step`, dst has it after.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    friend bool operator==(const Leg&, const Leg&) = default;
  };
  using Path = std::vector<Leg>;

  Kind kind;
  Rank rank = 0;
  Block block = 0;  // where it is about one
  std::optional<Rank> contributor = {};
  std::uint64_t times = 0;       // how often the contribution arrived, at most `many`; how many sums, messages, blocks
  std::vector<Path> paths = {};  // shortest first, at most `shown_paths`
  std::optional<int> step = {};  // of a fault; missing: of the copy that replaced it, or when it was sent on without it
  std::optional<int> final_step =
      {};  // duplicate, missing: when the rank's last value was made, if it ever was written
  std::optional<Rank> replaced_by = {};  // missing: it was there, but at `step` a copy from this rank replaced it
  std::optional<Rank> replaced_on =
      {};                     // missing: where that was: on the rank itself, or on one that it got its value of
  bool is_destroyed = false;  // missing: that copy took contributions away and brought none
  std::optional<Rank> other_rank = {};      // the sender, or who else holds a result
  std::vector<std::string> shown = {};      // sums, runs of ranks, messages: in words
  std::uint64_t allowed = 0;                // ports, staging: how many were asked for
  std::vector<Site> sites = {};             // programs: the operations that it is about
  std::string slot = {};                    // programs: the chunk of memory that it is about, such as o[3]
  std::vector<std::string> sentences = {};  // programs: all of it in sentences, the headline first

  static constexpr std::uint64_t many = 1'000'000'000'000;
  static constexpr std::size_t shown_paths = 8;

  /// Is it about one block, or about messages?
  bool has_block() const {
    return kind != Kind::ports && kind != Kind::staging && kind != Kind::scattered && !is_about_operations();
  }

  /// Is it about operations of a program, whatever block they move?
  bool is_about_operations() const { return kind >= Kind::unset; }

  /// Is this one easier to follow? The copy that destroyed data, and the earliest of those, beats all else: nobody
  /// wants one. Then one that shows where a contribution was lost beats one that doesn't. Then the value that was final
  /// earlier is nearer to the cause, then one that shows what replaced the contribution, and at last the fewer moves in
  /// all paths shown, the better.
  bool simpler_than(const Counterexample& other) const;
};

std::string_view name(Counterexample::Kind kind);

/// The counterexample in sentences, a headline and a line per path.
std::vector<std::string> describe(const Counterexample& counterexample);

/// The shortest counterexample that `block` offers; nothing if the block ends as the collective asks.
/// Independent of Execution and ResultCheck: follows every contribution through the trace, not the terms.
/// Cost: O(moves + ranks) per contributor; contributors after the first wrong one are tried while cheap. Which copies
/// destroyed data is looked for if it costs no more than that, at O(moves + ranks) per 64 contributors.
std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace);

}  // namespace onceover::verifier
