// What is wrong with a schedule, a program or a running library: where it is, what it is, and the same in sentences.
//
// A counterexample is a place (rank, block, step) and one of the things that can be wrong there, each a struct of what
// one must know of it. So nothing can be asked of it that it hasn't got, and who adds a thing is told by the compiler
// where it is told: in counterexample.cpp, all of it. Who only hands on what there is, such as JSON, takes `facts()`.
//
// Example: rank 2 ends with rank 0's contribution to block 1 twice.
//   {.what = Duplicate{.contributor = 0, .times = 2, .paths = {..}}, .rank = 2, .block = 1}
//
// Memory and time: those of the paths and sums shown, of which there are few.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"

namespace onceover::verifier {

/// A smallest piece of evidence. A place, and one of the things that can be wrong there; each of these has the name
/// that JSON gives it (`kind`), and what reports count it as (`noun`). Duplicate, Missing, WrongSource, Gap and
/// Different are told of schedules, of programs (with what was written where, see `chunk`) and of running libraries
/// (with what is in the result, see `element`).
struct Counterexample {
  static constexpr std::uint64_t many = 1'000'000'000'000;
  static constexpr std::size_t shown_paths = 8;

  /// An operation of a program.
  struct Site {
    Rank rank;
    std::int32_t thread;
    std::int32_t number;
    std::uint32_t line;      // of its file; 0: there is none
    bool has_thread = true;  // false: its file knows no threads, only lines
    friend bool operator==(const Site&, const Site&) = default;
  };

  /// A block of an alltoall by what it is: the source's data for the destination. Where each two ranks have several
  /// such blocks, `part` numbers them.
  struct Route {
    Rank source;
    Rank destination;
    std::optional<Block> part = {};
    friend bool operator==(const Route&, const Route&) = default;
  };

  /// One move of a path: src sends at `step`, dst has it after.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    friend bool operator==(const Leg&, const Leg&) = default;
  };
  using Path = std::vector<Leg>;

  /// The rank ends with the contributor's data several times.
  struct Duplicate {
    static constexpr std::string_view kind = "duplicate", noun = "wrong results (rank, block)";
    /// The operation of a program that adds it to itself, and its two sides.
    struct Sum {
      Site site;
      std::string first;
      std::string second;
    };
    Rank contributor;
    std::uint64_t times;           // at most `many`
    std::vector<Path> paths = {};  // ways that it took, shortest first, at most `shown_paths`
    std::optional<Sum> sum = {};
  };
  /// The rank ends without it. At `step` a copy replaced it, or it was sent on without it.
  struct Missing {
    static constexpr std::string_view kind = "missing", noun = Duplicate::noun;
    std::optional<Rank> contributor;       // none: nothing is there
    std::vector<Path> paths = {};          // how far it came, if it left home at all
    std::optional<Rank> replaced_by = {};  // it was there, but a copy from this rank replaced it
    std::optional<Rank> replaced_on = {};  // where that was: on the rank itself, or on one that it got its value of
    bool is_destroyed = false;             // that copy took contributions away and brought none
    std::uint64_t others = 0;              // contributors of a program that are missing, too
  };
  /// A result holds other data than what belongs there.
  struct WrongSource {
    static constexpr std::string_view kind = "wrong-source", noun = "wrong results (rank, chunk)";
    std::optional<Rank> contributor = {};  // whose; none: nobody's, or another element's
    std::int32_t chunk = 0;                // of a program: which of its input
    std::uint64_t times = 0;
  };
  /// The rank sends a block that it doesn't hold, or reduces into one.
  struct NotHeld {
    static constexpr std::string_view kind = "not-held", noun = "blocks without a defined result";
    Leg leg;
  };
  /// A copy and another write to one rank and block in one step.
  struct Conflict {
    static constexpr std::string_view kind = "conflict", noun = NotHeld::noun;
    Leg leg;
    Leg other;
  };
  struct SelfTransfer {
    static constexpr std::string_view kind = "self-transfer", noun = "such transfers";
  };
  /// A transfer names a rank or block that isn't there.
  struct OutOfRange {
    static constexpr std::string_view kind = "out-of-range", noun = "such transfers";
  };
  /// A sum joins runs of ranks that aren't neighbours.
  struct Gap {
    static constexpr std::string_view kind = "gap", noun = "such sums";
    std::array<std::string, 2> shown;     // the runs
    std::optional<Rank> other_rank = {};  // of a schedule: who sent one of them
    std::optional<Site> site = {};        // of a program: what adds them up
  };
  /// The sides of a sum aren't in the order of the ranks 0..last, as an operator that doesn't commute needs them.
  struct Unordered {
    static constexpr std::string_view kind = Gap::kind, noun = Gap::noun;
    Rank last;
  };
  /// What a library left can't be read as a sum, so no sides of it are in any order.
  struct NoSum {
    static constexpr std::string_view kind = Gap::kind, noun = Gap::noun;
  };
  /// Two ranks end with different sums.
  struct Different {
    static constexpr std::string_view kind = "different", noun = "blocks that differ";
    std::uint64_t times;  // how many different ones there are
    Rank other_rank;
    std::vector<std::string> shown;                      // both sums; then what only the one adds up, only the other
    std::array<std::optional<Site>, 2> written_by = {};  // of a program: what wrote them last
  };
  /// A rank ends with another sum in a later call of a library.
  struct Changed {
    static constexpr std::string_view kind = Different::kind, noun = Different::noun;
    std::string before;  // in the first call
    std::size_t call;    // from 1
  };
  /// The rank receives what it has.
  struct AlreadyHeld {
    static constexpr std::string_view kind = "already-held", noun = "useless block transfers";
    Rank other_rank;
  };
  /// The rank receives what nobody uses.
  struct Unused {
    static constexpr std::string_view kind = "unused", noun = AlreadyHeld::noun;
    Rank other_rank;
  };
  /// The rank sends, or receives, too many messages in one step.
  struct Ports {
    static constexpr std::string_view kind = "ports", noun = "times above that (rank, step)";
    std::array<std::string, 1> shown;  // "sends", "receives"
    std::uint64_t times;
    std::uint64_t allowed;
  };
  /// The rank holds too many blocks for others after a step.
  struct Staging {
    static constexpr std::string_view kind = "staging", noun = Ports::noun;
    std::uint64_t times;
    std::uint64_t allowed;
  };
  /// Messages that can't all be runs, whatever the order of the blocks.
  struct Scattered {
    static constexpr std::string_view kind = "scattered", noun = "messages of several runs as they lie";
    std::vector<std::string> shown;
  };
  /// An operation reads what nobody set.
  struct Unset {
    static constexpr std::string_view kind = "unset", noun = "such operations";
    Site site;
  };
  /// An operation names chunks that its buffer hasn't got, or both sides of it overlap.
  struct BadRange {
    static constexpr std::string_view kind = "no-slot", noun = Unset::noun;
    Site site;
    std::string does;
  };
  /// An operation writes to the user's input, out of place.
  struct Overwritten {
    static constexpr std::string_view kind = "overwritten", noun = Unset::noun;
    Site site;
  };
  /// An operation waits for what never comes.
  struct Starved {
    static constexpr std::string_view kind = "starved", noun = "connections or waits without a counterpart";
    Site site;
    std::string does;
    std::optional<Site> sender = {};  // of a message that doesn't fit
  };
  /// Operations wait for each other, each of `sites` for the next.
  struct Deadlock {
    static constexpr std::string_view kind = "deadlock", noun = "such circles";
    std::size_t operations;
    std::vector<Site> sites = {};
    std::vector<std::string> waits = {};
    std::string remedy = {};
  };
  /// Two operations use a chunk, one writes it, and nothing orders them.
  struct Race {
    static constexpr std::string_view kind = "race", noun = "pairs of accesses that race, or more";
    struct Access {
      Site site;
      bool writes;
    };
    std::array<Access, 2> accesses;
    std::vector<std::string> gaps;  // what the order that there is doesn't cover
  };

