// SPDX-License-Identifier: BSD-3-Clause
// Prints on rank 0 how many ranks there are on how many nodes, as MPI sees them, and their names.
#include <mpi.h>

#include <array>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, rank_on_node = 0, nodes = 0, length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank_on_node);
  const int first = rank_on_node == 0;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  MPI_Get_processor_name(name.data(), &length);
  std::array<char, 2 * MPI_MAX_PROCESSOR_NAME> names{};
  MPI_Gather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME,
             MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%d ranks on %d nodes: %s %s\n", size, nodes, names.data(),
                names.data() + MPI_MAX_PROCESSOR_NAME);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
