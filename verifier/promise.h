// Promise: what a collective owes each rank. For each element of a rank's result it says whose contributions must be in
// it, from where in their inputs, and in which order.
//
// This is the only place that knows it. Each collective is a row of one table; where its parts lie, for it may be
// called with other counts for each rank, is said by `PartSizes`. Schedules, programs, plans and running libraries
// number their elements differently (blocks, chunks, units, elements) and all ask here.
//
// Example: a reduce-scatter of 3 ranks with 2 elements for each. Rank 1's result has 2 elements, and its element 0 must
// be the sum of the elements 2 of all inputs:
//   const Promise promise(promise_row(Promised::reduce_scatter), 3, 0, even_parts(.., 2));
//   promise.result(1).owed(0)     // {.ranks = {0, 1, 2}, .element = 2}
//
// `result` takes memory in proportion to the ranks and not to the elements; asking it about an element allocates
// nothing. Nothing here changes after it was made, so threads may share it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/types.h"

namespace onceover::verifier {

/// What can be promised: the collectives of schedules, in their order, and those that only others have.
enum class Promised : std::uint8_t {
  allreduce,
  reduce_scatter,
  allgather,
  broadcast,
  reduce,
  scatter,
  gather,
  alltoall,
  scan,     // rank r gets the sum of ranks 0..r
  exscan,   // rank r gets the sum of ranks 0..r-1; rank 0 gets nothing
  permute,  // rank r gets what one other has, or nothing
  barrier,  // nobody gets anything
  stated,   // what the user says
};

/// The ranks whose contributions are in a rank's result.
enum class Givers : std::uint8_t {
  everyone,
  up_to_rank,
  below_rank,
  root,
  listed,  // for each rank others
  nobody,
};

/// A row of the table.
struct PromiseRow {
  Promised promised;
  std::string_view name;
  Givers givers = Givers::everyone;
  bool sums = true;                           // false: each contribution is an element of its own
  bool only_root_gets = false;                // false: every rank gets a result
  bool input_has_parts = false;               // an input has a part for each rank; false: it is the same for all
  bool result_has_parts = false;              // a result has a part from each giver
  std::optional<Collective> collective = {};  // the same collective of schedules, if there is one

  bool is_rooted() const { return givers == Givers::root || only_root_gets; }

  /// Are contributions of the rank in anybody's result?
  bool gives(Rank rank, Rank root) const { return givers == Givers::root ? rank == root : givers != Givers::nobody; }
  /// May the rank's result have elements?
  bool gets(Rank rank, Rank root) const { return !only_root_gets || rank == root; }
};

/// All rows, in the order of `Promised`.
std::span<const PromiseRow> promise_rows();
const PromiseRow& promise_row(Promised promised);
const PromiseRow& promise_row(Collective collective);

/// Elements that follow one another in a buffer.
struct BufferPart {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

/// How many elements ranks have for one another, and where they lie in the buffers.
struct PartSizes {
  /// What `src` has in its input for `dst`; the same for all if inputs have no parts. All that are summed up in a
  /// result must have equal begins and counts.
  std::function<BufferPart(Rank src, Rank dst)> sent;
  /// Where the parts of a rank's result begin, by source; parts that have elements must not overlap. If it is empty,
  /// one part follows the other in the order of the ranks.
  std::function<std::vector<std::int64_t>(Rank dst)> begins = {};
};

/// All parts have `count` elements; an input without parts has `count`.
PartSizes even_parts(const PromiseRow& row, std::int64_t count);

/// The part for, or from, a rank has its own count (reduce-scatter, scatter, gather, allgather).
PartSizes parts_by_rank(const PromiseRow& row, std::vector<std::int64_t> counts);

/// The part of `src` for `dst` has counts[src * ranks + dst] elements (alltoall).
PartSizes parts_by_pair(Rank ranks, std::vector<std::int64_t> counts);

/// An element of a rank's input.
struct Contribution {
  Rank rank;
  std::int64_t element;
};

/// What an element of a result must hold: the contributions of `ranks`, each once, all from the same element of their
/// inputs. If there are no ranks, nothing is promised.
struct Owed {
  std::span<const Rank> ranks = {};  // ascending; an operator that doesn't commute joins them in this order
  std::int64_t element = 0;

