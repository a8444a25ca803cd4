// The results of a call, as values that live/judge.h understands.
#pragma once

#include <optional>
#include <vector>

#include "code/record.h"
#include "live/element.h"

namespace onceover::code {

/// Makes values of shapes. Each shape is translated once.
class Shapes {
 public:
  /// Both must outlive it.
  Shapes(const Record& record, live::Values& values);

  /// What a call left; every rank must have a result. O(elements), and O(p) for each different shape.
  live::CallOutcome outcome(const CallRecord& made);

 private:
  std::size_t value(Shape shape);
  std::size_t new_value(Shape shape);
  std::vector<std::uint16_t> words(Shape sum) const;
  std::vector<std::uint32_t> counts(Shape sum) const;

  const Record& record_;
  live::Values& values_;
  std::vector<std::uint64_t> leaves_;                // by shape: how many, at most a huge number
  std::vector<std::optional<std::size_t>> numbers_;  // by shape: its value
};

}  // namespace onceover::code
