#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"

struct tiny {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
};

#define tiny_send(t, at, n, to) MPI_Send(at, n, (t)->type, to, 3, (t)->comm)
#define tiny_recv(t, at, n, from) MPI_Recv(at, n, (t)->type, from, 3, (t)->comm, MPI_STATUS_IGNORE)
#define tiny_add(t, from, into, n) MPI_Reduce_local(from, into, n, (t)->type, (t)->op)

static inline int tiny_rank(const struct tiny* t) {
  int rank;
  MPI_Comm_rank(t->comm, &rank);
  return rank;
}

static inline int tiny_size(const struct tiny* t) {
  int size;
  MPI_Comm_size(t->comm, &size);
  return size;
}

static inline size_t tiny_bytes(const struct tiny* t) {
  int size;
  MPI_Type_size(t->type, &size);
  return (size_t)size;
}
