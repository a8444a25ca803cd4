// Execution: a schedule executed symbolically, one block at a time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/terms.h"

namespace onceover::verifier {

/// A point at which a block's execution has no defined meaning.
struct Fault {
  enum class Kind {
    sends_nothing,  // the sender holds no value of the block
    into_nothing,   // a reduce arrives at a rank that holds no value
    conflict,       // a copy and another write to the same rank in one step
  };
  Kind kind;
  std::size_t move;  // position in the trace
};

/// What stands for contributions to the other promised blocks of a group: one leaf for all, number `ranks`; or a leaf
/// for each, whose number is its cell.
enum class Foreign { together, apart };

/// Fills `value`, which has a term for each cell, with what the cells hold before the first step.
void hold_initial_values(const Header& header, Block block, const Trace& trace, Foreign foreign, TermTable& terms,
                         std::vector<Term>& value);

/// Executes the trace of one block after another. It keeps what each rank holds of the current block, and the terms.
///
/// A step reads the state that it begins with; then its moves apply in order. Several reductions into one rank are
/// allowed. A copy and any other write to the same rank in one step are a conflict. Execution ends at the first fault,
/// because what follows has no defined meaning. It has one after a *clash*: several copies of one value to the same
/// rank in one step. That isn't allowed either, but execution goes on, so that what else is wrong is found.
///
/// With scratch, "rank" in all this is a cell (see Trace): the cells of slot 0 begin as the collective says, scratch
/// begins with nothing. If the slots have another promised block, what ranks hold of it at first is foreign: one more
/// leaf, which no result may have.
///
/// Memory: 8 bytes a cell, 4 a move of the largest step, and the terms (see TermTable). run: O(moves + cells).
class Execution {
 public:
  explicit Execution(const Header& header);

  /// Executes one block from the collective's initial state; afterwards `value` is what each rank holds.
  std::optional<Fault> run(Block block, const Trace& trace);

  /// Was there a clash in the last run?
  bool has_clash() const { return has_clash_; }

  Term value(Rank rank) const { return value_[static_cast<std::size_t>(rank)]; }
  std::span<const Term> values() const { return {value_.data(), static_cast<std::size_t>(header_.ranks)}; }  // by rank
  const TermTable& terms() const { return terms_; }

 private:
  using Segments = std::span<const Trace::Segment>;

  std::optional<Fault> run(const Trace& trace);
  bool run_step(const BlockTransfer* moves, std::size_t begin, Segments segments);
  bool run_steps_of_one_move(const BlockTransfer* moves, std::size_t begin, const Trace::Segment& segment);
  bool read(const BlockTransfer* moves, std::size_t begin, std::size_t end);
  bool has_conflict(const BlockTransfer* moves, std::size_t begin, Segments segments);
  bool are_clashes(const BlockTransfer* moves, std::size_t begin, Segments segments);
  bool fail(Fault::Kind kind, std::size_t move) {
    fault_ = {kind, move};
    return false;
  }

  const Header& header_;
  TermTable terms_;
  std::vector<Term> value_;             // by cell
  std::vector<Term> arriving_;          // by move of the current step
  std::vector<std::uint32_t> written_;  // by cell: a stamp of the last step that wrote it, and whether by copy
  std::uint32_t stamp_ = 0;
  bool has_clash_ = false;
  Fault fault_{};  // why the last step failed
};

}  // namespace onceover::verifier
