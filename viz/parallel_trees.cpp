#include "viz/parallel_trees.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace onceover::viz {

namespace {

/// The step with the most moves, the first of them; -1 if there is none.
int fullest_step(const std::map<int, std::size_t>& count) {
  const auto fullest =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fullest == count.end() ? -1 : fullest->first;
}

}  // namespace

std::optional<ParallelTrees> parallel_trees(std::vector<VectorMove> moves, bool is_backwards) {
  if (is_backwards)
    for (VectorMove& move : moves) {
      move.step = -move.step;
      std::swap(move.from, move.to);
    }
  std::vector<std::size_t> order(moves.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return moves[a].step < moves[b].step; });

  std::map<int, std::size_t> count;  // of moves, by step
  for (const VectorMove& move : moves) ++count[move.step];
  const int first = fullest_step(count);
  if (count.empty() || count.rbegin()->first == first || count[first] < 2) return std::nullopt;

  ParallelTrees found{{0}, std::vector<int>(moves.size(), -1)};
  std::map<Rank, int> tree_of{{0, -1}};  // by place that has the vector; those above the trees have -1
  std::set<std::pair<int, int>> busy;    // steps and trees
  bool has_trees = false;
  for (const std::size_t k : order) {
    const VectorMove& move = moves[k];
    if (move.step >= first && !std::exchange(has_trees, true)) {
      found.roots.clear();
      for (auto& [place, tree] : tree_of) {
        tree = static_cast<int>(found.roots.size());
        found.roots.push_back(place);
      }
      if (found.roots.size() != count[first]) return std::nullopt;
    }
    const auto from = tree_of.find(move.from);
    if (from == tree_of.end() || !tree_of.emplace(move.to, from->second).second) return std::nullopt;
    found.tree[k] = from->second;
    if (has_trees && !busy.emplace(move.step, from->second).second) return std::nullopt;
  }
  return found;
}

}  // namespace onceover::viz