  /// Which of the owed contributions it is, from 0; ranks.size() if it is none of them. O(1) if the ranks are a run,
  /// otherwise O(log ranks).
  std::size_t place_of(const Contribution& contribution) const;
};

/// A run of elements of a result, from `begin` on, that are owed by the same ranks: its k-th one by element
/// `first.element` + k of their inputs.
struct OwedRun {
  std::int64_t begin;
  std::int64_t count;
  Owed first;
};

/// What one rank's result must hold. It is valid as long as the promise that it comes from.
class PromisedResult {
 public:
  PromisedResult() = default;
  /// The runs must have elements, in ascending order, and not overlap.
  explicit PromisedResult(std::vector<OwedRun> runs) : runs_(std::move(runs)) {}

  /// One more than the last element that is owed; 0 if none is.
  std::int64_t size() const { return runs_.empty() ? 0 : runs_.back().begin + runs_.back().count; }

  /// What the element must hold; no ranks for an element between runs or beyond the size. O(log runs), allocates
  /// nothing.
  Owed owed(std::int64_t element) const;

  std::span<const OwedRun> runs() const { return runs_; }

 private:
  std::vector<OwedRun> runs_;
};

/// Where a rank's input and its result begin in the memory that they share in place: what is a part of the other lies
/// where that part does. (MPI differs in one thing: a reduce-scatter's result in place lies at the start.)
struct SharedBegins {
  std::int64_t input = 0;
  std::int64_t result = 0;
};

/// What a call of a collective promises. Memory: O(ranks), and for what is listed rank by rank the size of the lists.
/// It can be moved, and then its results stay valid.
class Promise {
 public:
  /// `root` matters to rooted rows alone. The row's givers must not be listed.
  Promise(const PromiseRow& row, Rank ranks, Rank root, PartSizes sizes);

  /// Rank r gets `count` elements of rank sources[r]; none if that is `nobody`.
  static Promise permutation(std::vector<Rank> sources, std::int64_t count);

  /// What a user states of results and inputs with `count` elements, in one of these forms:
  ///
  ///     out[r] = in[A]                 out[r][k] = in[A][B]
  ///     out[r] = sum(in[q] for C)      out[r][k] = sum(in[q][B] for C)
  ///
  /// A, B and C are formulas (formula.h) of r, p and root, with [k] also of k, and C also of q. A is the rank that
  /// gives, and B the element that it gives; without [k] that is the same element. C says which ranks q are summed up:
  /// it must be a comparison, or several joined by `and`, `or` and `not`, or the words `all q`. Where C holds for no
  /// rank, nothing is owed to r.
  ///
  /// The message says what is wrong: the form, a formula, a formula without a value, a rank or an element that there
  /// isn't, or that nothing is owed to anybody. At most 4096 ranks, 2^20 elements and 2^24 contributions; without [k]
  /// an element costs nothing.
  static tl::expected<Promise, std::string> stated(std::string_view text, Rank ranks, Rank root, std::int64_t count);

  static constexpr Rank nobody = -1;

  Promise(Promise&&) = default;
  Promise& operator=(Promise&&) = default;

  const PromiseRow& row() const { return *row_; }
  Rank ranks() const { return static_cast<Rank>(all_.size()); }
  bool gives(Rank rank) const { return row_->gives(rank, root_); }
  bool gets(Rank rank) const { return row_->gets(rank, root_); }

  /// What the rank's result must hold. O(ranks log ranks).
  PromisedResult result(Rank rank) const;

  SharedBegins in_place(Rank rank) const;

 private:
  /// Nothing is listed yet.
  Promise(Promised listed, Rank ranks);
  void list(Rank rank, std::vector<Rank> givers, std::int64_t begin, std::int64_t count, std::int64_t element);

  std::span<const Rank> givers_of(Rank rank) const;
  std::vector<std::int64_t> begins_of(Rank rank) const;
  std::span<const Rank> one(Rank rank) const { return std::span(all_).subspan(static_cast<std::size_t>(rank), 1); }

  const PromiseRow* row_;
  Rank root_;
  PartSizes sizes_;
  std::vector<Rank> all_;                          // 0 .. ranks-1, of which givers are mostly a run
  std::vector<std::vector<OwedRun>> listed_ = {};  // by rank
  std::vector<std::vector<Rank>> lists_ = {};      // the ranks of these
};

}  // namespace onceover::verifier
