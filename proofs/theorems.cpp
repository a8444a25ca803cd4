#include <algorithm>

#include "proofs/theorem.h"
#include "schedules/numbers.h"

namespace onceover {

std::span<const Theorem> theorems() {
  static const std::vector<Theorem> all{
      step_sequences_theorem(),
      even_cover_theorem(),
      covering_peers_theorem(),
      time_reversal_theorem(),
      odd_ranks_theorem(),
      torus_products_theorem(),
      recursive_doubling_theorem(),
      ring_theorem(),
      bruck_theorem(),
      pat_theorem(),
      folding_theorem(),
      hamiltonian_pair_theorem(),
  };
  return all;
}

const Theorem* find_theorem(std::string_view id) {
  for (const Theorem& theorem : theorems())
    if (theorem.id == id) return &theorem;
  return nullptr;
}

const Theorem* theorem_about(const Header& header) {
  const bool is_combination = header.collective == Collective::allreduce ||
                              header.collective == Collective::reduce_scatter ||
                              header.collective == Collective::allgather;
  if (!is_combination || header.algorithm.empty()) return nullptr;
  const std::vector<Rank> shape = header.shape.empty() ? std::vector<Rank>{header.ranks} : header.shape;
  const bool has_powers_only = std::all_of(shape.begin(), shape.end(), is_power_of_two);
  for (const Theorem& t : theorems()) {
    const bool names_it = std::find(t.rows.begin(), t.rows.end(), header.algorithm) != t.rows.end();
    if (names_it && (has_powers_only || !t.powers_of_two) && (shape.size() == 1 || !t.lines_only)) return &t;
  }
  return nullptr;
}

std::vector<const Theorem*> with_uses(const std::vector<const Theorem*>& chosen) {
  std::vector<const Theorem*> needed;
  const auto all = theorems();
  auto is_needed = [&](const Theorem& t) {
    return std::find(chosen.begin(), chosen.end(), &t) != chosen.end() ||
           std::any_of(needed.begin(), needed.end(), [&](const Theorem* n) {
             return std::find(n->uses.begin(), n->uses.end(), t.id) != n->uses.end();
           });
  };
  // Backwards, since each stands after those that it uses.
  for (std::size_t k = all.size(); k-- > 0;)
    if (is_needed(all[k])) needed.push_back(&all[k]);
  std::reverse(needed.begin(), needed.end());
  return needed;
}

std::vector<const Theorem*> theorems_for(std::string_view algorithm) {
  std::vector<const Theorem*> about;
  for (const Theorem& t : theorems())
    if (std::find(t.rows.begin(), t.rows.end(), algorithm) != t.rows.end()) about.push_back(&t);
  return with_uses(about);
}

}  // namespace onceover
