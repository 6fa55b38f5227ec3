/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of ranks, and the exchanges and counts in a grid, for the programs of this folder. */
#ifndef PLAIT_TESTS_NEIGHBOURS_H
#define PLAIT_TESTS_NEIGHBOURS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64 };

/* A number for the node of this process: the lowest rank of the communicator there. */
static inline int own_node_in(MPI_Comm comm) {
  int rank, node;
  MPI_Comm neighbours;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours);
  node = rank;
  MPI_Bcast(&node, 1, MPI_INT, 0, neighbours);
  MPI_Comm_free(&neighbours);
  return node;
}

static inline int own_node(void) {
  return own_node_in(MPI_COMM_WORLD);
}

/* What a vertex holds: the same in every run, whichever process has it. */
static inline double held_by(int vertex) {
  return 1.0 / (3.0 + vertex * 0.7);
}

/* Numbers bits independently of the place of a vertex. */
static inline unsigned long long mixed(unsigned long long sum, double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  return (sum ^ bits) * 0x9e3779b97f4a7c15ull + 1;
}

#endif
