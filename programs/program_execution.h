// ProgramExecution: a program executed on terms, once, in any order that its happens-before graph allows.
#pragma once

#include <optional>
#include <vector>

#include "formats/program.h"
#include "programs/happens_before.h"
#include "programs/postcondition.h"
#include "verifier/terms.h"

namespace onceover::programs {

/// An operation that reads what nothing has set.
struct Unset {
  OperationId operation;
  Cell cell;
};

/// The terms of all chunks. A leaf is a chunk of a rank's input; its number is first_leaf(rank) + chunk.
///
/// A copy moves the number of a term, a reduction makes a sum. Memory: O(cells + chunks of all messages + sums).
class ProgramExecution {
 public:
  explicit ProgramExecution(const Program& program, const Memory& memory);

  /// Runs all operations in the order of their middles. All messages must be matched and all slots exist. Ends at the
  /// first operation that reads what nothing has set, and returns it.
  std::optional<Unset> run(const std::vector<Event>& order, const Matching& matching);

  const TermTable& terms() const { return terms_; }
  Term value(Cell cell) const { return values_[cell]; }
  OperationId writer(Cell cell) const { return writers_[cell]; }  // the last to set it, or -1

  /// The operation that made a sum first.
  OperationId maker(Term sum) const {
    return makers_[TermTable::id(sum) - static_cast<std::uint32_t>(terms_.ranks()) - 1];
  }

  Term leaf(Rank rank, std::int32_t chunk) const {
    return terms_.leaf(first_leaf_[static_cast<std::size_t>(rank)] + chunk);
  }
  Rank rank_of(Term leaf) const;
  std::int32_t chunk_of(Term leaf) const {
    return terms_.rank_of(leaf) - first_leaf_[static_cast<std::size_t>(rank_of(leaf))];
  }

 private:
  std::optional<Unset> execute(OperationId id, const Matching& matching);
  std::optional<Unset> read(OperationId id, std::vector<Term>& out) const;
  void combine(OperationId id, std::vector<Term>& into, const std::vector<Term>& other);
  void store(OperationId id, const std::vector<Term>& values);

  const Program& program_;
  const Memory& memory_;
  TermTable terms_;
  std::vector<Rank> first_leaf_;
  std::vector<Term> values_;                 // by cell
  std::vector<OperationId> writers_;         // by cell
  std::vector<OperationId> makers_;          // by sum
  std::vector<std::vector<Term>> messages_;  // by sending operation, until received
};

}  // namespace onceover::programs
