// Makes one call of a collective of the MPI under test, with elements that hold terms instead of numbers (element.h).
// The operator joins the terms of its two elements, so a result shows in which order the library added.
//
// A rank gives the leaves (rank, position), and its result is cleared before the call. With MPI_IN_PLACE the leaves are
// in the result, where the standard puts them. The memory around the result is filled with a pattern. After the call
// the pattern and the send buffer must be unchanged; otherwise that is a fault, like a returned error.
//
// Example: an allreduce of ranks 0 and 1 with one element. They give the leaves 0 and 1 at position 0, and a right
// result is (0+1), or (1+0), on both. If rank 1 called the operator once, its `joins` are {1}.
//
// MPI has one function for each collective, and another for its nonblocking form, so there are two lists, `block` and
// `start`. O(elements * ranks) besides the call, because elements have room for 2p leaves. watch.h ends a call that
// hangs.

#include "live/mpi/collectives.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::live {

namespace {

/// The elements of a rank's only recorder, and its operator's calls by position. They are global because MPI operators
/// carry no data, and by rank because a simulator's ranks share a process.
struct Recorded {
  const ElementFormat* format = nullptr;
  std::vector<std::uint32_t> joins = {};
};

Recorded& recorded() {
  static std::vector<Recorded> by_rank;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto index = static_cast<std::size_t>(rank);
  if (index >= by_rank.size()) by_rank.resize(index + 1);
  return by_rank[index];
}

extern "C" void join_elements(void* left, void* right, int* length, MPI_Datatype*) {
  auto& [format, joins] = recorded();
  const auto* a = static_cast<const std::byte*>(left);
  auto* b = static_cast<std::byte*>(right);
  for (int k = 0; k < *length; ++k, a += format->size(), b += format->size()) {
    format->join(a, b);
    if (const std::uint32_t position = format->position(b); position < joins.size()) ++joins[position];
  }
}

/// One call: its buffers, and the counts and displacements that its form takes.
class Caller {
 public:
  Caller(const LiveCall& call, const ElementFormat& format, const Recorder& recorder, Rank rank)
      : call_(call), type_(recorder.type()), op_(recorder.op()), rank_(rank), data_(call, format, rank) {
    describe_counts();
  }

  Called run() {
    recorded().joins.assign(call_.collective->reduces() ? given(call_, rank_) : 0, 0);
    const int error = call_.nonblocking ? start() : block();
    std::string fault = error == MPI_SUCCESS ? "" : error_text(error);
    if (call_.nonblocking && error == MPI_SUCCESS) {
      const int end = MPI_Wait(&request_, MPI_STATUS_IGNORE);
      if (end != MPI_SUCCESS) fault = error_text(end);
    }
    if (fault.empty()) fault = data_.fault();
    return {std::move(data_.result), std::move(recorded().joins), std::move(fault)};
  }

 private:
  CallKind kind() const { return call_.collective->kind; }
  bool is_root() const { return rank_ == call_.root; }

  /// Lists as MPI takes them: of parts that are sent to each rank, and of parts that come from each.
  void describe_counts() {
    const LiveCollective& collective = *call_.collective;
    if (!collective.has_counts) return;
    for (Rank r = 0; r < call_.ranks && collective.reduces(); ++r) receives_.push_back(share(call_, r));
    if (collective.reduces()) return;
    describe(sent(call_, rank_), sends_, send_starts_);
    describe(received(call_, rank_), receives_, receive_starts_);
  }

  static void describe(const PlacedParts& placing, std::vector<int>& counts, std::vector<int>& starts) {
    for (const Part& part : placing.parts) {
      counts.push_back(part.count);
      starts.push_back(static_cast<int>(part.begin));
    }
  }

  /// The argument for the send buffer: MPI_IN_PLACE if that is asked for; in rooted calls only the root passes it.
  const void* from() {
    const bool roots_alone = call_.collective->has_root();
    return call_.in_place && (!roots_alone || is_root()) ? MPI_IN_PLACE : data_.send.data();
  }

