// Calls the collectives of the MPI under test with elements that carry terms.
#pragma once

#include <mpi.h>

#include "live/call_data.h"

namespace onceover::live {

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

/// Makes the call on MPI_COMM_WORLD.
Called carry_out(const LiveCall& call, const ElementFormat& format, const Recorder& recorder, Rank rank);

}  // namespace onceover::live
