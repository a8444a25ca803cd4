// Elements of a call's results: as values that live/judge.h understands, and where a wrong one first went wrong, found
// by walking back through sums and messages.
#pragma once

#include <optional>
#include <string>

#include "code/record.h"
#include "live/element.h"
#include "live/live_call.h"

namespace onceover::code {

/// What a call left; every rank must have a result. O(elements), and O(p) for each different shape.
live::CallOutcome outcome_of(const CallRecord& made, const Record& record, live::Values& values);

/// An element of a rank's result.
struct ResultElement {
  Rank rank;
  std::size_t index;
};

/// The first sum or message that is wrong, or what is known without either.
struct FaultOrigin {
  enum class Kind {
    sum,      // `sum` adds what doesn't belong together, or what is garbled
    message,  // `message` carries the wrong part, or something garbled
  };
  Kind kind;
  const Sum* sum = nullptr;
  const SentMessage* message = nullptr;  // of a sum: the one that brought an operand, if one did
  std::string text;                      // "rank 1 adds element 3 to element 2"
};

/// Nothing if the result holds what is due there, or a sum that lacks contributions, which no single place shows.
///
/// A sum of different elements: the first such sum that the element comes from. Something garbled: where it was first
/// sent or added. A contribution that counts twice: the first sum of two sums that have it. Another element: the
/// message from the last rank on the way back that doesn't itself end with it at this index. O(way * (messages +
/// sums)).
std::optional<FaultOrigin> origin_of(const ResultElement& element, const live::LiveCall& call, const CallRecord& made,
                                     const Record& record);

/// The last message that brought a rank what an element of its result holds; null if none did.
const SentMessage* bringer_of(const ResultElement& element, const CallRecord& made);

}  // namespace onceover::code