  int block() {
    const int n = call_.count, root = call_.root;
    const MPI_Comm comm = MPI_COMM_WORLD;
    void* to = data_.result.data();
    switch (kind()) {
      case CallKind::allreduce: return MPI_Allreduce(from(), to, n, type_, op_, comm);
      case CallKind::reduce: return MPI_Reduce(from(), to, n, type_, op_, root, comm);
      case CallKind::reduce_scatter: return MPI_Reduce_scatter(from(), to, receives_.data(), type_, op_, comm);
      case CallKind::reduce_scatter_block: return MPI_Reduce_scatter_block(from(), to, n, type_, op_, comm);
      case CallKind::scan: return MPI_Scan(from(), to, n, type_, op_, comm);
      case CallKind::exscan: return MPI_Exscan(from(), to, n, type_, op_, comm);
      case CallKind::broadcast: return MPI_Bcast(to, n, type_, root, comm);
      case CallKind::allgather: return MPI_Allgather(from(), n, type_, to, n, type_, comm);
      case CallKind::allgatherv:
        return MPI_Allgatherv(from(), own_count(), type_, to, receives_.data(), receive_starts_.data(), type_, comm);
      case CallKind::gather: return MPI_Gather(from(), n, type_, to, n, type_, root, comm);
      case CallKind::gatherv:
        return MPI_Gatherv(from(), own_count(), type_, to, receives_.data(), receive_starts_.data(), type_, root, comm);
      case CallKind::scatter: return MPI_Scatter(data_.send.data(), n, type_, scattered_to(), n, type_, root, comm);
      case CallKind::scatterv:
        return MPI_Scatterv(data_.send.data(), sends_.data(), send_starts_.data(), type_, scattered_to(), gets(), type_,
                            root, comm);
      case CallKind::alltoall: return MPI_Alltoall(from(), n, type_, to, n, type_, comm);
      case CallKind::alltoallv:
        return MPI_Alltoallv(from(), sends_.data(), send_starts_.data(), type_, to, receives_.data(),
                             receive_starts_.data(), type_, comm);
    }
    return MPI_ERR_OTHER;
  }

  int start() {
    const int n = call_.count, root = call_.root;
    const MPI_Comm comm = MPI_COMM_WORLD;
    void* to = data_.result.data();
    MPI_Request* request = &request_;
    switch (kind()) {
      case CallKind::allreduce: return MPI_Iallreduce(from(), to, n, type_, op_, comm, request);
      case CallKind::reduce: return MPI_Ireduce(from(), to, n, type_, op_, root, comm, request);
      case CallKind::reduce_scatter:
        return MPI_Ireduce_scatter(from(), to, receives_.data(), type_, op_, comm, request);
      case CallKind::reduce_scatter_block: return MPI_Ireduce_scatter_block(from(), to, n, type_, op_, comm, request);
      case CallKind::scan: return MPI_Iscan(from(), to, n, type_, op_, comm, request);
      case CallKind::exscan: return MPI_Iexscan(from(), to, n, type_, op_, comm, request);
      case CallKind::broadcast: return MPI_Ibcast(to, n, type_, root, comm, request);
      case CallKind::allgather: return MPI_Iallgather(from(), n, type_, to, n, type_, comm, request);
      case CallKind::allgatherv:
        return MPI_Iallgatherv(from(), own_count(), type_, to, receives_.data(), receive_starts_.data(), type_, comm,
                               request);
      case CallKind::gather: return MPI_Igather(from(), n, type_, to, n, type_, root, comm, request);
      case CallKind::gatherv:
        return MPI_Igatherv(from(), own_count(), type_, to, receives_.data(), receive_starts_.data(), type_, root, comm,
                            request);
      case CallKind::scatter:
        return MPI_Iscatter(data_.send.data(), n, type_, scattered_to(), n, type_, root, comm, request);
      case CallKind::scatterv:
        return MPI_Iscatterv(data_.send.data(), sends_.data(), send_starts_.data(), type_, scattered_to(), gets(),
                             type_, root, comm, request);
      case CallKind::alltoall: return MPI_Ialltoall(from(), n, type_, to, n, type_, comm, request);
      case CallKind::alltoallv:
        return MPI_Ialltoallv(from(), sends_.data(), send_starts_.data(), type_, to, receives_.data(),
                              receive_starts_.data(), type_, comm, request);
    }
    return MPI_ERR_OTHER;
  }

  /// The argument for the result of a scatter, of which the root keeps its part in place.
  void* scattered_to() { return call_.in_place && is_root() ? MPI_IN_PLACE : data_.result.data(); }

  int gets() const { return static_cast<int>(wanted(call_, rank_)); }
  int own_count() const { return static_cast<int>(data_.send.elements()); }

  std::string error_text(int error) const {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(error, text, &length);
    return fmt::format("rank {}: the call returns an error: {}", rank_, text);
  }

  const LiveCall& call_;
  MPI_Datatype type_;
  MPI_Op op_;
  Rank rank_;
  CallData data_;
  std::vector<int> sends_;     // elements for each rank
  std::vector<int> receives_;  // elements from each rank; in a reduce-scatter, for each
  std::vector<int> send_starts_;
  std::vector<int> receive_starts_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

Recorder::Recorder(const ElementFormat& format, bool commutative) {
  recorded().format = &format;
  MPI_Type_contiguous(static_cast<int>(format.size()), MPI_BYTE, &type_);
  MPI_Type_commit(&type_);
  MPI_Op_create(&join_elements, commutative ? 1 : 0, &op_);
}

Recorder::~Recorder() {
  MPI_Op_free(&op_);
  MPI_Type_free(&type_);
}

Called carry_out(const LiveCall& call, const ElementFormat& format, const Recorder& recorder, Rank rank) {
  return Caller(call, format, recorder, rank).run();
}

}  // namespace onceover::live
