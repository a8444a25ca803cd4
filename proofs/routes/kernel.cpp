// The theorems of proofs/coq that runs cite, and for each the rows of the catalogue that it is about: which
// collectives, shapes, lanes and settings, and the theorem's function for them. The first row that covers a run is
// taken.
//
// To cover one more: a theorem in `accepted`, the routes of its function in functions.h, and a row in `made_rows`. The
// tests then compare it with the catalogue, and Coq compares the statement with the theory's.
//
// Example: `--algo swing --torus 4x6` is covered by swing_torus_once, a line with one lane by swing_once before it.
//
// A run looks at all rows once; making the function costs what routes.h says.

#include "proofs/routes/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/number_text.h"
#include "proofs/routes/functions.h"
#include "proofs/routes/hierarchical.h"
#include "proofs/routes/offsets.h"
#include "proofs/routes/removed_steps.h"

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
        "on a line, and on a torus r x c with Hamiltonian cycles (c >= 3 divides r, r and c-1 are coprime, or "
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
    removed_steps_needed,
    hierarchical_once,
    hierarchical_trees_once,
    doublings_once,
    renamed_once,
    powers_once,
    flips_once,
    mixed_once,
};

const KernelTheorem* theorem_named(std::string_view name) {
  const auto found =
      std::find_if(accepted.begin(), accepted.end(), [&](const KernelTheorem& t) { return t.name == name; });
  assert(found != accepted.end());
  return &*found;
}

constexpr std::array three{Collective::reduce_scatter, Collective::allgather, Collective::allreduce};
constexpr std::array halves{Collective::reduce_scatter, Collective::allgather};
constexpr std::array allreduce_alone{Collective::allreduce};
constexpr std::array alltoall_alone{Collective::alltoall};
constexpr std::array carried_trees{Collective::scatter, Collective::gather};
constexpr std::array trees{Collective::broadcast, Collective::reduce};

/// Routes to rank 0 become routes to the root.
RoutedSchedule along_asked(const RowRun& run, RoutesPtr routes) {
  return along(run.header.collective, moved(std::move(routes), run.sides(), run.header.root));
}

// Which runs

bool is_plain_line(const RowRun& run) {
  return run.is_line() && run.is_single_lane();
}

bool is_line_of_power(const RowRun& run) {
  return is_plain_line(run) && power_of(run.header.ranks);
}

bool has_sides_of_powers(const RowRun& run) {
  const Sides sides = run.sides();
  return std::all_of(sides.begin(), sides.end(), [](Rank side) { return power_of(side).has_value(); });
}

/// Or sides of 1
bool has_even_sides(const RowRun& run) {
  const Sides sides = run.sides();
  return std::all_of(sides.begin(), sides.end(), [](Rank side) { return side == 1 || side % 2 == 0; });
}

bool is_far(const RowRun& run) {
  return run.setting("order", "near") == "far";
}

Peers peers_of(const RowRun& run) {
  return is_far(run) ? Peers::far_first : Peers::near_first;
}

/// Beyond powers of two nothing remains, or it is folded.
bool folds_what_remains(const RowRun& run) {
  return has_sides_of_powers(run) || run.setting("remainder", "fold") == "fold";
}

/// The a of PAT's aggregation 2^a; all levels of the tree unless it is given.
int levels_of_aggregation(const RowRun& run) {
  const auto aggregation = parse_whole<Rank>(run.setting("aggregation", "full"));
  return log2_up(aggregation.value_or(run.header.ranks));
}

int removed_steps_of(const RowRun& run) {
  return *parse_whole<int>(run.setting("removed-steps", "0"));
}

/// Are blocks numbered as their owners?
bool is_natural(const RowRun& run) {
  return run.setting("placement", "natural") == "natural";
}

bool keeps_all_steps(const RowRun& run) {
  return removed_steps_of(run) == 0;
}

/// {3, 5} of "3x5"; nothing if it isn't of that form.
std::optional<Sides> extents_of(std::string_view group) {
  Sides extents;
  for (std::size_t begin = 0; begin <= group.size();) {
    const std::size_t end = std::min(group.find('x', begin), group.size());
    const auto extent = parse_whole<Rank>(group.substr(begin, end - begin));
    if (!extent || *extent < 1) return std::nullopt;
    extents.push_back(*extent);
    begin = end + 1;
  }
  return extents;
}

