// The verifier: Schedule in, Report out.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/property.h"
#include "verifier/survey.h"
#include "verifier/team.h"

namespace onceover::verifier {

/// The finding on one property.
struct PropertyResult : Finding {
  std::string_view id;
  bool required;
  bool waived = false;  // the user doesn't require what is required by default
};

/// The summary of exactly-once where it fails because well-formed does, which says why.
inline constexpr std::string_view not_well_formed = "not well-formed";

/// The verdict of all required properties: fail if one fails, else unknown if one is unknown, or if there is none.
Verdict required_verdict(std::span<const PropertyResult> properties);

/// The measures of a program. A thread's steps aren't rounds, so there are no measures by step.
struct ProgramMetrics {
  std::uint64_t operations = 0;
  std::uint64_t threads = 0;  // 0: operations belong to no thread
  std::uint64_t connections = 0;
  std::uint64_t rounds = 0;                      // messages in the longest chain where each waits for the one before
  std::optional<std::uint32_t> fifo_depth = {};  // the smallest depth at which the program ends, if there is one
  std::string collective = {};                   // of a plan, if it is none that schedules have
  bool has_data = true;                          // false: the file says which rank sends to which, but not which data
};

struct Report {
  Verdict verdict;                    // that of the required properties
  std::string scope;                  // which blocks the verdict rests on
  std::string scope_of_several = {};  // the same without numbers of blocks, for several schedules; empty: it has none
  std::vector<PropertyResult> properties;
  Metrics metrics;                             // of a program: only those that aren't about steps
  std::optional<ProgramMetrics> program = {};  // only of a program
  std::vector<std::string> not_tried = {};     // what a user may take to be judged, and isn't

  /// The finding on a property; null if it wasn't judged.
  const PropertyResult* find(const Property& property) const;
  PropertyResult* find(const Property& property) {
    return const_cast<PropertyResult*>(std::as_const(*this).find(property));
  }
};

/// Sizes of messages in bytes, both inclusive.
struct MessageSizes {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

struct VerifyOptions {
  int threads = 0;                             // 0: as many as there are cores
  std::uint64_t budget = 100'000'000'000;      // block transfers and results (rank, block) at most; more is `unknown`
  std::vector<std::string> required = {};      // property ids, besides those required by default
  std::vector<std::string> waived = {};        // ids of those required by default that the user doesn't require
  std::vector<const Property*> measured = {};  // judged at any size, for the number that the finding has
  Bounds bounds = {};
  /// Up to this many block transfers and results, properties are judged that nobody requires.
  std::uint64_t unrequired_up_to = 0;
  /// Up to this many block transfers and results, every block is executed, whether or not there is a symmetry. If
  /// judging a block's results takes at most as many sums, every rank's is judged.
  std::uint64_t without_symmetry_up_to = UINT64_MAX;
  /// For programs: how many messages a connection holds, 0 for rendezvous. If not given, what their runtime guarantees.
  std::optional<std::uint32_t> fifo = {};
  std::optional<MessageSizes> sizes = {};        // for plans of MSCCL++: judge these alone, and all of them
  bool without_data = false;                     // for plans of no known collective: don't require their data
  Team* team = nullptr;                          // processes that judge the schedule together; null: alone
  std::function<void(double)> on_progress = {};  // gets the part done, 0 .. 1, now and then, on one thread
};

/// Is the property required, by default or by the user? Giving it a bound requires it, too.
bool is_required(const Property& property, const VerifyOptions& options);

/// The finding with what the user asks of the property.
PropertyResult result_on(const Property& property, Finding finding, const VerifyOptions& options);

/// Judges a schedule by every required property, and if it is small by the others, too.
///
/// Every transfer of every block is executed symbolically, windows of blocks in parallel; nothing is sampled. Above
/// `without_symmetry_up_to`, if no property is judged block by block, it looks for a symmetry (see symmetry.h). If
/// there is one, it executes one block of each orbit, and the report's scope says so. If many ranks end with different
/// sums of a block, it judges one of each orbit of a symmetry of the block's moves, and says that, too. The same
/// schedule gives the same report, whatever the number of threads, unless the budget runs out on the way.
///
/// Work: O(block transfers + ranks * blocks), and up to 2 * ranks sums for each different value that a block ends with,
/// which the budget limits. Properties beyond those required by default replay each block, at several times that cost.
/// Memory: O(ranks) for each thread, and for a listed schedule the moves of a window of blocks; `contiguous` also keeps
/// the different messages.
///
/// With a team, each process executes its share of the windows. All get the same report, which is the one that each
/// would get alone. If the schedule is small, or a property is judged block by block, every process judges the whole
/// schedule. Each process also makes the survey and the search for a symmetry on its own.
///
/// Throws std::logic_error if the two views of the schedule disagree, which is a bug of ours, not of the schedule.
Report verify(const Schedule& schedule, const VerifyOptions& options = {});

}  // namespace onceover::verifier
