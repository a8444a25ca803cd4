// The verifier: from a schedule to a report.
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
};

/// What they come to: fail if a required one fails, else unknown if a required one is unknown.
Verdict required_verdict(std::span<const PropertyResult> properties);

/// The measures of a program. Steps of threads are no rounds, so there are no measures by step.
struct ProgramMetrics {
  std::uint64_t operations = 0;
  std::uint64_t threads = 0;  // 0: operations have none
  std::uint64_t connections = 0;
  std::uint64_t rounds = 0;                      // messages of the longest chain in which each waits for the one before
  std::optional<std::uint32_t> fifo_depth = {};  // the smallest at which the program ends, if it does at any
  bool has_data = true;                          // false: the file says who sends to whom, but not which data
};

struct Report {
  Verdict verdict;    // that of the required properties
  std::string scope;  // which blocks the verdict rests on
  std::vector<PropertyResult> properties;
  Metrics metrics;                             // of a program only those that say nothing of steps
  std::optional<ProgramMetrics> program = {};  // of a program

  /// What was found on a property; null if it wasn't judged.
  const PropertyResult* find(const Property& property) const;
  PropertyResult* find(const Property& property) {
    return const_cast<PropertyResult*>(std::as_const(*this).find(property));
  }
};

struct VerifyOptions {
  int threads = 0;                         // 0: as many as there are cores
  std::uint64_t budget = 100'000'000'000;  // block transfers and results (rank, block) at most; more is `unknown`
  std::vector<std::string> required = {};  // property ids, besides those required by default
  Bounds bounds = {};
  std::uint64_t unrequired_up_to =
      0;  // block transfers and results up to which properties are judged that nobody required
  std::uint64_t without_symmetry_up_to =
      UINT64_MAX;  // block transfers and results up to which every block is executed, come what may
  std::optional<std::uint32_t> fifo = {};  // programs: messages that a connection holds, 0 for rendezvous; not given:
                                           // what who runs them guarantees
  Team* team = nullptr;                    // processes that judge the schedule together; null: alone
  std::function<void(double)> on_progress = {};  // told the part done, 0 .. 1, now and then, from one thread
};

/// Judges a schedule by every property that is required, and if it is small by the others, too.
///
/// Every transfer of every block is executed symbolically, windows of blocks in parallel; nothing is sampled. Above
/// `without_symmetry_up_to`, if no property is to be judged block by block, a symmetry is looked for (see symmetry.h);
/// where there is one, one block of each orbit is executed, and the report's scope says so. Work: O(block transfers +
/// ranks * blocks), and up to 2 * ranks sums for each different value that a block ends with, which the budget bounds.
/// Memory: O(ranks) a thread, and for a listed schedule the moves of a window of blocks. Properties beyond those
/// required by default replay each block, at several times the cost; `contiguous` keeps the different messages. The
/// same schedule gives the same report, whatever the number of threads, unless the budget runs out on the way.
///
/// With a team each process executes its share of the windows, and all get the same report, the one that each would get
/// alone. A small schedule, or one of which properties are judged block by block, every process judges whole; and so it
/// does the pass over the transfers and the search for a symmetry.
///
/// Throws std::logic_error if the two views of the schedule
/// disagree: a bug here, not in the schedule.
Report verify(const Schedule& schedule, const VerifyOptions& options = {});

}  // namespace onceover::verifier
