// ProgramResult: judges what a program's ranks end with.
#pragma once

#include <string>

#include "programs/program_execution.h"
#include "programs/program_faults.h"
#include "verifier/property.h"

namespace onceover::programs {

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
