// Counterexample: what is wrong with a schedule, a program or a running library, where it is, and the same in
// sentences.
//
// A counterexample is a place (rank, block, step) and one of the things that can be wrong there, each a struct with the
// facts about it. So nobody can ask it for facts that it lacks, and if you add a kind of fault, the compiler points to
// the places in counterexample.cpp that must describe it. Code that only passes the facts on, such as JSON, takes
// `facts()`.
//
// Example: rank 2 ends with rank 0's contribution to block 1 twice.
//   {.what = Duplicate{.contributor = 0, .times = 2, .paths = {..}}, .rank = 2, .block = 1}
//
// Memory and time: those of the few paths and sums that are shown.
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

/// A small piece of evidence: a place, and one of the things that can be wrong there. Each of these has its name in
/// JSON (`kind`) and the words under which reports count it (`noun`). Schedules, programs and running libraries share
/// Duplicate, Missing, WrongSource, Gap and Different. A program adds what was written where (see `chunk`), a library
/// what its result holds (see `element`).
struct Counterexample {
  static constexpr std::uint64_t many = 1'000'000'000'000;
  static constexpr std::size_t shown_paths = 8;

  /// An operation of a program.
  struct Site {
    Rank rank;
    std::int32_t thread;
    std::int32_t number;
    std::uint32_t line;      // in its file; 0: none
    bool has_thread = true;  // false: its file has no threads, only lines
    std::uint32_t column = 0;
    friend bool operator==(const Site&, const Site&) = default;
  };

  /// The meaning of an alltoall's block: the source's data for the destination. If two ranks have several such blocks,
  /// `part` numbers them.
  struct Route {
    Rank source;
    Rank destination;
    std::optional<Block> part = {};
    friend bool operator==(const Route&, const Route&) = default;
  };

