// Elements of live collectives: terms in buffers of fixed size, which an MPI datatype can carry; and what the ranks
// hold after a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "live/live_call.h"
#include "schedules/types.h"
#include "verifier/terms.h"

namespace onceover::live {

/// The content of an element.
enum class Content : std::uint16_t {
  nothing,   // nothing has been written since it was cleared
  term,      // a term, with the exact order in which it was joined
  counts,    // a term with more leaves than fit: how often it contains each rank's contribution
  garbled,   // not an element of this call, or made from one that isn't: the library cut elements, lost bytes of them,
             // or read memory that this call hasn't set
  mismatch,  // a join of elements at different positions
  unjudged,  // lost by the simulator that ran the code, not by the code; elements of libraries never are
  // What is garbled, where it can be told why (code/runtime/ledger.h); a join with it is the same.
  unwritten,  // memory that nobody wrote
  stale,      // an element of an earlier call
  split,      // bytes of two elements
  cleared,    // zeros
};

/// Elements for a number of ranks.
///
/// A term is kept in prefix order, with a word of 16 bits for each leaf and each join. So nothing is hashed, and the
/// sides of joins are those that the library chose. There is room for 2p leaves, enough to show every contribution
/// twice. A larger term keeps the exact number of each contribution, up to 2^32 - 1, and loses the order. Bytes that a
/// term doesn't need are filled according to the element's position, and checked as well. Elements belong to one call,
/// so those of an earlier call don't count, even if its data is the same.
///
/// Memory: 16 + 8p bytes an element. join: O(p). Ranks: 1 .. `most_ranks`.
class ElementFormat {
 public:
  static constexpr Rank most_ranks = 8000;

  explicit ElementFormat(Rank ranks);

  Rank ranks() const { return ranks_; }

  /// The bytes of an element.
  std::size_t size() const { return size_; }

  /// From now on elements belong to another call. Call this equally often on every rank, so that ranks agree.
  void next_call() { ++call_; }

  /// Makes the element hold nothing.
  void clear(std::byte* element) const;

  /// Makes the element hold the rank's own contribution at a position of its vector.
  void set_leaf(std::byte* element, Rank rank, std::uint32_t position) const;

  /// right = left joined with right: what an MPI operator does to its second operand.
  void join(const std::byte* left, std::byte* right) const;

  Content content(const std::byte* element) const;

  /// The position to which the element belongs. Only for a term or counts.
  std::uint32_t position(const std::byte* element) const;

  /// The words of a term in prefix order: a leaf is its rank, a join is `joined`.
  static constexpr std::uint16_t joined = 0xFFFF;
  std::span<const std::uint16_t> term(const std::byte* element) const;

  /// How often the element contains each rank's contribution. Only for a term or counts.
  std::vector<std::uint32_t> counts(const std::byte* element) const;

 private:
  struct Head {
    std::uint32_t magic;  // of the call
    std::uint32_t position;
    Content content;
    std::uint16_t length;  // how many words a term has
    std::uint32_t check;   // a check sum of everything before it and of the words
  };

  static Head head(const std::byte* element);
  static const std::uint16_t* words(const std::byte* element);
  static std::uint16_t* words(std::byte* element);
  static std::uint32_t check_of(const Head& head, const std::uint16_t* words);
  std::uint32_t magic() const;
  bool is_filled(const std::byte* element, const Head& head) const;
  void seal(std::byte* element, Content content, std::uint32_t position, std::size_t length) const;
  void add_counts(const std::byte* left, std::byte* right, std::uint32_t position) const;

  Rank ranks_;
  std::size_t most_words_;
  std::size_t size_;
  std::uint32_t call_ = 0;
};

/// All different values that were read from elements, each kept once, exactly as it was written.
///
/// Memory: that of the different values. add: O(p log n) for n of them.
class Values {
 public:
  /// A value: a term as the library joined it, or what remains of one.
  struct Value {
    Content content;
    std::vector<std::uint16_t> words;   // of a term, in prefix order; of counts, as the element holds them
    std::vector<std::uint32_t> counts;  // of a term or counts, by rank
    Term term = Term::nothing;          // of a term: the same, up to the sides of its joins
  };

  explicit Values(Rank ranks) : terms_(ranks) {}

  /// The number of the element's value.
  std::size_t add(const ElementFormat& format, const std::byte* element);

  /// The number of a value: `words` and `counts` as in Value, whose `term` follows from them.
  std::size_t add(Content content, std::vector<std::uint16_t> words, std::vector<std::uint32_t> counts);

  const Value& operator[](std::size_t number) const { return values_[number]; }
  std::size_t size() const { return values_.size(); }
  TermTable& terms() { return terms_; }
  const TermTable& terms() const { return terms_; }

  /// "((0+1)+2)", with the sides that the library chose; a description if it isn't a term.
  std::string text(std::size_t number) const;

 private:
  TermTable terms_;
  std::vector<Value> values_;
  std::map<std::pair<Content, std::vector<std::uint16_t>>, std::size_t> numbers_;
};

/// An element of a result.
struct Cell {
  std::size_t value;  // its number
  std::uint32_t position;

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// What one call left on all ranks.
struct CallOutcome {
  std::vector<std::vector<Cell>> cells;           // by rank
  std::vector<std::vector<std::uint32_t>> joins;  // by rank, then position: how often the operator was called
  std::vector<std::string> faults = {};           // returned errors, and writes to memory outside the result
};

}  // namespace onceover::live
