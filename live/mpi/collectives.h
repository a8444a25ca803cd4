// Calls the collectives of the MPI under test with elements that carry terms.
#pragma once

#include <mpi.h>

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

/// The datatype of elements, and the operator that joins them in the order in which the library calls it. Make one at a
/// time, because MPI operators carry no data.
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
  std::vector<std::uint32_t> joins;  // of a reduction: how often the operator was called, by position
  std::string fault;                 // what else went wrong; empty: nothing
};

/// Makes the call on MPI_COMM_WORLD.
Called carry_out(const LiveCall& call, const ElementFormat& format, const Recorder& recorder, Rank rank);

}  // namespace onceover::live