  using What = std::variant<Duplicate, Missing, WrongSource, NotHeld, Conflict, SelfTransfer, OutOfRange, Gap,
                            Unordered, NoSum, Different, Changed, AlreadyHeld, Unused, Ports, Staging, Scattered, Unset,
                            BadRange, Overwritten, Starved, Deadlock, Race>;

  /// What a program's rank ends with in its slot.
  struct Chunk {
    std::string value;
    std::optional<Site> writer = {};       // who wrote it last
    std::optional<Site> first_store = {};  // if nobody did: the rank's first operation that stores anything
  };

  /// What a rank ends with in an element of its result, when a library ran.
  struct Element {
    std::size_t index;
    std::string value;
    std::string due = {};
    std::optional<std::size_t> position = {};  // the value is of another element
  };

  What what;
  Rank rank = 0;
  std::optional<Block> block = {};     // or the element's position; none: it isn't about one
  std::optional<Route> route = {};     // of an alltoall: what the block is, told in place of its number
  std::optional<int> step = {};        // when it went wrong
  std::optional<int> final_step = {};  // of a wrong result: when the rank's last value was made, if it ever was written
  std::string slot = {};               // of a program: the chunk of memory that it is about, such as o[3]
  std::optional<Chunk> chunk = {};
  std::optional<Element> element = {};
  std::vector<std::string> ways = {};  // of a program that can be run in several: those that show it

  std::string_view kind() const;
  std::string_view noun() const;

  /// All that is known of it, in fields that every kind of it has: for who writes them down, whatever they are.
  struct Facts {
    std::optional<Rank> contributor = {};
    std::optional<Rank> other_rank = {};
    std::optional<Rank> replaced_by = {};
    std::optional<Rank> replaced_on = {};
    std::optional<std::uint64_t> times = {};
    std::optional<std::uint64_t> allowed = {};
    bool is_destroyed = false;
    std::vector<Path> paths = {};
    std::vector<std::string> shown = {};
    std::vector<Site> sites = {};
  };
  Facts facts() const;

  /// Is this one easier to follow? The copy that destroyed data, and the earliest of those, beats all else: nobody
  /// wants one. Then one that shows where a contribution was lost beats one that doesn't. Then the value that was final
  /// earlier is nearer to the cause, then one that shows what replaced the contribution, and at last the fewer moves in
  /// all paths shown, the better.
  bool simpler_than(const Counterexample& other) const;
};

/// What a block of an alltoall is; nothing for other collectives, and for a block that isn't there.
std::optional<Counterexample::Route> route_of(const Header& header, Block block);

/// "0 -> 1", "0 -> 1 (part 2)": from source to destination.
std::string text(const Counterexample::Route& route);

/// "rank 0, thread block 1, step 2 (line 14)".
std::string text(const Counterexample::Site& site);

/// The counterexample in sentences, a headline and what explains it.
std::vector<std::string> describe(const Counterexample& counterexample);

/// The shortest counterexample that `block` offers; nothing if the block ends as the collective asks.
/// Independent of Execution and ResultCheck: follows every contribution through the trace, not the terms.
/// Cost: O(moves + ranks) per contributor; contributors after the first wrong one are tried while cheap. Which copies
/// destroyed data is looked for if it costs no more than that, at O(moves + ranks) per 64 contributors.
std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace);

}  // namespace onceover::verifier
