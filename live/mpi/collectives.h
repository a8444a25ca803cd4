// The collectives of the MPI under test, called with elements that carry terms.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "live/element.h"
#include "live/live_call.h"

namespace onceover::live {

/// Elements beside each other, and one more before and after them that nobody may write.
class CallBuffer {
 public:
  CallBuffer(const ElementFormat& format, std::size_t elements);

  std::byte* data() { return element(0); }
  std::byte* element(std::size_t k) { return bytes_.data() + (k + 1) * format_.size(); }
  std::size_t elements() const { return elements_; }
  std::size_t bytes() const { return elements_ * format_.size(); }

  /// Was nothing written before the beginning, nor after the end?
  bool is_sound() const;

 private:
  const ElementFormat& format_;
  std::size_t elements_;
  std::vector<std::byte> bytes_;
};

/// The datatype of elements, and the operator that joins them in the order in which the library calls it. One at a
/// time, since operators of MPI carry no data.
class Recorder {
 public:
  Recorder(const ElementFormat& format, bool commutative);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  MPI_Datatype type() const { return type_; }
  MPI_Op op() const { return op_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

/// What a call did on this rank.
struct Called {
  CallBuffer result;
  std::vector<std::uint32_t> joins;  // of a reduction: calls of the operator, by position
  std::string fault;                 // empty, or what else went wrong
};

/// Makes the call on MPI_COMM_WORLD.
Called carry_out(const LiveCall& call, const ElementFormat& format, const Recorder& recorder, Rank rank);

}  // namespace onceover::live
