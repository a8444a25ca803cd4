// Tally: what executing blocks found, added up over threads, orbits and processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

struct Tally {
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
  Checks checks = {};           // the same ones in all tallies that are merged; none if some are of other processes

  /// Is there a block that isn't as the collective asks?
  bool has_failures() const { return undefined.count + clashing.count + wrong.count > 0; }

  void merge(const Tally& other);
};

/// What executing every block would have found. The tally is of one block of each orbit, each counted as often as the
/// orbit has blocks; the failures that it names become the lowest of all.
Tally in_whole_orbits(Tally tally, const Symmetry& symmetry, const Header& header);

/// The tallies of all processes, added up; every process gets the same. `windows` says how the blocks are divided.
/// Throws if the processes don't judge the same blocks of the same schedule: otherwise a mixture could seem to have no
/// fault. If one process was asked to stop, all are.
Tally merged(const Tally& mine, Team& team, const Schedule& schedule, const std::string& windows);

}  // namespace onceover::verifier
