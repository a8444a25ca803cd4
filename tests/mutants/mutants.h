// Mutants of schedules and programs that are right: all that judge them must agree on every one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace onceover::support {

/// What became of the mutants of one kind of change.
struct MutantRow {
  std::string_view change;
  int mutants = 0;
  int killed = 0;  // the verifier fails them, and so do the others
  int proved = 0;  // the verifier passes them, and the reference says that they are right
};

struct MutantTable {
  std::vector<MutantRow> rows = {};
  int too_large = 0;         // drawn but not counted: too many states for the interpreter
  std::string trouble = {};  // what judges disagreed on first, and the mutant; empty if nothing

  MutantRow total() const;

  /// As a table of Markdown, titled with what the rows change.
  std::string text(std::string_view of) const;
};

/// Mutants of the catalogue's schedules (2 to 16 ranks, tori, all lanes) and of gathers, scatters and alltoalls, in
/// turn by each change. Each is judged by the verifier and by the reference engine, which must agree in verdicts,
/// numbers of violations, metrics and counterexample; and by the code of verify-check, which must accept the verifier's
/// certificate of the mutant, and reject for a mutant that fails the certificate of what it was, and for what it was
/// that of the fail. Ends at the first trouble. The seed fixes all. `judged` is given the schedule file of each mutant
/// that all judge alike, and whether it passes.
MutantTable schedule_mutants(int count, unsigned seed,
                             const std::function<void(const std::string& file, bool passes)>& judged = {});

/// Mutants of small programs lowered from the catalogue's schedules, as threads and as requests. The verifier and the
/// interpreter that tries all orders must agree on each. Passes and fails are those with FIFOs of one message.
MutantTable program_mutants(int count, unsigned seed);

}  // namespace onceover::support
