// SPDX-License-Identifier: BSD-3-Clause
// Whether the ranks that share memory are those of one node, in blocks of consecutive ranks.
//
// Usage: job blocks NODES RANKS_PER_NODE
#include <mpi.h>

#include <cstdlib>
#include <string>

namespace {

/// Every node has so many ranks, which follow each other.
bool in_blocks(int nodes, int per_node) {
  int rank = 0, size = 0, on_node = 0, ranks_on_node = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_size(node, &ranks_on_node);
  MPI_Comm_free(&node);
  int good = size == nodes * per_node && ranks_on_node == per_node && on_node == rank % per_node;
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "";
  bool good = false;
  if (what == "blocks" && argc == 4) good = in_blocks(std::atoi(argv[2]), std::atoi(argv[3]));
  MPI_Finalize();
  return good ? 0 : 1;
}
