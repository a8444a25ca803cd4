// Nodes of ranks: a part within them, a part across them. Each part is a run of its own, on a line, about which there
// is a theorem; the whole is the product of their routes, the one within first.
//
// Example: nodes=3, within=ring, across=swing for 12 ranks is the product of Swing's routes among 3 ranks and the
// ring's among 4: in the first 3 steps the ring's, then Swing's.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "proofs/routes/functions.h"
#include "proofs/routes/kernel.h"

namespace onceover::proofs {

namespace {

/// The theorems about the parts. (Hierarchical.v: parts)
constexpr std::array<std::string_view, 19> about_parts{
    "swing_once",     "swing_trees_all_once", "ring_once",         "ring_by_turns_once", "rings_once",
    "bucket_once",    "bruck_once",           "pairwise_once",     "folding_once",       "doubling_once",
    "chains_once",    "knomial_trees_once",   "rabenseifner_once", "halving_torus_once", "mirrored_doubling_once",
    "circulant_once", "circulant_trees_once", "bine_once",         "bine_trees_once"};

struct Part {
  std::string row;
  Settings settings;
};

/// "NAME:setting=value:.."
Part part_of(std::string_view text) {
  Part part;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t sign = word.find('=');
    if (begin == 0)
      part.row = word;
    else
      part.settings.insert_or_assign(std::string(word.substr(0, sign)), std::string(word.substr(sign + 1)));
    begin = end + 1;
  }
  return part;
}

/// The routes of a part's collective, and backwards of its reversal; null if the theorem isn't about it.
RoutesPtr routes_of(const Part& part, Collective collective, Rank ranks) {
  const Header header{.collective = collective, .ranks = ranks, .shape = {ranks}, .algorithm = part.row};
  const RowRun run{header, part.settings};
  const KernelRow* row = kernel_row(run);
  if (row == nullptr || run.setting("radix", "2") != "2") return nullptr;
  if (std::find(about_parts.begin(), about_parts.end(), row->theorem->name) == about_parts.end()) return nullptr;
  return row->function(run).phases.front().routes;
}

}  // namespace

std::optional<RoutedSchedule> nodes_schedule(const RowRun& run) {
  const Collective collective = run.header.collective;
  const auto nodes = parse_whole<Rank>(run.setting("nodes", "2"));
  if (!run.is_line() || !nodes || *nodes < 1 || run.header.ranks % *nodes != 0) return std::nullopt;
  if (run.header.ranks > most_routed) return std::nullopt;  // composing the parts' routes takes routes of all ranks
  const Part within = part_of(run.setting("within", "swing"));
  const Rank places = run.header.ranks / *nodes;
  const bool is_both = collective == Collective::allreduce;
  RoutesPtr inner = routes_of(within, is_both ? Collective::reduce_scatter : collective, places);
  if (inner == nullptr && is_both) inner = routes_of(within, Collective::reduce, places);
  RoutesPtr outer = routes_of(part_of(run.setting("across", "swing")), collective, *nodes);
  if (inner == nullptr || outer == nullptr) return std::nullopt;
  std::vector<int> order(at(inner->steps()), 1);
  order.insert(order.end(), at(outer->steps()), 0);
  RoutesPtr whole = torus_of({std::move(outer), std::move(inner)}, order);
  return along(collective, moved(std::move(whole), {*nodes, places}, run.header.root));
}

}  // namespace onceover::proofs