/// The cyclic groups whose product is the row's group; nothing if it is none, or if blocks are placed otherwise.
std::optional<Sides> group_of(const RowRun& run) {
  const std::string_view group = run.setting("group", "cyclic");
  if (!is_natural(run)) return std::nullopt;
  if (group == "cyclic") return Sides{run.header.ranks};
  if (group != "xor") return extents_of(group);
  const auto a = power_of(run.header.ranks);
  return a ? std::optional(Sides(static_cast<std::size_t>(*a), 2)) : std::nullopt;
}

/// How many peers at once: one, or the batch of `spread-out`.
Rank batch_of(const RowRun& run) {
  const std::string_view batch = run.setting("batch", run.header.algorithm == "spread-out" ? "all" : "1");
  return batch == "all" ? run.header.ranks : *parse_whole<Rank>(batch);
}

/// Of a k-nomial tree
Rank radix_of(const RowRun& run) {
  return *parse_whole<Rank>(run.setting("radix", "2"));
}

bool has_one_segment(const RowRun& run) {
  return run.setting("segments", "1") == "1";
}

bool halves_distances(const RowRun& run) {
  return run.setting("order", "halving") == "halving";
}

/// Is one exchange in the middle of an allreduce?
bool merges(const RowRun& run) {
  return run.header.collective == Collective::allreduce && run.setting("merge", "no") == "yes";
}

bool lanes_wait(const RowRun& run) {
  return run.setting("waiting", "yes") == "yes";
}

