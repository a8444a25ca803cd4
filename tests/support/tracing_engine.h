// A second slow judge: executes schedules with values that remember everything, for properties beyond exactly-once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "namespaces.h"
#include "schedules/schedule.h"

namespace onceover::support::reference {

/// A value as the full expression that made it, and all that went into it.
struct Traced {
  std::string sum;          // as it was added up, with the sides of each sum sorted: "((x0.3+x1.3)+x2.3)"
  std::set<Rank> ranks;     // whose contributions are in it
  bool in_order = true;     // every sum in it joins two neighbouring runs of ranks
  std::set<int> transfers;  // block transfers that it came through
};

/// What a well-formed schedule did.
struct Traces {
  std::vector<std::map<Block, Traced>> results;  // by rank: what it must hold at the end, and does
  int block_transfers = 0;
  int known = 0;             // carry what the receiver has
  std::set<int> unknown;     // the others
  std::uint64_t staged = 0;  // most blocks that a rank holds for others after a step
};

/// Executes a schedule that is well-formed. Slow: values are written out.
Traces trace(const Schedule& schedule);

/// Do all results add up neighbouring runs only? Do the ranks agree, up to the sides of sums? On how many sums?
bool is_order_preserving(const Traces& traces);
std::size_t most_different_sums(const Traces& traces, Block blocks);

/// Does a rank get more from another rank while it still has to pass on what came from there? Or does it add up more
/// for a rank before it has sent what it added up for it?
bool reuses_full_buffers(const Schedule& schedule);

/// Block transfers whose value the receiver has, or that went into no result.
int redundant_transfers(const Traces& traces);

}  // namespace onceover::support::reference
