// FaultOrigin: where a wrong element of a result first went wrong, found by walking back through sums and messages.
#pragma once

#include <optional>
#include <string>

#include "code/record.h"
#include "live/live_call.h"

namespace onceover::code {

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
  std::string told;                      // "rank 1 adds element 3 to element 2"
};

/// Nothing if the result holds what is due there, or a sum that lacks contributions, which no single place shows.
///
/// A sum of different elements: the first such sum that the element comes from. Something garbled: where it was first
/// sent or added. A contribution that counts twice: the first sum of two sums that have it. Another element: the
/// message from the last rank on the way back that doesn't itself end with it at this index. O(way * (messages +
/// sums)).
std::optional<FaultOrigin> origin_of(const ResultElement& element, const live::LiveCall& call, const CallRecord& made,
                                     const Record& record);

}  // namespace onceover::code
