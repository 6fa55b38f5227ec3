// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions that this object defines in place of the library's: MPI_X and PMPI_X of each,
// because Fortran layers call either.
#include "preload/mapper/calls.hpp"
#include "preload/mpi_library.hpp"

using namespace plait::preload;

namespace {

/// The function that would be called without this object. It is searched for until it is found: a
/// program may open its MPI late.
template <class Function>
Function* next(const char* name, Function** kept) {
  Function* function = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (function == nullptr) {
    function = reinterpret_cast<Function*>(find_symbol(name));
    __atomic_store_n(kept, function, __ATOMIC_RELAXED);
  }
  return function;
}

using Init = int(int*, char***);
using InitThread = int(int*, char***, int, int*);

int init(Init* own, int* argc, char*** argv) {
  const int code = own(argc, argv);
  mapper::after_init(code);
  return code;
}

int init_thread(InitThread* own, int* argc, char*** argv, int required, int* provided) {
  const int code = own(argc, argv, required, provided);
  mapper::after_init(code);
  return code;
}

using SessionInit = int(Word info, Word handler, void* session);
using SessionFinalize = int(void* session);

int session_init(SessionInit* own, Word info, Word handler, void* session) {
  const int code = own(info, handler, session);
  if (code == MPI_SUCCESS) mapper::count_session(1);
  return code;
}

int session_finalize(SessionFinalize* own, void* session) {
  // Before the call: once it has begun, nothing of the session may be used.
  mapper::count_session(-1);
  return own(session);
}

}  // namespace

// One of the two names; `function` does the work, and gets the next function of that name.
#define PLAIT_ONE_NAME(entry, symbol, Type, function, parameters, ...)                    \
  extern "C" __attribute__((visibility("default"))) int entry parameters __asm__(symbol); \
  extern "C" int entry parameters {                                                       \
    static Type* kept;                                                                    \
    Type* const own = next(symbol, &kept);                                                \
    return own ? function(own, __VA_ARGS__) : MPI_ERR_UNSUPPORTED_OPERATION;              \
  }
#define PLAIT_ENTRY(name, Type, function, parameters, ...)                                \
  PLAIT_ONE_NAME(plait_map_##name, "MPI_" #name, Type, function, parameters, __VA_ARGS__) \
  PLAIT_ONE_NAME(plait_map_p_##name, "PMPI_" #name, Type, function, parameters, __VA_ARGS__)

PLAIT_ENTRY(Init, Init, init, (int* argc, char*** argv), argc, argv)
PLAIT_ENTRY(Init_thread, InitThread, init_thread,
            (int* argc, char*** argv, int required, int* provided), argc, argv, required, provided)
PLAIT_ENTRY(Session_init, SessionInit, session_init, (Word info, Word handler, void* session), info,
            handler, session)
PLAIT_ENTRY(Session_finalize, SessionFinalize, session_finalize, (void* session), session)
PLAIT_ENTRY(Cart_create, mapper::CartCreate, mapper::cart_create,
            (Word comm, int ndims, const int* dims, const int* periods, int reorder,
             MPI_Comm* made),
            comm, ndims, dims, periods, reorder, made)
PLAIT_ENTRY(Cart_map, mapper::CartMap, mapper::cart_map,
            (Word comm, int ndims, const int* dims, const int* periods, int* new_rank), comm, ndims,
            dims, periods, new_rank)
PLAIT_ENTRY(Graph_create, mapper::GraphCreate, mapper::graph_create,
            (Word comm, int vertices, const int* index, const int* edges, int reorder,
             MPI_Comm* made),
            comm, vertices, index, edges, reorder, made)
PLAIT_ENTRY(Graph_map, mapper::GraphMap, mapper::graph_map,
            (Word comm, int vertices, const int* index, const int* edges, int* new_rank), comm,
            vertices, index, edges, new_rank)
PLAIT_ENTRY(Dist_graph_create, mapper::DistGraphCreate, mapper::dist_graph_create,
            (Word comm, int n, const int* sources, const int* degrees, const int* destinations,
             const int* weights, Word info, int reorder, MPI_Comm* made),
            comm, n, sources, degrees, destinations, weights, info, reorder, made)
PLAIT_ENTRY(Dist_graph_create_adjacent, mapper::DistGraphCreateAdjacent,
            mapper::dist_graph_create_adjacent,
            (Word comm, int indegree, const int* sources, const int* source_weights, int outdegree,
             const int* destinations, const int* destination_weights, Word info, int reorder,
             MPI_Comm* made),
            comm, indegree, sources, source_weights, outdegree, destinations, destination_weights,
            info, reorder, made)
