// What can be said of finished terms, whoever made them: a schedule's execution or a running library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verifier/terms.h"

namespace onceover::verifier {

/// Goes down terms to their leaves, keeping its memory from one to the next.
class LeafWalk {
 public:
  explicit LeafWalk(Rank ranks)
      : to_visit_(static_cast<std::size_t>(ranks) + 1), seen_(static_cast<std::size_t>(ranks)) {}

  /// Does going down from `root` reach the leaf of each rank below `end` once and no other leaf? Ends at the first
  /// leaf that comes a second time, or when more are sure to come than there should be: at most 2 * `end` steps. None
  /// where the table knows the number of different leaves.
  bool has_each_once(const TermTable& terms, Term root, Rank end);

  /// Sums gone through so far.
  std::uint64_t walked() const { return walked_; }

 private:
  std::vector<Term> to_visit_;       // never more than ranks
  std::vector<std::uint32_t> seen_;  // by rank: the walk that last reached its leaf
  std::uint32_t walk_ = 0;
  std::uint64_t walked_ = 0;
};

/// Ranks first .. last, or no run at all.
struct RankRun {
  Rank first = -1;
  Rank last = -1;

  bool is_run() const { return first >= 0; }
};

std::string text(RankRun run);

/// Looks whether sums join neighbouring runs of ranks, keeping its memory.
class OrderWalk {
 public:
  /// A sum whose sides are no neighbours.
  struct Gap {
    Term sum;
    RankRun a;
    RankRun b;
  };

  /// Goes through all sums that are part of `results`. O(terms in the table).
  void walk(const TermTable& terms, std::span<const Term> results);

  std::uint64_t sums() const { return sums_; }            // of the last walk
  const std::vector<Gap>& gaps() const { return gaps_; }  // of the last walk; sums above a gap are not counted

  /// Which ranks a term of the last walk adds up. No run: it is above a gap, or a sum that is part of no result.
  RankRun run_of(Term term) const { return runs_[TermTable::id(term)]; }

 private:
  void mark_used(const TermTable& terms, std::span<const Term> results);
  RankRun joined(const TermTable& terms, Term sum);

  std::uint64_t sums_ = 0;
  std::vector<Gap> gaps_;
  std::vector<char> used_;     // by term: is it part of a result?
  std::vector<RankRun> runs_;  // by term
};

/// How results differ that should be the same: the first one that is another than the one at 0, and how many different
/// ones there are.
struct Disagreement {
  std::size_t different;
  std::uint64_t distinct;
};

/// Nothing if all results are the same, up to the sides of sums. O(n log n).
std::optional<Disagreement> disagreement(std::span<const Term> results);

}  // namespace onceover::verifier
