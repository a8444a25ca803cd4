// ProgramResult: a program executed on terms, once, and judged by what its ranks end with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/program.h"
#include "programs/happens_before.h"
#include "programs/postcondition.h"
#include "programs/program_faults.h"
#include "verifier/property.h"
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

Counterexample::Site site_of(const Program& program, OperationId id);

/// An operation in words: "rank 0, thread block 1, step 2 (line 14)".
std::string place_text(const Program& program, OperationId id);

/// The findings on a program that was executed to its end. A value that several chunks share is walked once. O(chunks +
/// sums), each with a look-up in O(log chunks).
class ProgramResult {
 public:
  ProgramResult(const Program& program, const Memory& memory, const ProgramExecution& execution, std::uint64_t budget);

  Finding exactly_once() const;
  Finding bitwise_reproducible() const;
  Finding order_preserving() const;
  std::uint32_t term_depth() const;

 private:
  /// A chunk of a rank's output, what it must hold and what it holds.
  struct Outcome {
    Rank rank;
    Postcondition postcondition;
    Cell cell;
    Term value;

    /// The chunk of the inputs that is owed.
    std::int32_t input() const { return static_cast<std::int32_t>(postcondition.owed.element); }
  };

  bool is_kept(const Outcome& outcome, LeafWalk& leaves) const;
  Counterexample explain(const Outcome& outcome) const;
  Counterexample::Told what_is_wrong(const Outcome& outcome) const;
  Counterexample::Told duplicate(const Outcome& outcome, Term leaf, std::uint64_t times) const;
  Counterexample::Told missing(const Outcome& outcome, const std::vector<Rank>& lost) const;
  Counterexample::Told wrong_source(const Outcome& outcome, Term leaf) const;
  void tell_writer(const Outcome& outcome, Counterexample::Told& told) const;
  std::string block_text(const Outcome& outcome) const;
  std::string contribution_text(const Outcome& outcome, Rank contributor) const;
  std::string text(Term value, std::int32_t chunk) const;
  Counterexample difference(const Outcome& a, const Outcome& b, std::uint64_t distinct) const;
  Counterexample gap(const OrderWalk::Gap& gap) const;
  std::optional<Counterexample::Site> writer_of(const Outcome& outcome) const;

  const Program& program_;
  const Memory& memory_;
  const ProgramExecution& execution_;
  std::uint64_t budget_;
  Promise promise_;
  std::vector<Outcome> outcomes_;
};

}  // namespace onceover::programs
