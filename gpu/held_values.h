// What the elements of outputs are made of, read from the engine's terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "gpu/launch/concrete.h"
#include "gpu/launch/description.h"
#include "verifier/terms.h"

namespace onceover::gpu {

/// A value, as far as a promise speaks of it: contributions of ranks, all of the same element of the same input in the
/// same call, added up.
struct ReadValue {
  enum class Kind : std::uint8_t {
    nothing,    // no input had a part in it
    unwritten,  // memory that holds nothing
    sum,        // of contributions, or one
    mixed,      // of contributions of several elements, inputs or calls
    opaque,     // anything else that inputs went into
  };
  Kind kind = Kind::nothing;
  bool is_switched = false;  // a switch added it up, in an order that isn't told
  Combining operation = Combining::add;
  bool is_combined = false;
  std::size_t input = 0;  // Description::buffers
  std::uint64_t element = 0;
  std::uint32_t call = 0;
  Term term = Term::nothing;  // over the ranks
};

/// All terms of an outcome, read. Memory: 40 bytes a term. Made in O(terms).
class ReadValues {
 public:
  ReadValues(const ValueTerms& terms, const ConcreteLaunch& concrete, const Description& description);

  const ReadValue& operator[](ValueTerm term) const { return values_[static_cast<std::uint32_t>(term)]; }
  const verifier::TermTable& table() const { return table_; }

  /// "in@0[3] + in@1[3]", at most about `most` letters. Calls are named where they aren't `call`.
  std::string text(const HeldElement& element, std::uint32_t call, std::size_t most = 160) const;

 private:
  ReadValue read(const TermNode& node);
  ReadValue joined(const TermNode& node);
  void write(ValueTerm term, std::uint32_t call, std::size_t most, std::string& to) const;

  const ValueTerms& terms_;
  const ConcreteLaunch& concrete_;
  const Description& description_;
  verifier::TermTable table_;
  std::vector<ReadValue> values_;
};

}  // namespace onceover::gpu
