// Counterexample: what is wrong with a schedule, or with whatever else is judged, where it is, and the same in
// sentences.
//
// A counterexample is a place (rank, block, step) and one of the things that can be wrong there. Each that can be wrong
// with a schedule is a struct here with the facts about it. So nobody can ask it for facts that it lacks, and if you
// add a kind of fault, the compiler points to the places in counterexample.cpp that must describe it. Code that only
// passes the facts on, such as JSON, takes `facts()`.
//
// Judges in other rooms define kinds of their own, and the sentences about them: `Told`.
//
// Example: rank 2 ends with rank 0's contribution to block 1 twice.
//   {.what = Duplicate{.contributor = 0, .times = 2, .paths = {..}}, .rank = 2, .block = 1}
//
// Memory and time: those of the few paths and sums that are shown.
#pragma once

#include <any>
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

/// A kind of fault: its name in JSON, and the words under which reports count it.
struct FaultKind {
  std::string_view name;
  std::string_view noun;
};

/// A small piece of evidence: a place, and one of the things that can be wrong there. Each of these has its name in
/// JSON (`kind`) and the words under which reports count it (`noun`).
struct Counterexample {
  static constexpr std::uint64_t many = 1'000'000'000'000;
  static constexpr std::size_t shown_paths = 8;

  /// A place in a file of the user's that says what each rank does, operation by operation.
  struct Site {
    Rank rank;
    std::int32_t thread;
    std::int32_t number;
    std::uint32_t line;      // in its file; 0: none
    bool has_thread = true;  // false: its file has no threads, only lines
    std::uint32_t column = 0;
    std::optional<std::uint32_t> iteration = {};  // of an operation in a loop, from 0
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
    Rank contributor;
    std::uint64_t times;           // at most `many`
    std::vector<Path> paths = {};  // the paths it took, shortest first, at most `shown_paths`
  };
  /// The rank ends without the contribution. At `step` a copy replaced it, or the value was sent on without it.
  struct Missing {
    static constexpr std::string_view kind = "missing", noun = Duplicate::noun;
    Rank contributor;
    std::vector<Path> paths = {};           // how far it came, if it was ever sent
    std::optional<Rank> replaced_by = {};   // the rank whose copy replaced it
    std::optional<Rank> replaced_on = {};   // where: on the rank itself, or on one that its value came from
    std::optional<Block> replaced_in = {};  // in which block, if that isn't the counterexample's
    bool is_destroyed = false;              // that copy removed contributions and brought none
  };
  /// The rank ends with a contribution to another block.
  struct WrongSource {
    static constexpr std::string_view kind = "wrong-source", noun = Duplicate::noun;
    Rank contributor;
    Block other_block;
    std::uint64_t times;
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
    std::array<std::string, 2> shown;  // the runs
    Rank other_rank;                   // the sender of one of them
  };
  /// Two ranks end with different sums.
  struct Different {
    static constexpr std::string_view kind = "different", noun = "blocks that differ";
    std::uint64_t times;  // how many different sums there are
    Rank other_rank;
    std::vector<std::string> shown;  // both sums; then what only the first adds up, only the second
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
  /// A buffer is used again too early: more data of `other_rank`, or a sum for it, arrives before the earlier one left.
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
  /// The facts of any kind, in fields that all kinds share, for code such as the JSON writer.
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
    std::string slot = {};         // of a program: the place in memory, such as o[3]
    std::vector<Site> sites = {};  // in the order in which the text mentions them
  };
  /// A fault found by a judge in another room, which defines its kind and writes its sentences.
  struct Told {
    FaultKind kind;
    std::vector<std::string> lines;  // at least one
    Facts facts = {};
    std::vector<std::string> remedies = {};  // the last lines of the description
    std::any own = {};                       // what that room wants to find again
  };

  using What = std::variant<Duplicate, Missing, WrongSource, Misplaced, NotHeld, Conflict, SelfTransfer, OutOfRange,
                            Gap, Different, AlreadyHeld, Unused, Ports, Staging, NotEmptied, Scattered, Told>;

  What what;
  Rank rank = 0;
  std::optional<Block> block = {};     // or the element's position; none: it is about no block
  std::optional<Route> route = {};     // of an alltoall: the block's meaning, shown instead of its number
  std::optional<int> step = {};        // when it went wrong
  std::optional<int> final_step = {};  // of a wrong result: when the rank's last value was made, if ever
  std::vector<Rank> owners = {};       // of a schedule: other owners of its blocks, with which it would pass
  std::vector<std::string> ways = {};  // of what can be run in several ways: those that show the fault
  Names names = {};                    // of a schedule: what it calls the ranks and steps

  std::string_view kind() const;
  std::string_view noun() const;

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

/// "twice", "3 times", "at least 1000000000000 times".
std::string times_text(std::uint64_t times);

/// The counterexample in sentences: a headline, then the explanation.
std::vector<std::string> describe(const Counterexample& counterexample);

/// The simplest counterexample for `block`; nothing if the block ends as the collective asks. It is independent of
/// Execution and ResultCheck: it follows every contribution through the trace and doesn't use terms. Cost: O(moves +
/// ranks) for each contributor; after the first wrong one it tries others while that is cheap. If it costs no more than
/// that, it also looks for copies that destroyed data, at O(moves + ranks) for 64 contributors.
std::optional<Counterexample> explain(const Header& header, Block block, const Trace& trace);

/// The first clash of `block` (see Execution) before its execution ends; nothing if it has none.
std::optional<Counterexample> first_clash(const Schedule& schedule, Block block);

/// If the rank that lacks a contribution ends with the whole of another block instead, says that of the counterexample,
/// and how all blocks changed places. Otherwise, and for large schedules, it changes nothing.
void note_misplaced(const Schedule& schedule, Counterexample& counterexample);

/// Owners of the blocks with which the schedule, which fails, would be well-formed and exactly once; empty if there are
/// none, or if the schedule is large.
std::vector<Rank> owners_that_pass(const Schedule& schedule);

}  // namespace onceover::verifier
