// For each theorem of proofs/coq that runs cite, the rows of the catalogue that it is about: which collectives, shapes,
// lanes and settings, and the theorem's function for them. The first row that covers a run is taken.
//
// To cover one more: a theorem in kernel_theorems.cpp, the routes of its function in functions.h, and a row in
// `made_rows`. The tests then compare it with the catalogue, and Coq compares the statement with the theory's.
//
// Example: `--algo swing --torus 4x6` is covered by swing_torus_once, a line with one lane by swing_once before it.
//
// A run looks at all rows once; making the function costs what routes.h says.

#include "proofs/routes/kernel.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text.h"
#include "proofs/routes/functions.h"
#include "proofs/routes/offsets.h"

namespace onceover::proofs {

namespace {

const KernelTheorem* theorem_named(std::string_view name) {
  const auto all = kernel_theorems();
  const auto found = std::find_if(all.begin(), all.end(), [&](const KernelTheorem& t) { return t.name == name; });
  assert(found != all.end());
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

Block segments_of(const RowRun& run) {
  return *parse_whole<Block>(run.setting("segments", "1"));
}

bool has_one_segment(const RowRun& run) {
  return segments_of(run) == 1;
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
      {"circulant", theorem_named("circulant_blocks_once"), "every p, root and segments", trees, always,
       [](const RowRun& run) { return along_asked(run, circulant_block_routes(run.header.ranks, segments_of(run))); }},
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
    KernelGap{"bucket", "several lanes with waiting=no or spread",
              "its theorem is about lanes that change dimension together and send whole messages",
              [](const RowRun& run) { return !run.is_single_lane() && !lanes_wait(run); }},
    KernelGap{"swing", "scatter and gather", "its theorem about trees is about a broadcast and a reduce",
              [](const RowRun& run) { return is_carried(run.header.collective); }},
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