std::vector<KernelRow> made_rows() {
  const auto swing = [](const RowRun& run) { return along_asked(run, swing_routes(run.sides(), run.header.lanes)); };
  const auto always = [](const RowRun&) { return true; };
  const auto ring = [](const RowRun& run) { return along_asked(run, ring_routes(run.header.ranks)); };
  const auto by_digits = [](const RowRun& run) {
    const Header& h = run.header;
    const auto routes = is_far(run) ? far_walk_routes : near_walk_routes;
    return along(h.collective, routes(h.collective, h.ranks, radix_of(run), h.root));
  };
  const auto straight = [](const RowRun& run) {
    return along_asked(run, straight_routes(run.header.collective, run.header.ranks, batch_of(run)));
  };
  const auto doubling = [](const RowRun& run) { return recursive_doubling_vectors(run.sides(), run.header.lanes); };
  const auto mirrored = [](const RowRun& run) {
    return along_asked(run, rabenseifner_routes(Peers::near_first, run.sides(), run.header.lanes));
  };
  const auto has_parts = [](const RowRun& run) { return nodes_schedule(run).has_value(); };
  const auto nodes = [](const RowRun& run) { return *nodes_schedule(run); };
  return {
      {"swing", theorem_named("swing_once"), "every p", three, is_plain_line, swing},
      {"swing", theorem_named("swing_torus_once"), "every torus, with any lanes", three, always, swing},
      {"swing", theorem_named("swing_trees_all_once"), "every torus, with any lanes and root", trees, always,
       [](const RowRun& run) { return along_asked(run, swing_tree_routes(run.sides(), run.header.lanes)); }},
      {"ring", theorem_named("ring_once"), "every p, order=together", three,
       [](const RowRun& run) { return run.setting("order", "together") == "together"; }, ring},
      {"ring", theorem_named("ring_by_turns_once"), "every p, order=even-odd", three, always,
       [](const RowRun& run) { return along_asked(run, ring_by_turns_routes(run.header.ranks)); }},
      {"hamiltonian-ring", theorem_named("rings_once"), "every p, and every torus that the row takes", three,
       [](const RowRun& run) { return has_cycles(run.sides()); },
       [](const RowRun& run) { return along_asked(run, ring_lanes(run.sides(), run.header.lanes)); },
       [](const RowRun& run) { return ring_owners(run.sides(), run.header.lanes); }},
      {"chain", theorem_named("chains_once"), "every p and root", trees, always,
       [](const RowRun& run) { return along_asked(run, chain_routes(run.header.ranks)); }},
      {"bucket", theorem_named("bucket_once"), "every torus, one lane", three,
       [](const RowRun& run) { return run.is_single_lane(); },
       [](const RowRun& run) { return along_asked(run, bucket_routes(run.sides())); }},
      {"bucket", theorem_named("bucket_lanes_once"), "every torus, several lanes, waiting=yes", three, lanes_wait,
       [](const RowRun& run) { return along_asked(run, bucket_lanes(run.sides(), run.header.lanes)); }},
      {"rabenseifner", theorem_named("rabenseifner_once"), "every torus, where nothing remains or remainder=fold",
       allreduce_alone, folds_what_remains,
       [](const RowRun& run) { return along_asked(run, rabenseifner_routes(peers_of(run), run.sides(), 1)); }},
      {"rabenseifner", theorem_named("rabenseifner_beside_once"), "every p, remainder=fold-neighbours", allreduce_alone,
       [](const RowRun& run) { return run.is_line() && run.setting("remainder", "fold") == "fold-neighbours"; },
       [](const RowRun& run) { return along_asked(run, rabenseifner_beside_routes(peers_of(run), run.header.ranks)); }},
      {"rabenseifner", theorem_named("elimination_once"), "every p, remainder=eliminate-3-2", allreduce_alone,
       [](const RowRun& run) { return run.is_line() && run.setting("remainder", "fold") == "eliminate-3-2"; },
       [](const RowRun& run) { return along_asked(run, elimination_routes(run.header.ranks)); }},
      {"rabenseifner", theorem_named("elimination_torus_once"), "every torus, remainder=eliminate-3-2", allreduce_alone,
       [](const RowRun& run) { return run.setting("remainder", "fold") == "eliminate-3-2"; },
       [](const RowRun& run) { return along_asked(run, elimination_torus_routes(run.sides())); }},
      {"rabenseifner", theorem_named("halving_torus_once"), "tori with sides 2^a", halves, has_sides_of_powers,
       [](const RowRun& run) { return along_asked(run, rabenseifner_routes(peers_of(run), run.sides(), 1)); }},
      {"mirrored-recursive-doubling", theorem_named("rabenseifner_once"),
       "every torus, with any lanes, version=bandwidth", allreduce_alone,
       [](const RowRun& run) { return run.setting("version", "bandwidth") == "bandwidth"; }, mirrored},
      {"mirrored-recursive-doubling", theorem_named("mirrored_doubling_once"),
       "tori whose sides are powers of two, with any lanes", halves, has_sides_of_powers, mirrored,
       [](const RowRun& run) { return mirrored_owners(run.sides(), run.header.lanes); }},
      {"mirrored-recursive-doubling", theorem_named("recursive_doubling_once"),
       "every torus, with any lanes, version=latency", allreduce_alone, always, doubling},
      {"recursive-halving-doubling", theorem_named("doubling_once"), "p = 2^a", three, is_line_of_power,
       [](const RowRun& run) { return along_asked(run, doubling_far_routes(run.header.ranks)); }},
      {"recursive-doubling", theorem_named("halving_torus_once"), "tori whose sides are powers of two", halves,
       has_sides_of_powers,
       [](const RowRun& run) { return along_asked(run, rabenseifner_routes(Peers::far_first, run.sides(), 1)); }},
      {"recursive-doubling", theorem_named("recursive_doubling_once"),
       "every torus, where nothing remains or remainder=fold", allreduce_alone, folds_what_remains, doubling},
      {"recursive-doubling", theorem_named("spread_once"), "every p that the row takes, remainder=spread",
       allreduce_alone,
       [](const RowRun& run) {
         return run.setting("remainder", "fold") == "spread" && is_plain_line(run) &&
                has_room_to_spread(run.header.ranks);
       },
       [](const RowRun& run) { return spread_vectors(run.header.ranks); }},
      {"recursive-doubling", theorem_named("doubling_beside_once"), "every p, remainder=fold-neighbours",
       allreduce_alone,
       [](const RowRun& run) { return run.is_line() && run.setting("remainder", "fold") == "fold-neighbours"; },
       [](const RowRun& run) { return doubling_beside_vectors(run.header.ranks); }},
      {"swing-latency", theorem_named("swing_latency_once"), "every torus, with any lanes", allreduce_alone, always,
       [](const RowRun& run) { return swing_latency_vectors(run.sides(), run.header.lanes); }},
      {"bruck", theorem_named("digits_once"), "every p", alltoall_alone, always, by_digits},
      {"pairwise", theorem_named("straight_once"), "every p", alltoall_alone, always, straight},
      {"pairwise", theorem_named("pairwise_once"), "every p", three, always,
       [](const RowRun& run) { return along_asked(run, pairwise_routes(run.header.ranks)); }},
      {"spread-out", theorem_named("straight_once"), "every p", alltoall_alone, always, straight},
      {"binomial-tree", theorem_named("digits_once"), "every p, radix and root", carried_trees, always, by_digits},
      {"bruck", theorem_named("bruck_once"), "every p", three, always,
       [](const RowRun& run) {
         const Rank p = run.header.ranks;
         return along_asked(run, is_far(run) ? bruck_far_routes(p) : bruck_near_routes(p));
       }},
      {"binomial-tree", theorem_named("knomial_trees_once"), "every p, radix and root", trees, always,
       [](const RowRun& run) {
         const auto routes = is_far(run) ? far_tree_routes : near_tree_routes;
         return along_asked(run, routes(run.header.ranks, radix_of(run)));
       }},
      {"pat", theorem_named("pat_once"), "every p and aggregation", halves, always,
       [](const RowRun& run) {
         const bool near = run.setting("order", "far") == "near";
         return along_asked(run, pat_routes(run.header.ranks, levels_of_aggregation(run), near));
       }},
      {"circulant", theorem_named("circulant_once"), "every p", three, always,
       [](const RowRun& run) { return along_asked(run, circulant_routes(run.header.ranks)); }},
      {"circulant", theorem_named("circulant_trees_once"), "every p and root, segments=1", trees, has_one_segment,
       [](const RowRun& run) { return along_asked(run, circulant_tree_routes(run.header.ranks)); }},
      {"bine", theorem_named("bine_once"), "every p", three, always,
       [](const RowRun& run) { return along_asked(run, bine_routes(run.header.ranks, halves_distances(run))); }},
      {"bine", theorem_named("bine_trees_once"), "every p and root", trees, always,
       [](const RowRun& run) { return along_asked(run, bine_tree_routes(run.header.ranks, halves_distances(run))); }},
      {"generalized", theorem_named("folding_once"), "every p, group=cyclic, removed-steps=0", three,
       [](const RowRun& run) {
         return keeps_all_steps(run) && run.setting("group", "cyclic") == "cyclic" && is_natural(run);
       },
       [](const RowRun& run) { return along_asked(run, folding_routes(run.header.ranks)); }},
      {"generalized", theorem_named("folding_group_once"), "every group, removed-steps=0", three,
       [](const RowRun& run) { return keeps_all_steps(run) && group_of(run).has_value(); },
       [](const RowRun& run) { return along_asked(run, folding_group_routes(*group_of(run))); }},
      {"generalized", theorem_named("removed_steps_needed"), "every group, removed-steps above 0", allreduce_alone,
       [](const RowRun& run) { return group_of(run).has_value(); },
       [](const RowRun& run) { return removed_steps_schedule(*group_of(run), removed_steps_of(run)); }},
      {"swing", theorem_named("merged_swing_once"), "every torus with even sides, with any lanes, merge=yes",
       allreduce_alone, has_even_sides,
       [](const RowRun& run) { return merged_along(swing_routes(run.sides(), run.header.lanes)); }},
      {"rabenseifner", theorem_named("merged_rabenseifner_once"),
       "every torus, where nothing remains or remainder=fold, merge=yes", allreduce_alone, folds_what_remains,
       [](const RowRun& run) { return merged_along(rabenseifner_routes(peers_of(run), run.sides(), 1)); }},
      {"rabenseifner", theorem_named("merged_rabenseifner_beside_once"),
       "every p, remainder=fold-neighbours, merge=yes", allreduce_alone, always,
       [](const RowRun& run) { return merged_along(rabenseifner_beside_routes(peers_of(run), run.header.ranks)); }},
      {"mirrored-recursive-doubling", theorem_named("merged_rabenseifner_once"),
       "every torus, with any lanes, version=bandwidth, merge=yes", allreduce_alone, always,
       [](const RowRun& run) {
         return merged_along(rabenseifner_routes(Peers::near_first, run.sides(), run.header.lanes));
       }},
      {"generalized", theorem_named("merged_folding_group_once"), "every group whose last factor is 2, merge=yes",
       allreduce_alone, [](const RowRun& run) { return group_of(run).has_value(); },
       [](const RowRun& run) { return merged_along(folding_group_routes(*group_of(run))); }},
      {"bine", theorem_named("merged_bine_once"), "every even p, merge=yes", allreduce_alone, has_even_sides,
       [](const RowRun& run) { return merged_along(bine_routes(run.header.ranks, halves_distances(run))); }},
      {"hierarchical", theorem_named("hierarchical_once"), "two parts of one route a block", three, has_parts, nodes},
      {"hierarchical", theorem_named("hierarchical_trees_once"), "two trees, every root", trees, has_parts, nodes},
  };
}