  /// One move of a path: src sends at `step`, dst has the value afterwards.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    std::optional<Block> into = {};  // the block in which it lands, if that isn't the counterexample's
    friend bool operator==(const Leg&, const Leg&) = default;
  };
  using Path = std::vector<Leg>;

  /// The rank ends with the contributor's data several times.
  struct Duplicate {
    static constexpr std::string_view kind = "duplicate", noun = "wrong results (rank, block)";
    /// The operation of a program that adds the contribution to itself, and the two sides of that sum.
    struct Sum {
      Site site;
      std::string first;
      std::string second;
    };
    Rank contributor;
    std::uint64_t times;           // at most `many`
    std::vector<Path> paths = {};  // the paths it took, shortest first, at most `shown_paths`
    std::optional<Sum> sum = {};
  };
  /// The rank ends without the contribution. At `step` a copy replaced it, or the value was sent on without it.
  struct Missing {
    static constexpr std::string_view kind = "missing", noun = Duplicate::noun;
    std::optional<Rank> contributor;        // none: the rank holds nothing
    std::vector<Path> paths = {};           // how far it came, if it was ever sent
    std::optional<Rank> replaced_by = {};   // the rank whose copy replaced it
    std::optional<Rank> replaced_on = {};   // where: on the rank itself, or on one that its value came from
    std::optional<Block> replaced_in = {};  // in which block, if that isn't the counterexample's
    bool is_destroyed = false;              // that copy removed contributions and brought none
    std::uint64_t others = 0;               // how many more contributors a program's rank lacks
  };
  /// A result holds data that doesn't belong there.
  struct WrongSource {
    static constexpr std::string_view kind = "wrong-source", noun = "wrong results (rank, chunk)";
    std::optional<Rank> contributor = {};  // whose data; none: nobody's, or another element's
    std::int32_t chunk = 0;                // of a program: which chunk of the contributor's input; of a schedule: block
    std::uint64_t times = 0;
  };
  /// The rank ends with the whole result of another block: in the place of the counterexample's, or as another rank
  /// should.
  struct Misplaced {
    static constexpr std::string_view kind = "misplaced", noun = Duplicate::noun;
    Rank contributor;                     // one whose contribution to the counterexample's block the rank lacks
    Block held;                           // the block that it has instead
    std::optional<Rank> owner;            // the rank that should have that; none: it lies in the counterexample's place
    std::vector<std::string> shown = {};  // how all blocks changed places
    std::vector<Path> paths = {};         // how far the contribution came
  };
  /// The rank sends a block that it doesn't hold, or reduces into a block that it doesn't hold.
  struct NotHeld {
    static constexpr std::string_view kind = "not-held", noun = "blocks without a defined result";
    Leg leg;
  };
  /// A copy and another write to one rank and block in one step.
  struct Conflict {
    static constexpr std::string_view kind = "conflict", noun = NotHeld::noun;
    Leg leg;
    Leg other;
    bool is_clash = false;  // both are copies of one value
  };
  struct SelfTransfer {
    static constexpr std::string_view kind = "self-transfer", noun = "such transfers";
  };
  /// A transfer names a rank or block that doesn't exist.
  struct OutOfRange {
    static constexpr std::string_view kind = "out-of-range", noun = "such transfers";
  };
  /// A sum joins runs of ranks that aren't neighbours.
  struct Gap {
    static constexpr std::string_view kind = "gap", noun = "such sums";
    std::array<std::string, 2> shown;     // the runs
    std::optional<Rank> other_rank = {};  // of a schedule: the sender of one of them
    std::optional<Site> site = {};        // of a program: the operation that adds them
  };
  /// A sum's sides aren't in the order of the ranks 0..last, which an operator that doesn't commute needs.
  struct Unordered {
    static constexpr std::string_view kind = Gap::kind, noun = Gap::noun;
    Rank last;
  };
  /// A library's result can't be read as a sum, so its sides have no order.
  struct NoSum {
    static constexpr std::string_view kind = Gap::kind, noun = Gap::noun;
  };
  /// Two ranks end with different sums.
  struct Different {
    static constexpr std::string_view kind = "different", noun = "blocks that differ";
    std::uint64_t times;  // how many different sums there are
    Rank other_rank;
    std::vector<std::string> shown;                      // both sums; then what only the first adds up, only the second
    std::array<std::optional<Site>, 2> written_by = {};  // of a program: what wrote each last
  };
  /// A rank ends with a different sum in a later call of a library.
  struct Changed {
    static constexpr std::string_view kind = Different::kind, noun = Different::noun;
    std::string before;  // in the first call
    std::size_t call;    // from 1
  };
  /// The rank receives what it already holds.
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
  /// More comes from `other_rank`, or is added up for it, before what came or was added up has left.
  struct NotEmptied {
    static constexpr std::string_view kind = "not-emptied", noun = "uses of a buffer that isn't empty";
    Rank other_rank;
    int until;  // the step in which that leaves
    bool is_sum;
  };
  /// Messages that can't all be runs, in any order of the blocks.
  struct Scattered {
    static constexpr std::string_view kind = "scattered", noun = "messages of several runs as they lie";
    std::vector<std::string> shown;
  };
  /// An operation reads what nothing has set.
  struct Unset {
    static constexpr std::string_view kind = "unset", noun = "such operations";
    Site site;
  };
  /// An operation names chunks that its buffer doesn't have, or its two ranges overlap.
  struct BadRange {
    static constexpr std::string_view kind = "no-slot", noun = Unset::noun;
    Site site;
    std::string does;
  };
  /// An operation of an out-of-place program writes to the user's input.
  struct Overwritten {
    static constexpr std::string_view kind = "overwritten", noun = Unset::noun;
    Site site;
  };
  /// An operation waits for something that never comes.
  struct Starved {
    static constexpr std::string_view kind = "starved", noun = "connections or waits without a counterpart";
    Site site;
    std::string does;
    std::optional<Site> sender = {};  // the sender of a message that doesn't fit
  };
  /// Operations that wait in a circle, each of `sites` for the next.
  struct Deadlock {
    static constexpr std::string_view kind = "deadlock", noun = "such circles";
    std::size_t operations;
    std::vector<Site> sites = {};
    std::vector<std::string> waits = {};
    std::string remedy = {};
  };
  /// Two operations use a chunk, at least one writes it, and nothing orders them.
  struct Race {
    static constexpr std::string_view kind = "race", noun = "racing pairs of accesses";
    struct Access {
      Site site;
      bool writes;
    };
    std::array<Access, 2> accesses;
    std::vector<std::string> gaps;  // why the existing order doesn't cover them
  };

  /// A nop between two operations of a block that follow each other, by which a race is gone. The plan with it was
  /// judged: it passes, or these required properties still fail; if neither, its verdict is unknown.
  struct Repair {
    Rank rank;
    std::int32_t block;
    std::int32_t after;  // the operations' positions in the block, without the nop
    std::int32_t before;
    bool passes;
    std::vector<std::string> still_fails = {};
  };

  /// Operations of a plan that, as they are, may go wrong.
  struct Unsafe {
    static constexpr std::string_view kind = "unsafe", noun = "such faults";
    std::string headline;
    std::vector<Site> sites = {};
    std::vector<std::string> lines = {};
    std::optional<Repair> repair = {};
  };

  using What = std::variant<Duplicate, Missing, WrongSource, Misplaced, NotHeld, Conflict, SelfTransfer, OutOfRange,
                            Gap, Unordered, NoSum, Different, Changed, AlreadyHeld, Unused, Ports, Staging, NotEmptied,
                            Scattered, Unset, BadRange, Overwritten, Starved, Deadlock, Race, Unsafe>;

  /// What a rank of a program ends with in its slot.
  struct Chunk {
    std::string value;
    std::optional<Site> writer = {};       // the last to write it
    std::optional<Site> first_store = {};  // if none did: the rank's first operation that stores anything
  };

  /// What a rank of a running library ends with in an element of its result.
  struct Element {
    std::size_t index;
    std::string value;
    std::string due = {};
    std::optional<std::size_t> position = {};  // the element that the value belongs to
  };

  What what;
  Rank rank = 0;
  std::optional<Block> block = {};     // or the element's position; none: it is about no block
  std::optional<Route> route = {};     // of an alltoall: the block's meaning, shown instead of its number
  std::optional<int> step = {};        // when it went wrong
  std::optional<int> final_step = {};  // of a wrong result: when the rank's last value was made, if ever
  std::string slot = {};               // of a program: the chunk of memory, such as o[3]
  std::optional<Chunk> chunk = {};
  std::optional<Element> element = {};
  std::vector<Rank> owners = {};       // of a schedule: other owners of its blocks, with which it would pass
  std::vector<std::string> ways = {};  // of a program with several ways to run it: those that show the fault
  Names names = {};                    // of a schedule: what it calls the ranks and steps

  std::string_view kind() const;
  std::string_view noun() const;

  /// All facts, in fields that every kind shares, for code that writes them down whatever they are.
  struct Facts {
    std::optional<Rank> contributor = {};
    std::optional<Rank> other_rank = {};
    std::optional<Rank> replaced_by = {};
    std::optional<Rank> replaced_on = {};
    std::optional<Block> replaced_in = {};
    std::optional<std::uint64_t> times = {};
    std::optional<std::uint64_t> allowed = {};
    std::optional<Block> held = {};
    bool is_destroyed = false;
    std::vector<Path> paths = {};
    std::vector<std::string> shown = {};
    std::vector<Site> sites = {};
    std::optional<Repair> repair = {};
  };
  Facts facts() const;

  /// Is this one easier to follow? In order of weight: it shows a copy that destroyed data (nobody wants such a copy),
  /// the earliest of these first; it shows where a contribution was lost; its value was final earlier, so it is nearer
  /// to the cause; it shows what replaced the contribution; the paths that it shows have fewer moves in all.
  bool simpler_than(const Counterexample& other) const;
};

/// The meaning of an alltoall's block; nothing for other collectives and for blocks that don't exist.
std::optional<Counterexample::Route> route_of(const Header& header, Block block);

/// "0 -> 1", "0 -> 1 (part 2)": from source to destination.
std::string text(const Counterexample::Route& route);

/// "rank 0, thread block 1, step 2 (line 14)".
std::string text(const Counterexample::Site& site);

/// "needs a nop between operations 4 and 5 of gpu 0, block 1; the plan with it passes", or what else was found with it.
std::string text(const Counterexample::Repair& repair);

/// The counterexample in sentences: a headline, then the explanation.
std::vector<std::string> describe(const Counterexample& counterexample);

/// The simplest counterexample for `block`; nothing if the block ends as the collective asks. It is independent of
/// Execution and ResultCheck: it follows every contribution through the trace and doesn't use terms. Cost: O(moves +
/// ranks) for each contributor; after the first wrong one it tries others while that is cheap. If it costs no more than
/// that, it also looks for copies that destroyed data, at O(moves + ranks) for 64 contributors.
std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace);

/// The first clash of `block` (see Execution) before its execution ends; nothing if it has none.
std::optional<Counterexample> first_clash(const Schedule& schedule, Block block);

}  // namespace onceover::verifier
