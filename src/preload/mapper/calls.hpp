// SPDX-License-Identifier: BSD-3-Clause
// The MPI calls that the mapper replaces. Each gets the function that would have been called
// without it, and MPI's arguments. Each is collective or local, as in MPI.
#pragma once

#include "preload/mapper/library.hpp"

namespace plait::preload::mapper {

/// The types of the functions, with handles as integers: an object that was loaded together
/// with an MPI of another ABI passes them through unchanged.
using CartCreate = int(Word comm, int ndims, const int* dims, const int* periods, int reorder,
                       MPI_Comm* made);
using CartMap = int(Word comm, int ndims, const int* dims, const int* periods, int* new_rank);
using GraphCreate = int(Word comm, int vertices, const int* index, const int* edges, int reorder,
                        MPI_Comm* made);
using GraphMap = int(Word comm, int vertices, const int* index, const int* edges, int* new_rank);
using DistGraphCreate = int(Word comm, int n, const int* sources, const int* degrees,
                            const int* destinations, const int* weights, Word info, int reorder,
                            MPI_Comm* made);
using DistGraphCreateAdjacent = int(Word comm, int indegree, const int* sources,
                                    const int* source_weights, int outdegree,
                                    const int* destinations, const int* destination_weights,
                                    Word info, int reorder, MPI_Comm* made);

int cart_create(CartCreate* own, Word comm, int ndims, const int* dims, const int* periods,
                int reorder, MPI_Comm* made);
int cart_map(CartMap* own, Word comm, int ndims, const int* dims, const int* periods,
             int* new_rank);
int graph_create(GraphCreate* own, Word comm, int vertices, const int* index, const int* edges,
                 int reorder, MPI_Comm* made);
int graph_map(GraphMap* own, Word comm, int vertices, const int* index, const int* edges,
              int* new_rank);
int dist_graph_create(DistGraphCreate* own, Word comm, int n, const int* sources,
                      const int* degrees, const int* destinations, const int* weights, Word info,
                      int reorder, MPI_Comm* made);
int dist_graph_create_adjacent(DistGraphCreateAdjacent* own, Word comm, int indegree,
                               const int* sources, const int* source_weights, int outdegree,
                               const int* destinations, const int* destination_weights, Word info,
                               int reorder, MPI_Comm* made);

/// At the end of MPI_Init and MPI_Init_thread, which returned `code`.
void after_init(int code);

}  // namespace plait::preload::mapper
