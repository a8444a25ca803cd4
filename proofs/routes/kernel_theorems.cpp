// The theorems of proofs/coq that runs cite: their names, what they say in words, and their statements for Coq.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "proofs/routes/kernel.h"
#include "proofs/routes/offsets.h"

namespace onceover::proofs {

namespace {

constexpr std::array accepted{
    KernelTheorem{"swing_once", "SwingAll.v",
                  "for every p > 0, odd p included, Swing's reduce-scatter, allgather and allreduce are exactly once",
                  "forall p, 0 < p ->\n"
                  "  exactly_once (ReduceScatter (owner p)) p p (swing_reduce_scatter p) /\\\n"
                  "  exactly_once (Allgather (owner p)) p p (swing_allgather p) /\\\n"
                  "  exactly_once Allreduce p p (swing_allreduce p)"},
    KernelTheorem{
        "swing_torus_once", "SwingAll.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, plain and mirrored, "
        "Swing's reduce-scatter, allgather and allreduce are exactly once",
        "forall sides, Forall (fun n => 0 < n) sides -> forall lanes, 0 < lanes -> let p := extent sides in\n"
        "  exactly_once (ReduceScatter (owner p)) p (lanes * p) (torus_reduce_scatter sides lanes) /\\\n"
        "  exactly_once (Allgather (owner p)) p (lanes * p) (torus_allgather sides lanes) /\\\n"
        "  exactly_once Allreduce p (lanes * p) (torus_allreduce sides lanes)"},
    KernelTheorem{"swing_trees_all_once", "Rooted.v",
                  "on a torus with any number of sides, each > 0, and with any number of lanes > 0, Swing's broadcast "
                  "and reduce are exactly once with any root, when all ranks move along with it",
                  "forall sides lanes, Forall (fun n => 0 < n) sides -> 0 < lanes ->\n"
                  "  all_rooted sides lanes (steps (tree_lane sides 0)) (tree_path sides)"},
    KernelTheorem{"ring_once", "Catalogue.v",
                  "for every p > 0, the ring's reduce-scatter, allgather and allreduce are exactly once",
                  "forall p, 0 < p -> all_once (ring p)"},
    KernelTheorem{"doubling_once", "Catalogue.v",
                  "for p = 2^a, the reduce-scatter, allgather and allreduce by recursive halving and doubling are "
                  "exactly once, near peers first and far peers first",
                  "forall a, all_once (doubling_near a) /\\ all_once (doubling_far a)"},
    KernelTheorem{"bucket_once", "Catalogue.v",
                  "on a torus with any number of sides, each > 0, rings along the sides, their steps in any order, "
                  "make a reduce-scatter, an allgather and an allreduce that are exactly once",
                  "forall sides order, Forall (fun n => 0 < n) sides -> interleaves (map ring sides) order ->\n"
                  "  all_once (bucket sides order)"},
    KernelTheorem{
        "bucket_lanes_once", "Paced.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, to the right and to "
        "the left, rings along one side after the other make a reduce-scatter, an allgather and an allreduce "
        "that are exactly once",
        "forall sides, Forall (fun n => 0 < n) sides -> forall lanes, 0 < lanes -> let p := extent sides in\n"
        "  exactly_once (ReduceScatter (owner p)) p (lanes * p) (bucket_reduce_scatter sides lanes) /\\\n"
        "  exactly_once (Allgather (owner p)) p (lanes * p) (bucket_allgather sides lanes) /\\\n"
        "  exactly_once Allreduce p (lanes * p) (bucket_allreduce sides lanes)"},
    KernelTheorem{
        "ring_by_turns_once", "Paced.v",
        "for every p > 0, the ring's reduce-scatter, allgather and allreduce are exactly once, too, if in each "
        "step the even ranks send before the odd ones, and for odd p rank p-1 last",
        "forall p, 0 < p -> all_once (ring_by_turns p)"},
    KernelTheorem{
        "rings_once", "Rings.v",
        "on a line, and on a torus r x c with Hamiltonian cycles (c >= 2 divides r, r and c-1 are coprime, or "
        "turned), with any number of lanes > 0, rings along the cycles, to the right and to the left, make a "
        "reduce-scatter, an allgather and an allreduce that are exactly once",
        "forall sides, has_cycles sides = true -> forall lanes, 0 < lanes -> let p := product_of sides in\n"
        "  exactly_once (ReduceScatter (ring_owner sides)) p (lanes * p) (rings_reduce_scatter sides lanes) /\\\n"
        "  exactly_once (Allgather (ring_owner sides)) p (lanes * p) (rings_allgather sides lanes) /\\\n"
        "  exactly_once Allreduce p (lanes * p) (rings_allreduce sides lanes)"},
    KernelTheorem{"chains_once", "Rooted.v",
                  "for every p > 0, the chain's broadcast and reduce are exactly once with any root",
                  "forall p, 0 < p -> line_rooted p (p - 1) (chain p)"},
    KernelTheorem{"bruck_once", "Turned.v",
                  "for every p > 0, Bruck's reduce-scatter, allgather and allreduce are exactly once, near ranks first "
                  "and far ranks first",
                  "forall p, 0 < p -> all_once (bruck_near p) /\\ all_once (bruck_far p)"},
    KernelTheorem{
        "knomial_trees_once", "Knomial.v",
        "for every p and every k > 1, the k-nomial tree's broadcast and reduce are exactly once with any root, near "
        "ranks first or far ranks first; of k = 2 it is binomial",
        "forall p k, 1 < k -> let n := levels k p in\n"
        "  line_rooted p n (near_tree k n) /\\ line_rooted p n (far_tree k n)"},
    KernelTheorem{"digits_once", "Carried.v",
                  "for every p > 0 and every k > 1, blocks that walk by the digits of their distance in base k, the "
                  "lowest first or the highest, make an alltoall, and a scatter and a gather with any root, that are "
                  "exactly once",
                  "forall p k, 0 < p -> 1 < k -> let n := levels k p in\n"
                  "  all_carried p n (near_walk k) /\\ all_carried p n (far_walk k n)"},
    KernelTheorem{
        "straight_once", "Carried.v",
        "for every p > 0, blocks that go straight to their owners, so many distances a step, make an alltoall, "
        "and a scatter and a gather with any root, that are exactly once",
        "forall p batch, 0 < p -> 0 < batch -> all_carried p (straight_steps p batch) (straight batch)"},
    KernelTheorem{
        "pairwise_once", "Carried.v",
        "for every p > 0, sums that go straight to their owners, one distance a step, make a reduce-scatter, an "
        "allgather and an allreduce that are exactly once",
        "forall p, 0 < p -> all_once (pairwise p)"},
    KernelTheorem{"pat_once", "Pat.v",
                  "for every p > 0 and every aggregation 2^a, PAT's allgather and reduce-scatter are exactly once, far "
                  "or near edges first",
                  "forall near p a, 0 < p ->\n"
                  "  exactly_once (Allgather (owner p)) p p (pat_allgather near p a) /\\\n"
                  "  exactly_once (ReduceScatter (owner p)) p p (pat_reduce_scatter near p a)"},
    KernelTheorem{"folding_once", "Folding.v",
                  "for every p > 0, folding over the cyclic group makes a reduce-scatter, an allgather and an "
                  "allreduce that are exactly once",
                  "forall p, 0 < p -> all_once (folding p)"},
    KernelTheorem{"folding_group_once", "Folding.v",
                  "over any product of cyclic groups, folding one after the other makes a reduce-scatter, an "
                  "allgather and an allreduce that are exactly once",
                  "forall extents, Forall (fun n => 0 < n) extents -> all_once (folding_group extents)"},
    KernelTheorem{"circulant_once", "Circulant.v",
                  "for every p > 0, skips that halve, rounded up, make a reduce-scatter, an allgather and an allreduce "
                  "that are exactly once",
                  "forall p, 0 < p -> all_once (circulant p)"},
    KernelTheorem{"circulant_trees_once", "Circulant.v",
                  "for every p > 0, the broadcast and reduce of one block along skips that halve, rounded up, are "
                  "exactly once with any root",
                  "forall p, 0 < p -> line_rooted p (Nat.log2_up p) (halved_skips p)"},
    KernelTheorem{"circulant_blocks_once", "CirculantBlocks.v",
                  "for every p > 0 and every n > 0, the broadcast and reduce of n blocks on a circulant graph, whose "
                  "skips halve, rounded up, are exactly once with any root, for p > 1 in n - 1 + ceil(log2 p) steps",
                  "forall p n, 0 < p -> 0 < n ->\n"
                  "  all_rooted (p :: nil) n (blocks_steps p n) (blocks_route p n)"},
    KernelTheorem{"bine_once", "Bine.v",
                  "for every p > 0, Bine butterflies, whose distances halve or double, make a reduce-scatter, an "
                  "allgather and an allreduce that are exactly once",
                  "forall halving p, 0 < p -> all_once (bine halving p)"},
    KernelTheorem{"bine_trees_once", "Bine.v",
                  "for every p > 0, the broadcast and reduce along Bine trees, whose distances halve or double, are "
                  "exactly once with any root",
                  "forall halving p, 0 < p ->\n"
                  "  line_rooted p (steps (bine_tree halving p)) (bine_path halving p)"},
    KernelTheorem{
        "rabenseifner_once", "Folded.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, plain and mirrored, "
        "the allreduce by recursive halving and doubling is exactly once, near or far peers first, sides "
        "that are no powers of two folded",
        "forall near sides lanes, Forall (fun n => 0 < n) sides -> 0 < lanes ->\n"
        "  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (rabenseifner near sides lanes)"},
    KernelTheorem{"rabenseifner_beside_once", "Folded.v",
                  "for every p > 0, the allreduce by recursive halving and doubling is exactly once, near or far peers "
                  "first, neighbours folded onto a power of two",
                  "forall near p, 0 < p -> exactly_once Allreduce p (inner p) (rabenseifner_beside near p)"},
    KernelTheorem{
        "mirrored_doubling_once", "Mirrored.v",
        "on a torus with any number of sides 2^a, and with any number of lanes > 0, plain and mirrored, recursive "
        "halving and doubling make a reduce-scatter, an allgather and an allreduce that are exactly once",
        "forall bits lanes, 0 < lanes -> let p := product_of (mirrored_sides bits) in\n"
        "  exactly_once (ReduceScatter (mirrored_owner bits)) p (lanes * p) (mirrored_reduce_scatter bits lanes) /\\\n"
        "  exactly_once (Allgather (mirrored_owner bits)) p (lanes * p) (mirrored_allgather bits lanes) /\\\n"
        "  exactly_once Allreduce p (lanes * p) (mirrored_doubling bits lanes)"},
    KernelTheorem{"halving_torus_once", "Folded.v",
                  "on a torus with any number of sides, each > 0, recursive halving and doubling, near or far peers "
                  "first, make a reduce-scatter, an allgather and an allreduce that are exactly once",
                  "forall near sides, Forall (fun n => 0 < n) sides -> all_once (halving_torus near sides 0)"},
    KernelTheorem{
        "elimination_once", "Elimination.v",
        "for every p > 0, the allreduce by recursive halving and doubling with 3-2 elimination is exactly once",
        "forall p, 0 < p -> exactly_once Allreduce p (inner p) (elimination p)"},
    KernelTheorem{"elimination_torus_once", "EliminationTori.v",
                  "on a torus with any number of sides, each > 0, the allreduce by recursive halving and doubling with "
                  "3-2 elimination on each side is exactly once",
                  "forall sides, Forall (fun n => 0 < n) sides ->\n"
                  "  exactly_once Allreduce (extent sides) (inner_blocks sides) (elimination_torus sides)"},
    KernelTheorem{
        "recursive_doubling_once", "Latency.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, plain and mirrored, "
        "the allreduce of whole vectors by recursive doubling is exactly once, sides that are no powers of "
        "two folded",
        "forall sides lanes, Forall (fun n => 0 < n) sides -> 0 < lanes ->\n"
        "  exactly_once Allreduce (extent sides) lanes (recursive_doubling sides lanes)"},
    KernelTheorem{"doubling_beside_once", "Latency.v",
                  "for every p > 0, the allreduce of whole vectors by recursive doubling is exactly once, neighbours "
                  "folded onto a power of two",
                  "forall p, 0 < p -> exactly_once Allreduce p 1 (doubling_beside p)"},
    KernelTheorem{
        "swing_latency_once", "Latency.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, plain and mirrored, "
        "the allreduce of whole vectors with Swing's peers is exactly once, sides that are no powers of two "
        "folded",
        "forall sides lanes, Forall (fun n => 0 < n) sides -> 0 < lanes ->\n"
        "  exactly_once Allreduce (extent sides) lanes (swing_latency sides lanes)"},
    KernelTheorem{"spread_once", "Spread.v",
                  "for n = ceil(log2 p) and every p > 0 such that 2^t divides p whenever p > 2^n - 2^(n-t), t <= n, "
                  "the allreduce of whole vectors in n steps is exactly once: neighbouring runs exchange, and the last "
                  "one is copied",
                  "forall p, 0 < p -> let n := Nat.log2_up p in\n"
                  "  (forall t, t <= n -> 2 ^ n - 2 ^ (n - t) < p -> Nat.divide (2 ^ t) p) ->\n"
                  "  exactly_once Allreduce p 1 (spreading p)"},
    KernelTheorem{
        "merged_swing_once", "Merged.v",
        "on a torus with any number of sides, each 1 or even, and with any number of lanes > 0, plain and mirrored, "
        "Swing's allreduce is exactly once with one exchange in the middle",
        "forall sides lanes, Forall (fun n => 0 < n /\\ (n = 1 \\/ Nat.Even n)) sides -> 0 < lanes ->\n"
        "  exactly_once Allreduce (extent sides) (lanes * extent sides) (merged_swing sides lanes)"},
    KernelTheorem{
        "merged_rabenseifner_once", "Merged.v",
        "on a torus with any number of sides, each > 0, and with any number of lanes > 0, plain and mirrored, the "
        "allreduce by recursive halving and doubling is exactly once with one exchange in the middle, near or far "
        "peers first, sides that are no powers of two folded",
        "forall near sides lanes, Forall (fun n => 0 < n) sides -> 0 < lanes ->\n"
        "  exactly_once Allreduce (extent sides) (lanes * inner_blocks sides) (merged_rabenseifner near sides lanes)"},
    KernelTheorem{"merged_rabenseifner_beside_once", "Merged.v",
                  "for every p > 0, the allreduce by recursive halving and doubling is exactly once with one exchange "
                  "in the middle, near or far peers first, neighbours folded onto a power of two",
                  "forall near p, 0 < p -> exactly_once Allreduce p (inner p) (merged_rabenseifner_beside near p)"},
    KernelTheorem{
        "merged_folding_group_once", "Merged.v",
        "over any product of cyclic groups, the allreduce by folding is exactly once with one step in the middle in "
        "which each block goes both ways",
        "forall extents, Forall (fun n => 0 < n) extents -> let p := extent extents in\n"
        "  exactly_once Allreduce p p (merged_folding_group extents)"},
    KernelTheorem{"merged_bine_once", "Merged.v",
                  "for p = 1 and every even p > 0, the allreduce by Bine butterflies, whose distances halve or double, "
                  "is exactly once with one exchange in the middle",
                  "forall halving p, 0 < p -> p = 1 \\/ Nat.Even p ->\n"
                  "  exactly_once Allreduce p p (merged_bine halving p)"},
    KernelTheorem{
        "removed_steps_needed", "RemovedScratch.v",
        "over any product of cyclic groups, and with any number of steps removed from its distribution, folding makes "
        "an allreduce that is exactly once, with scratch for copies of the blocks where ranks keep two sums of some",
        "forall extents removed, Forall (fun n => 0 < n) extents ->\n"
        "  exactly_once_in_cells Allreduce (extent extents) (extent extents) (scratch_of extents removed)\n"
        "    (removed_steps extents removed)"},
    KernelTheorem{
        "hierarchical_once", "Hierarchical.v",
        "k nodes of m ranks: any two parts of the catalogue (Hierarchical.v: parts), one within the nodes and one "
        "across them, with up to m and k blocks, make a reduce-scatter, an allgather and an allreduce that are exactly "
        "once",
        "forall k m across within j w, In across (parts k) -> In within (parts m) -> 0 < j <= k -> 0 < w <= m ->\n"
        "  let q := node_owner m w in\n"
        "  exactly_once (ReduceScatter q) (k * m) (j * w) (nodes_reduce_scatter across within j w) /\\\n"
        "  exactly_once (Allgather q) (k * m) (j * w) (nodes_allgather across within j w) /\\\n"
        "  exactly_once Allreduce (k * m) (j * w) (nodes_allreduce across within j w)"},
    KernelTheorem{
        "hierarchical_trees_once", "Hierarchical.v",
        "k nodes of m ranks: any two trees of these parts make a broadcast and a reduce that are exactly once with any "
        "root, when all ranks move along with it",
        "forall k m across within blocks,\n"
        "  In across (parts k) -> In within (parts m) -> 0 < k -> 0 < m -> 0 < blocks ->\n"
        "  all_rooted (k :: m :: nil) blocks (steps (nodes_of across within)) (nodes_tree across within)"},
    doublings_once,
    renamed_once,
    powers_once,
    flips_once,
    mixed_once,
};

}  // namespace

std::span<const KernelTheorem> kernel_theorems() {
  return accepted;
}

std::string place_of(const KernelTheorem& theorem) {
  const auto lines = theory_lines();
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const TheoryLine& line) {
    return line.file == theorem.file && line.name == theorem.name;
  });
  assert(found != lines.end());
  return fmt::format("proofs/coq/{}:{}", theorem.file, found->line);
}

}  // namespace onceover::proofs
