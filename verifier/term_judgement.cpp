#include "verifier/term_judgement.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::verifier {

namespace {

std::uint32_t first_sum(const TermTable& terms) {
  return TermTable::id(terms.leaf(terms.ranks() - 1)) + 1;
}

}  // namespace

std::string text(RankRun run) {
  return run.first == run.last ? fmt::format("rank {}", run.first) : fmt::format("ranks {}..{}", run.first, run.last);
}

void OrderWalk::begin(const TermTable& terms, std::span<const Term> results) {
  sums_ = 0;
  gaps_.clear();
  runs_.resize(terms.id_end());
  used_.assign(terms.id_end(), 0);
  for (const Term result : results) used_[TermTable::id(result)] = 1;
  for (std::uint32_t id = terms.id_end(); id-- > first_sum(terms);) {
    if (used_[id] == 0) continue;
    used_[TermTable::id(terms.first(static_cast<Term>(id)))] = 1;
    used_[TermTable::id(terms.second(static_cast<Term>(id)))] = 1;
  }
}

void OrderWalk::join_all(const TermTable& terms) {
  for (std::uint32_t id = first_sum(terms); id < terms.id_end(); ++id)
    runs_[id] = used_[id] != 0 ? joined(terms, static_cast<Term>(id)) : RankRun{};
}

RankRun OrderWalk::joined(const TermTable& terms, Term sum) {
  ++sums_;
  const RankRun a = runs_[TermTable::id(terms.first(sum))];
  const RankRun b = runs_[TermTable::id(terms.second(sum))];
  if (!a.is_run() || !b.is_run()) return {};
  if (a.last + 1 == b.first) return {a.first, b.last};
  if (b.last + 1 == a.first) return {b.first, a.last};
  gaps_.push_back({sum, a, b});
  return {};
}

bool LevelWalk::are_level(const TermTable& terms, std::span<const Term> results, std::uint32_t end) {
  constexpr std::uint32_t uneven = UINT32_MAX;
  levels_.assign(terms.id_end(), 0);
  for (std::uint32_t id = end; id < terms.id_end(); ++id) {
    const std::uint32_t a = levels_[TermTable::id(terms.first(static_cast<Term>(id)))];
    const std::uint32_t b = levels_[TermTable::id(terms.second(static_cast<Term>(id)))];
    levels_[id] = a == b && a != uneven ? a + 1 : uneven;
  }
  return std::all_of(results.begin(), results.end(), [&](Term term) { return levels_[TermTable::id(term)] != uneven; });
}

std::optional<Disagreement> disagreement(std::span<const Term> results) {
  const auto different =
      std::find_if(results.begin(), results.end(), [&](Term term) { return term != results.front(); });
  if (different == results.end()) return std::nullopt;
  std::vector<Term> sorted(results.begin(), results.end());
  std::sort(sorted.begin(), sorted.end());
  const auto distinct = static_cast<std::uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  return Disagreement{static_cast<std::size_t>(different - results.begin()), distinct};
}

}  // namespace onceover::verifier
