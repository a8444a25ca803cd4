// The terms that the ranks of a running library hold after a call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "live/element.h"
#include "live/live_call.h"
#include "verifier/terms.h"

namespace onceover::live {

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
