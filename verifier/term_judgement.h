// What can be said about finished terms, whether an execution made them or a running library.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verifier/promise.h"
#include "verifier/terms.h"

namespace onceover::verifier {

/// Walks down terms to their leaves, and keeps its memory from one term to the next.
class LeafWalk {
 public:
  explicit LeafWalk(Rank ranks)
      : to_visit_(static_cast<std::size_t>(ranks) + 1), seen_(static_cast<std::size_t>(ranks)) {}

  /// Does going down from `root` reach the leaf of each rank below `end` once, and no other leaf? It ends at the first
  /// leaf that is reached twice, or when too many leaves are certain to follow: at most 2 * `end` steps. It takes none
  /// if the table knows the number of different leaves.
  bool has_each_once(const TermTable& terms, Term root, Rank end) {
    const std::optional<Rank> known = terms.different_leaves(root);
    if (known && end == terms.ranks()) return *known == end;
    return has_each_once(terms, root, end, [&](Term leaf) { return terms.rank_of(leaf); });
  }

  /// The same for a table whose leaves aren't ranks: `rank_of` returns the rank as which a leaf counts, or a number of
  /// `end` or more for a leaf that doesn't belong there.
  template <class RankOf>
  bool has_each_once(const TermTable& terms, Term root, Rank end, RankOf&& rank_of);

  /// Does `root` hold what is owed: each of the contributions once, and nothing else? `contribution_of` returns which
  /// one a leaf is. False for `nothing`, and where nothing is owed. The same number of steps.
  template <class ContributionOf>
  bool holds(const TermTable& terms, Term root, const Owed& owed, ContributionOf&& contribution_of) {
    if (root == Term::nothing || owed.ranks.empty()) return false;
    return has_each_once(terms, root, static_cast<Rank>(owed.ranks.size()),
                         [&](Term leaf) { return static_cast<Rank>(owed.place_of(contribution_of(leaf))); });
  }

  /// How many sums it has visited so far.
  std::uint64_t walked() const { return walked_; }

 private:
  void begin() {
    if (++walk_ != 0) return;
    std::fill(seen_.begin(), seen_.end(), 0);
    walk_ = 1;
  }

  std::vector<Term> to_visit_;       // never more than ranks
  std::vector<std::uint32_t> seen_;  // by rank: the walk that last reached its leaf
  std::uint32_t walk_ = 0;
  std::uint64_t walked_ = 0;
};

template <class RankOf>
bool LeafWalk::has_each_once(const TermTable& terms, Term root, Rank end, RankOf&& rank_of) {
  if (const auto known = terms.different_leaves(root); known && *known != end) return false;
  begin();
  Rank leaves = 0;
  auto is_new = [&](Term leaf) {
    ++leaves;
    const Rank rank = rank_of(leaf);
    return rank < end && std::exchange(seen_[static_cast<std::size_t>(rank)], walk_) != walk_;
  };
  std::size_t waiting = 0;
  to_visit_[waiting++] = root;
  while (waiting > 0) {
    Term term = to_visit_[--waiting];
    for (; !terms.is_leaf(term); term = terms.first(term)) {
      ++walked_;
      const Term other = terms.second(term);
      if (!terms.is_leaf(other))
        to_visit_[waiting++] = other;
      else if (!is_new(other))
        return false;
      // Each term to visit leads to a leaf that hasn't been reached: too many of them can't all be different.
      if (waiting + static_cast<std::size_t>(leaves) >= static_cast<std::size_t>(end)) return false;
    }
    if (!is_new(term)) return false;
  }
  return leaves == end;
}

/// Ranks first .. last, or no run at all.
struct RankRun {
  Rank first = -1;
  Rank last = -1;

  bool is_run() const { return first >= 0; }
};

std::string text(RankRun run);

/// Finds sums that don't join neighbouring runs of ranks, and keeps its memory from one walk to the next.
class OrderWalk {
 public:
  /// A sum whose sides aren't neighbouring runs.
  struct Gap {
    Term sum;
    RankRun a;
    RankRun b;
  };

  /// Visits all sums that are part of `results`. O(terms in the table).
  void walk(const TermTable& terms, std::span<const Term> results) {
    walk(terms, results, [&](Term leaf) { return terms.rank_of(leaf); });
  }

  /// The same for a table whose leaves aren't ranks: `rank_of` returns the rank as which a leaf counts.
  template <class RankOf>
  void walk(const TermTable& terms, std::span<const Term> results, RankOf&& rank_of) {
    begin(terms, results);
    for (Rank k = 0; k < terms.ranks(); ++k) {
      const Rank rank = rank_of(terms.leaf(k));
      runs_[TermTable::id(terms.leaf(k))] = {rank, rank};
    }
    join_all(terms);
  }

  std::uint64_t sums() const { return sums_; }            // of the last walk
  const std::vector<Gap>& gaps() const { return gaps_; }  // of the last walk; sums above a gap don't count

  /// The ranks that a term of the last walk adds up. No run if the term is above a gap, or a sum that is part of no
  /// result.
  RankRun run_of(Term term) const { return runs_[TermTable::id(term)]; }

 private:
  void begin(const TermTable& terms, std::span<const Term> results);
  void join_all(const TermTable& terms);
  RankRun joined(const TermTable& terms, Term sum);

  std::uint64_t sums_ = 0;
  std::vector<Gap> gaps_;
  std::vector<char> used_;     // by term: is it part of a result?
  std::vector<RankRun> runs_;  // by term
};

/// Are sums equally deep on all paths? Keeps its memory from one table to the next.
class LevelWalk {
 public:
  /// Has each result equally many sums on all paths down to the terms whose ids are below `end`? O(terms in the table).
  bool are_level(const TermTable& terms, std::span<const Term> results, std::uint32_t end);

 private:
  std::vector<std::uint32_t> levels_;  // by term
};

/// How results differ that should be the same: the index of the first that differs from result 0, and how many distinct
/// results there are.
struct Disagreement {
  std::size_t different;
  std::uint64_t distinct;
};

/// Nothing if all results are the same up to the sides of sums. O(n log n).
std::optional<Disagreement> disagreement(std::span<const Term> results);

/// All terms below a root, including the root. O(n log n) for n of them, however often they are shared.
std::set<Term> parts_of(const TermTable& terms, Term root);

/// How often each leaf counts in a term, up to `most`. Counts pass down from sums to their parts, the largest sum
/// first. Sums are numbered after their parts, so when a sum's turn comes all paths to it are counted. Written out, the
/// term may be exponentially long; this takes O(n log n) for its n parts.
std::map<Term, std::uint64_t> leaf_counts(const TermTable& terms, Term root, std::uint64_t most);

/// For a term in which a leaf counts at least twice: the first sum on the way down whose two sides both contain the
/// leaf.
Term first_doubling(const TermTable& terms, Term root, Term leaf);

/// The sum with the lowest number that is part of `root` but not of `other`; `root` if there is none.
Term first_of_its_own(const TermTable& terms, Term root, Term other);

/// The sum as text, as deep as fits into a few lines; deeper parts are "..".
std::string term_text(const TermTable& terms, Term term, const std::function<std::string(Term)>& leaf_text);

}  // namespace onceover::verifier
