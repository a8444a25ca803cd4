// PlanMemory: the memory of an MSCCL++ plan at one size of message, in units of alignment, and what operations move.
// PlanResults: what its outputs must hold, and whether they do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/plan.h"
#include "programs/postcondition.h"
#include "verifier/term_judgement.h"

namespace onceover::programs {

/// Cells that follow one another.
struct CellRun {
  Cell first = 0;
  std::uint32_t count = 0;
};

/// What an operation finds or leaves in a run of cells.
enum class CellContent : std::uint8_t {
  plain,    // each cell is a unit of data
  packets,  // two cells are a unit, with the call's flag; a reader waits for it
  image,    // the same, copied with its flags and without looking at them
};

struct Operand {
  CellRun cells;
  CellContent content = CellContent::plain;

  std::uint32_t units() const { return content == CellContent::plain ? cells.count : cells.count / 2; }
};

/// The sum of the sources, from left to right, goes to each target. All have equally many units.
struct Movement {
  std::vector<Operand> sources = {};
  std::vector<Operand> targets = {};
};

/// A unit is `alignment` bytes, and a chunk has `units` of them. A cell is a unit of one rank's memory; if input and
/// output share memory, a unit of both is one cell. Scratch is twice as large as its chunks under LL, and twice that if
/// calls use its halves in turn. O(1) for each call; memory O(ranks).
class PlanMemory {
 public:
  PlanMemory(const ExecutionPlan& plan, std::uint32_t units);

  std::uint32_t units() const { return units_; }

  /// The units of a chunk of scratch.
  std::uint32_t scratch_units() const { return std::min(units_, plan_.scratch_ring); }
  std::uint32_t cells() const { return per_rank_.back(); }

  CellRun input(Rank rank) const;
  CellRun output(Rank rank) const;

  /// What an operation moves in a call (from 0), in its order.
  std::vector<Movement> movements(const PlanOperation& operation, std::int32_t call) const;

  /// A cell in words: "rank 1's o[3]", with the unit of the chunk if it has several.
  std::string text(Cell cell) const;
  Rank rank_of(Cell cell) const;

 private:
  std::uint32_t units_of(Buffer buffer) const { return buffer == Buffer::scratch ? scratch_units() : units_; }
  std::uint32_t chunks_to_units(std::int32_t chunks, Buffer buffer) const {
    return static_cast<std::uint32_t>(chunks) * units_of(buffer);
  }
  Cell first_of(Rank rank, Buffer buffer) const;
  Operand operand(const PlanOperation& operation, const PlanRange& range, Rank rank, CellContent content,
                  std::int32_t call) const;
  std::uint32_t half_offset(const PlanOperation& operation, const PlanRange& range, CellContent content,
                            std::int32_t call) const;
  void add_operands(std::vector<Operand>& out, const PlanOperation& operation, const PlanRange& range,
                    CellContent content, std::int32_t call) const;

  const ExecutionPlan& plan_;
  std::uint32_t units_;
  std::vector<Cell> per_rank_;  // the first cell of each rank, and one past the last
};

/// All cells that a plan needs if a chunk has `units`.
std::uint64_t cells_needed(const ExecutionPlan& plan, std::uint64_t units);

/// The leaves of a plan's data, one for each unit of each input in each call, and what is owed.
class PlanResults {
 public:
  PlanResults(const ExecutionPlan& plan, const PlanMemory& memory);

  /// How many leaves there are in so many calls.
  std::uint64_t leaves(std::int32_t calls) const {
    return static_cast<std::uint64_t>(calls) * plan_.gpus.size() * memory_.input(0).count;
  }

  Term leaf(const TermTable& terms, std::int32_t call, Rank rank, std::uint32_t unit) const;

  /// Is the term what the unit of the rank's output must be, each contribution once? O(ranks).
  bool is_right(const TermTable& terms, Term term, std::int32_t call, Rank rank, std::uint32_t unit);

  /// What it must be, in words: "the sum of unit 3 of all inputs", "unit 0 of gpu 2's input".
  std::string due(Rank rank, std::uint32_t unit) const;

  /// A term in words: "i0[1] + i2[1]", shortened if it is long.
  std::string text(const TermTable& terms, Term term) const;

 private:
  /// Which call's input a leaf is of, and what of it.
  struct Source {
    std::int32_t call;
    Contribution contribution;
  };
  Source source_of(const TermTable& terms, Term leaf) const;
  Owed owed(Rank rank, std::uint32_t unit) const { return results_[static_cast<std::size_t>(rank)].owed(unit); }

  const ExecutionPlan& plan_;
  const PlanMemory& memory_;
  std::optional<Promise> promise_;       // in units; none if nothing says what the collective promises
  std::vector<PromisedResult> results_;  // by rank
  LeafWalk leaves_;
};

}  // namespace onceover::programs
