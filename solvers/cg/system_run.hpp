// SPDX-License-Identifier: BSD-3-Clause
// Solves one system with a matrix from a file by preconditioned conjugate gradients.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

#include "bandwidth.hpp"
#include "nas_product.hpp"
#include "plait/sparse_block.hpp"

namespace plait::cg {

/// How rows are distributed.
enum class PartitionKind { rows, entries, graph };
inline constexpr std::array kPartitionNames{"rows", "entries", "graph"};

struct SystemOptions {
  std::string matrix;    ///< Matrix Market file
  std::string rhs;       ///< file; empty: ones
  std::string solution;  ///< file to write; empty: none
  double tolerance = 1e-10;
  int most_iterations = 10'000;
  bool jacobi = true;
  PartitionKind partition = PartitionKind::entries;
  Model model = Model::mpi;
  int threads = 1;
  SparseKernel kernel = SparseKernel::automatic;
  int grain_rows = 0;  ///< of tc; 0: chosen from the sizes
};

/// Valid on every rank.
struct SystemResult {
  SystemOptions options;
  std::int64_t size = 0;
  double entries = 0;    ///< of the whole matrix
  double received = 0;   ///< elements of x that a rank receives per product, largest
  std::string schedule;  ///< that the product used
  int iterations = 0;
  double residual = 0;  ///< |b - A x| / |b|, computed from x
  bool converged = false;
  double seconds = 0;         ///< of the iterations, of the slowest rank
  double median_seconds = 0;  ///< the same, for the share of the memory bandwidth
  double reading_seconds = 0;
  double traffic_bytes = 0;    ///< of the matrix in all products, on all ranks
  double vector_bytes = 0;     ///< that all operations read and write, on all ranks
  Bandwidth bandwidth;         ///< of the memory, if it was measured
  std::uint64_t checksum = 0;  ///< of the bits of x

  [[nodiscard]] bool passed() const { return converged; }
};

/// Collective over `comm`.
/// @param probe  measures the memory bandwidth before and after; null: nothing does
/// @throws CollectiveError if a file cannot be used, the memory of a node does not suffice, or the
///         matrix is found not to be positive definite
SystemResult run_system(MPI_Comm comm, const SystemOptions& options, BandwidthProbe* probe);

}  // namespace plait::cg
