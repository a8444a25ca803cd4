// Any algorithm within nodes, any across them: which pairs the theorem covers, and its function for them.
#pragma once

#include "proofs/routes/kernel.h"

namespace onceover::proofs {

/// Hierarchical.v: their function is a product, of the part across the nodes and the one within.
inline constexpr KernelTheorem hierarchical_once{
    "hierarchical_once", "Hierarchical.v",
    "k nodes of m ranks: any two parts of the catalogue (Hierarchical.v: parts), one within the nodes and one across "
    "them, with up to m and k blocks, make a reduce-scatter, an allgather and an allreduce that are exactly once",
    "forall k m across within j w, In across (parts k) -> In within (parts m) -> 0 < j <= k -> 0 < w <= m ->\n"
    "  let q := node_owner m w in\n"
    "  exactly_once (ReduceScatter q) (k * m) (j * w) (nodes_reduce_scatter across within j w) /\\\n"
    "  exactly_once (Allgather q) (k * m) (j * w) (nodes_allgather across within j w) /\\\n"
    "  exactly_once Allreduce (k * m) (j * w) (nodes_allreduce across within j w)"};
inline constexpr KernelTheorem hierarchical_trees_once{
    "hierarchical_trees_once", "Hierarchical.v",
    "k nodes of m ranks: any two trees of these parts make a broadcast and a reduce that are exactly once with any "
    "root, when all ranks move along with it",
    "forall k m across within blocks,\n"
    "  In across (parts k) -> In within (parts m) -> 0 < k -> 0 < m -> 0 < blocks ->\n"
    "  all_rooted (k :: m :: nil) blocks (steps (nodes_of across within)) (nodes_tree across within)"};

/// The theorem's function for a run of the row; nothing if a part isn't one of the theorem's, or if there are more
/// ranks than `most_routed`.
std::optional<RoutedSchedule> nodes_schedule(const RowRun& run);

}  // namespace onceover::proofs