constexpr std::array gaps{
    KernelGap{"bucket", "several lanes with waiting=no", "its theorem is about lanes that change dimension together",
              [](const RowRun& run) { return !run.is_single_lane() && !lanes_wait(run); }},
    KernelGap{"circulant", "broadcast and reduce with segments above 1",
              "its author's proof that ranks get the blocks of a pipeline in time is not in the theory",
              [](const RowRun& run) { return is_rooted(run.header.collective) && !has_one_segment(run); }},
    KernelGap{"generalized", "placement other than natural", "its theorems number each block as its owner",
              [](const RowRun& run) { return !is_natural(run); }},
    KernelGap{"hierarchical",
              "parts with whole vectors, PAT's, several segments, radix above 2, and those that "
              "eliminate thirds, fold neighbours or merge steps",
              "its theorem composes parts that pass each block on along one route to the rank with the block's number",
              [](const RowRun& run) { return !nodes_schedule(run); }},
};

}  // namespace

std::string_view RowRun::setting(std::string_view name, std::string_view preset) const {
  const auto given = settings.find(name);
  return given == settings.end() ? preset : std::string_view(given->second);
}

std::span<const KernelTheorem> kernel_theorems() {
  return accepted;
}

std::span<const KernelRow> kernel_rows() {
  static const std::vector<KernelRow> rows = made_rows();
  return rows;
}

