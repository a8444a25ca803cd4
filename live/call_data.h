// CallData: what a rank gives in a call, the room for its result, and whether the library touched anything else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "live/element.h"
#include "live/live_call.h"

namespace onceover::live {

/// A row of elements, with one more before and after them that the library must not write.
class CallBuffer {
 public:
  CallBuffer(const ElementFormat& format, std::size_t elements);

  std::byte* data() { return element(0); }
  std::byte* element(std::size_t k) { return bytes_.data() + (k + 1) * format_.size(); }
  std::size_t elements() const { return elements_; }
  std::size_t bytes() const { return elements_ * format_.size(); }

  /// Are the elements before and after unchanged?
  bool is_sound() const;

 private:
  const ElementFormat& format_;
  std::size_t elements_;
  std::vector<std::byte> bytes_;
};

/// A rank's buffers, filled for a call.
///
/// It gives the leaves (rank, position), and its result holds what `held_before` says: nothing, its input if the call
/// is in place, and in gaps what must stay there. O(elements * ranks).
class CallData {
 public:
  CallData(const LiveCall& call, const ElementFormat& format, Rank rank);

  /// After the call: did it write to memory before or after the result, or to the send buffer? Empty if not.
  std::string fault();

  CallBuffer send;
  CallBuffer result;

 private:
  bool is_send_unchanged();

  const ElementFormat& format_;
  Rank rank_;
};

/// What a call did on this rank.
struct Called {
  CallBuffer result;
  std::vector<std::uint32_t> joins;  // of a reduction: how often the operator was called, by position
  std::string fault;                 // what else went wrong; empty: nothing
};

}  // namespace onceover::live
