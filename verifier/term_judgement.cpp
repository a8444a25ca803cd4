#include "verifier/term_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace onceover::verifier {

namespace {

std::uint32_t first_sum(const TermTable& terms) {
  return TermTable::id(terms.leaf(terms.ranks() - 1)) + 1;
}

constexpr std::size_t shown_characters = 300;

using LeafText = std::function<std::string(Term)>;

/// The sum as text, down to `depth` levels.
std::string expression(const TermTable& terms, Term term, int depth, const LeafText& leaf_text) {
  if (term == Term::nothing) return "nothing";
  if (terms.is_leaf(term)) return leaf_text(term);
  if (depth == 0) return "..";
  auto side = [&](Term t) {
    const std::string text = expression(terms, t, depth - 1, leaf_text);
    return terms.is_leaf(t) || text == ".." ? text : "(" + text + ")";
  };
  return side(terms.first(term)) + "+" + side(terms.second(term));
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

std::set<Term> parts_of(const TermTable& terms, Term root) {
  std::set<Term> parts;
  std::vector<Term> to_visit{root};
  while (!to_visit.empty()) {
    const Term term = to_visit.back();
    to_visit.pop_back();
    if (term == Term::nothing || !parts.insert(term).second || terms.is_leaf(term)) continue;
    to_visit.push_back(terms.first(term));
    to_visit.push_back(terms.second(term));
  }
  return parts;
}

std::map<Term, std::uint64_t> leaf_counts(const TermTable& terms, Term root, std::uint64_t most) {
  std::map<Term, std::uint64_t> counts, open;
  if (root != Term::nothing) open.emplace(root, 1);
  while (!open.empty()) {
    const auto [term, times] = *open.rbegin();
    open.erase(std::prev(open.end()));
    if (terms.is_leaf(term)) {
      counts.emplace(term, times);
      continue;
    }
    for (const Term part : {terms.first(term), terms.second(term)}) {
      std::uint64_t& sum = open[part];
      sum = std::min(sum + times, most);
    }
  }
  return counts;
}

Term first_doubling(const TermTable& terms, Term root, Term leaf) {
  std::set<Term> have_it{leaf};
  auto has_it = [&](Term part) { return have_it.count(part) > 0; };
  for (const Term part : parts_of(terms, root))  // ascending, so parts come before the sums that have them
    if (!terms.is_leaf(part) && (has_it(terms.first(part)) || has_it(terms.second(part)))) have_it.insert(part);
  Term term = root;
  while (!has_it(terms.first(term)) || !has_it(terms.second(term)))
    term = has_it(terms.first(term)) ? terms.first(term) : terms.second(term);
  return term;
}

Term first_of_its_own(const TermTable& terms, Term root, Term other) {
  const auto parts = parts_of(terms, root), others = parts_of(terms, other);
  const auto own = std::find_if(parts.begin(), parts.end(), [&](Term t) { return others.count(t) == 0; });
  return own == parts.end() ? root : *own;
}

std::string term_text(const TermTable& terms, Term term, const LeafText& leaf_text) {
  int depth = 1;
  while (depth < 12 && expression(terms, term, depth + 1, leaf_text).size() <= shown_characters) ++depth;
  return expression(terms, term, depth, leaf_text);
}

}  // namespace onceover::verifier
