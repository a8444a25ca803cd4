#include <algorithm>

#include "base/rows.h"
#include "proofs/theorem.h"
#include "schedules/numbers.h"

namespace onceover::proofs {

std::string_view name(Level level) {
  switch (level) {
    case Level::solver: return "solver";
    case Level::kernel: return "kernel";
    case Level::words: return "words";
  }
  return "";
}

std::vector<LevelPart> levels(const Theorem& theorem) {
  std::vector<LevelPart> parts{
      {Level::solver, theorem.solver_part}, {Level::kernel, theorem.kernel_part}, {Level::words, theorem.words_part}};
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const LevelPart& part) { return part.what.empty(); }),
              parts.end());
  return parts;
}

std::span<const Theorem> theorems() {
  static const std::vector<Theorem> all{
      step_sequences_theorem(), even_cover_theorem(), covering_peers_theorem(), time_reversal_theorem(),
      odd_ranks_theorem(),      ring_theorem(),       torus_products_theorem(), recursive_doubling_theorem(),
      bruck_theorem(),          pat_theorem(),        folding_theorem(),        hamiltonian_pair_theorem(),
  };
  return all;
}

const Theorem* find_theorem(std::string_view id) {
  return row_with(theorems(), &Theorem::id, id);
}

bool has_powers_of_two(const std::vector<Rank>& shape) {
  return std::all_of(shape.begin(), shape.end(), is_power_of_two);
}

bool is_line(const std::vector<Rank>& shape) {
  return shape.size() == 1;
}

const Theorem* theorem_about(const Header& header) {
  const bool is_combination = header.collective == Collective::allreduce ||
                              header.collective == Collective::reduce_scatter ||
                              header.collective == Collective::allgather;
  if (!is_combination || header.algorithm.empty()) return nullptr;
  const std::vector<Rank> shape = header.sides();
  for (const Theorem& t : theorems()) {
    const bool names_it = std::find(t.rows.begin(), t.rows.end(), header.algorithm) != t.rows.end();
    if (names_it && (t.covers == nullptr || t.covers(shape))) return &t;
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

}  // namespace onceover::proofs
