// A class template in C++, whose element may be any type with +=:
//
//   verify code templates.cpp --function adapter --numbers
#include <mpi.h>

#include <algorithm>
#include <vector>

template <class T>
class AllReducer {
 public:
  explicit AllReducer(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  /// Each rank's own vector goes once around. Then all ranks add them up in the same order, so that bits agree.
  void operator()(T* values, int count) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<std::vector<T>> all(static_cast<std::size_t>(ranks_), std::vector<T>(n));
    std::copy_n(values, n, all[static_cast<std::size_t>(rank_)].begin());
    const int bytes = count * static_cast<int>(sizeof(T));
    for (int step = 1; step < ranks_; ++step) {
      auto& passed = all[static_cast<std::size_t>((rank_ + ranks_ - step + 1) % ranks_)];
      auto& coming = all[static_cast<std::size_t>((rank_ + ranks_ - step) % ranks_)];
      MPI_Sendrecv(passed.data(), bytes, MPI_BYTE, (rank_ + 1) % ranks_, step, coming.data(), bytes, MPI_BYTE,
                   (rank_ + ranks_ - 1) % ranks_, step, comm_, MPI_STATUS_IGNORE);
    }
    std::copy_n(all[0].begin(), n, values);
    for (std::size_t r = 1; r < all.size(); ++r)
      for (std::size_t k = 0; k < n; ++k) values[k] += all[r][k];
  }

 private:
  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
};

extern "C" int adapter(const void* from, void* to, int count, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  if (from != MPI_IN_PLACE) std::copy_n(static_cast<const double*>(from), count, static_cast<double*>(to));
  AllReducer<double> all_reduce(comm);
  all_reduce(static_cast<double*>(to), count);
  return MPI_SUCCESS;
}
