// Judges what a program's ranks end with.
#pragma once

#include <string>

#include "programs/program_execution.h"
#include "verifier/property.h"

namespace onceover::programs {

/// An operation in words: "rank 0, thread block 1, step 2 (line 14)".
std::string place_text(const Program& program, OperationId id);
Counterexample::Site site_of(const Program& program, OperationId id);

/// The findings on a program that was executed to its end. Values that several chunks share are walked once.
/// O(chunks + sums), each with a look-up in O(log chunks).
class ProgramResult {
 public:
  ProgramResult(const Program& program, const Memory& memory, const ProgramExecution& execution, std::uint64_t budget);

  Finding exactly_once() const;
  Finding bitwise_reproducible() const;
  Finding order_preserving() const;
  std::uint32_t term_depth() const;

 private:
  /// A chunk of a rank's output, what must be there and what is.
  struct Outcome {
    Rank rank;
    Postcondition postcondition;
    Cell cell;
    Term value;
  };
  /// A leaf and how often it counts.
  struct Share {
    Term leaf;
    std::uint64_t times;
  };

  std::vector<Share> shares(Term value) const;
  bool is_kept(const Outcome& outcome, const std::vector<Share>& shares) const;
  Counterexample explain(const Outcome& outcome) const;
  void tell_origin(const Outcome& outcome, Counterexample& c) const;
  void tell_double(const Outcome& outcome, Term leaf, Counterexample& c) const;
  Finding broken(const Outcome& outcome, std::uint64_t wrong) const;
  std::string text(Term value, std::int32_t chunk) const;
  std::string sentence() const;
  Counterexample difference(const Outcome& a, const Outcome& b, std::uint64_t distinct) const;
  Counterexample gap(Term sum, std::string a, std::string b) const;

  const Program& program_;
  const Memory& memory_;
  const ProgramExecution& execution_;
  std::uint64_t budget_;
  mutable std::uint64_t walked_ = 0;
  std::vector<Outcome> outcomes_;
};

}  // namespace onceover::programs