std::vector<const KernelRow*> kernel_rows_of(std::string_view row) {
  std::vector<const KernelRow*> all;
  for (const KernelRow& each : kernel_rows())
    if (each.row == row) all.push_back(&each);
  return all;
}

std::span<const KernelGap> kernel_gaps() {
  return gaps;
}

std::string place_of(const KernelTheorem& theorem) {
  const auto lines = theory_lines();
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const TheoryLine& line) {
    return line.file == theorem.file && line.name == theorem.name;
  });
  assert(found != lines.end());
  return fmt::format("proofs/coq/{}:{}", theorem.file, found->line);
}

std::vector<Rank> KernelRow::owners_of(const RowRun& run) const {
  if (owners == nullptr || run.header.collective == Collective::allreduce) return {};
  std::vector<Rank> all = owners(run);
  for (std::size_t b = 0; b < all.size(); ++b)
    if (all[b] != static_cast<Rank>(b) % run.header.ranks) return all;
  return {};
}

const KernelRow* kernel_row_with_owners(const RowRun& run) {
  const Header& h = run.header;
  for (const KernelRow& row : kernel_rows()) {
    const bool has_collective =
        std::find(row.collectives.begin(), row.collectives.end(), h.collective) != row.collectives.end();
    const bool is_merged = row.theorem->file == "Merged.v";
    if (row.row == h.algorithm && has_collective && is_merged == merges(run) && row.covers(run)) return &row;
  }
  return nullptr;
}

const KernelRow* kernel_row(const RowRun& run) {
  const KernelRow* row = kernel_row_with_owners(run);
  return row != nullptr && row->owners_of(run) == run.header.owners ? row : nullptr;
}

}  // namespace onceover::proofs
