/* An allreduce called as a variable of the runtime is, and one called main. */
#include <mpi.h>

int own(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return MPI_Allreduce(send, recv, count, type, op, comm);
}

int main(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return own(send, recv, count, type, op, comm);
}
