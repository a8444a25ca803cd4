// Blocks executed in windows, by several threads and processes, and what that finds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/property.h"
#include "verifier/symmetry.h"
#include "verifier/team.h"

namespace onceover::verifier {

/// Blocks that failed in one way: how many, and the lowest of them in ascending order. The shortest counterexample is
/// looked for among these.
struct Failures {
  static constexpr std::size_t most_kept = 64;

  std::uint64_t count = 0;
  std::vector<Block> lowest = {};

  /// Adds a block, which stands for `times` blocks; blocks must come in ascending order.
  void add(Block block, std::uint64_t times);
  void merge(const Failures& other);
};

/// A property that is judged block by block, and its judge.
struct JudgedCheck {
  const Property* property;
  std::unique_ptr<BlockCheck> check;
};
using Checks = std::vector<JudgedCheck>;

/// What executing blocks found, added up over threads, orbits and processes.
struct BlockFindings {
  std::uint64_t moves = 0;
  std::uint64_t wrong_results = 0;  // (rank, block) pairs
  std::uint32_t depth = 0;
  bool exhausted = false;       // the budget ran out, and some blocks were not judged
  bool is_uneven = false;       // did folded ranks take part in sums that aren't equally deep on all paths?
  bool by_orbits = false;       // was one rank of each orbit judged of some block?
  Failures undefined = {};      // blocks without a defined result
  Failures clashing = {};       // blocks of which a rank gets several copies of one value in a step; they have a result
  Failures wrong = {};          // blocks with a wrong result on some rank
  Failures differing = {};      // blocks of which ranks end with different sums
  std::uint64_t most_sums = 1;  // the most different sums of one block
  Checks checks = {};           // the same ones in all findings that are merged; none if some are of other processes

  /// Is there a block that isn't as the collective asks?
  bool has_failures() const { return undefined.count + clashing.count + wrong.count > 0; }

  void merge(const BlockFindings& other);
};

/// How blocks are executed.
struct BlockExecution {
  const std::optional<Symmetry>& symmetry;  // if there is one, one block of each orbit stands for the others
  int threads;
  Team* team;                      // processes that share the blocks, where there are no checks; null: alone
  std::uint64_t budget;            // sums that judging results may visit, in all threads and processes together
  std::uint64_t every_rank_up_to;  // sums, up to which every rank's result of a block is judged
  std::function<Checks()> checks;  // makes those of one thread
  std::function<void(double)> on_progress;  // may be empty; see VerifyOptions
};

/// How many blocks a thread should take at a time: about a million moves, and less if that leaves threads without work.
Block window_size(const Schedule& schedule, int threads);

/// For how many blocks the execution runs: all of the schedule, or one of each orbit.
std::int64_t blocks_to_execute(const Schedule& schedule, const std::optional<Symmetry>& symmetry);

/// Executes and judges the blocks, in windows, on threads that take the next one when they are done. What it finds in
/// one block of an orbit counts as often as the orbit has blocks. Every process of a team gets what all have found.
/// Throws if the processes don't judge the same blocks of the same schedule: otherwise a mixture could seem to have no
/// fault. If one process was asked to stop, all are.
BlockFindings execute_blocks(const Schedule& schedule, const BlockExecution& how);

}  // namespace onceover::verifier
