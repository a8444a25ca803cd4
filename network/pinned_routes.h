// Ways that a user pins, which the messages of some lanes, or between some ranks, take in place of shortest paths.
#pragma once

#include <map>
#include <string_view>
#include <tl/expected.hpp>
#include <tuple>
#include <vector>

#include "base/source_text.h"
#include "network/routing.h"

namespace onceover::network {

/// The rules of a file, for one network. Memory: a bit a node for each lane that avoids some.
class PinnedRoutes {
 public:
  /// The way of a message, if a rule names its ends; a rule that names its lane, too, comes first. O(log rules).
  const Route* find(Rank src, Rank dst, int lane) const;

  /// Which nodes forward the lane's other messages, by node; null if the lane avoids none.
  const std::vector<bool>* forwarding(int lane) const;

 private:
  friend class PinnedRoutesReader;

  static constexpr int any_lane = -1;

  std::map<std::tuple<Rank, Rank, int>, Route> routes_;
  std::map<int, std::vector<bool>> forwarding_;  // by lane
};

/// Reads rules, one a line, behind which '#' begins a comment; `name` stands for the file in errors, `schedule` for
/// what has the lanes:
///
///     lane 1 avoids nicB0 nicB1
///     0 -> 2 takes pcie0 nicA0 top nicA1 pcie1
///     lane 0, 3 -> 1 takes pcie1 top pcie0
///
/// Nodes are called as in the network's file, or, if it is not from a file, by the rank that sits there, or "switch 2";
/// a name with blanks stands between quotes. Between ranks, a message takes all the nodes that are named, in order, and
/// of several links between two nodes the first; with `avoids` it takes shortest paths through others.
///
/// Errors are a lane or rank that the schedule lacks, an unknown node, nodes that no link joins, a way that comes to a
/// node twice or through one that doesn't forward, a second rule for the same, lanes with which ranks no longer reach
/// each other, and a file without rules. `avoids` is refused on a grid, whose routes follow its lines. O(text + lanes *
/// links).
tl::expected<PinnedRoutes, SourceError> read_pinned_routes(std::string_view text, std::string_view name,
                                                           const Network& network, int lanes,
                                                           std::string_view schedule = "the schedule");

}  // namespace onceover::network
