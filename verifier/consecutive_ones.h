// Is there an order of things in which each of some sets is one run? (Consecutive ones)
#pragma once

#include <optional>
#include <vector>

#include "schedules/types.h"

namespace onceover::verifier {

/// A subset of 0 .. n-1, ascending.
using ThingSet = std::vector<Block>;

/// An order of 0 .. n-1 in which every set is one run, or nothing if there is none. The answer is exact: a PQ-tree
/// (Booth and Lueker 1976) holds all orders that the sets so far allow.
///
/// O(n) for each set; memory O(n). The recursion is as deep as the tree, at most n / 2.
std::optional<std::vector<Block>> consecutive_order(Block n, const std::vector<ThingSet>& sets);

/// For sets without such an order: some of them that have none either, but would without any one of them. Calls
/// consecutive_order once for each set up to the first that leaves no order.
std::vector<ThingSet> smallest_conflict(Block n, const std::vector<ThingSet>& sets);

/// Is the set one run in this order? `position` is the place of each thing. O(set).
bool is_run(const ThingSet& set, const std::vector<Block>& position);

}  // namespace onceover::verifier
