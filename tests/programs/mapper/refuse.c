/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes MPI calls and allocations of the mapper fail; interposes the MPI and C libraries. */
#define _GNU_SOURCE
#include "refuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

extern void* __libc_malloc(size_t bytes);

static int failing_call, calls, memory_limited, blocks_left, refused;

void refuse_call(int number) {
  failing_call = number;
  calls = refused = 0;
}

void refuse_memory_after(int blocks) {
  memory_limited = blocks >= 0;
  blocks_left = blocks;
  refused = 0;
}

int has_refused(void) {
  return refused;
}

__attribute__((constructor)) static void begin(void) {
  const char* number = getenv("REFUSE_CALL");
  if (number) refuse_call(atoi(number));
}

static int answer(MPI_Comm comm, int code) {
  if (failing_call == 0 || ++calls != failing_call) return code;
  refused = 1;
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

/* The mapper calls these names; programs, and the library itself, do not. */
#define REFUSABLE(name, parameters, ...)                         \
  int PMPI_##name parameters {                                   \
    static int(*own) parameters;                                 \
    if (!own) *(void**)(&own) = dlsym(RTLD_NEXT, "PMPI_" #name); \
    return answer(comm, own(__VA_ARGS__));                       \
  }

REFUSABLE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), comm, color, key, made)
REFUSABLE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), comm,
          type, key, info, made)
REFUSABLE(Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm), data, count,
          type, root, comm)
REFUSABLE(Allreduce,
          (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), in,
          out, count, type, op, comm)
REFUSABLE(Gather,
          (const void* in, int ins, MPI_Datatype in_type, void* out, int outs,
           MPI_Datatype out_type, int root, MPI_Comm comm),
          in, ins, in_type, out, outs, out_type, root, comm)
REFUSABLE(Gatherv,
          (const void* in, int ins, MPI_Datatype in_type, void* out, const int* outs,
           const int* begins, MPI_Datatype out_type, int root, MPI_Comm comm),
          in, ins, in_type, out, outs, begins, out_type, root, comm)
REFUSABLE(Scatter,
          (const void* in, int ins, MPI_Datatype in_type, void* out, int outs,
           MPI_Datatype out_type, int root, MPI_Comm comm),
          in, ins, in_type, out, outs, out_type, root, comm)
REFUSABLE(Scatterv,
          (const void* in, const int* ins, const int* begins, MPI_Datatype in_type, void* out,
           int outs, MPI_Datatype out_type, int root, MPI_Comm comm),
          in, ins, begins, in_type, out, outs, out_type, root, comm)
REFUSABLE(Allgather,
          (const void* in, int ins, MPI_Datatype in_type, void* out, int outs,
           MPI_Datatype out_type, MPI_Comm comm),
          in, ins, in_type, out, outs, out_type, comm)
REFUSABLE(Cart_create,
          (MPI_Comm comm, int ndims, const int* dims, const int* periods, int reorder,
           MPI_Comm* made),
          comm, ndims, dims, periods, reorder, made)
REFUSABLE(Graph_create,
          (MPI_Comm comm, int vertices, const int* index, const int* edges, int reorder,
           MPI_Comm* made),
          comm, vertices, index, edges, reorder, made)
REFUSABLE(Dist_graph_create_adjacent,
          (MPI_Comm comm, int indegree, const int* sources, const int* source_weights,
           int outdegree, const int* destinations, const int* destination_weights, MPI_Info info,
           int reorder, MPI_Comm* made),
          comm, indegree, sources, source_weights, outdegree, destinations, destination_weights,
          info, reorder, made)

static int is_mapper(const void* code) {
  Dl_info object;
  return dladdr(code, &object) && object.dli_fname && strstr(object.dli_fname, "plait-mapper");
}

void* malloc(size_t bytes) {
  if (memory_limited && is_mapper(__builtin_return_address(0)) && --blocks_left < 0) {
    refused = 1;
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}
