// SPDX-License-Identifier: BSD-3-Clause
// One run of the NAS CG benchmark: matrix, inverse power method, verification.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bandwidth.hpp"
#include "nas_matrix.hpp"
#include "nas_product.hpp"
#include "plait/sparse_block.hpp"

namespace plait::cg {

struct NasOptions {
  NasClass problem;
  Model model = Model::mpi;
  int threads = 1;
  SparseKernel kernel = SparseKernel::automatic;
  int grain_rows = 0;      ///< of tc; 0: chosen
  int grains_before = -1;  ///< of tc; -1: chosen
};

/// Valid on every rank.
struct NasResult {
  NasOptions options;     ///< with the rows of a grain that were chosen
  int grains_before = 0;  ///< of tc: of rank 0 in the last product
  int process_rows = 1;
  int process_columns = 1;
  double seconds = 0;          ///< of the timed iterations, of the slowest rank
  double median_seconds = 0;   ///< with a probe: the same if each took as long as their median
  double message_seconds = 0;  ///< in messages, of the rank that spent most
  double generation_seconds = 0;
  double zeta = 0;
  double residual = 0;       ///< of the last system
  double entries = 0;        ///< of the matrix, on all ranks
  double traffic_bytes = 0;  ///< of the matrix in all products, on all ranks
  double vector_bytes =
      0;                ///< that all operations read and write, on all ranks; caches may have them
  Bandwidth bandwidth;  ///< of the memory, if it was measured
  SparseKernel kernel = SparseKernel::automatic;  ///< of rank 0
  int column_blocks = 1;
  std::uint64_t checksum = 0;  ///< of the bits of zeta and the residual

  [[nodiscard]] double operations_per_s() const;
  [[nodiscard]] bool passed() const;
};

/// Runs the benchmark. Collective over `comm`.
/// @param probe  measures the memory bandwidth between the iterations; null: nothing does
/// @throws CollectiveError if the number of ranks is not a power of two or the memory of a node
///         does not suffice
NasResult run_nas(MPI_Comm comm, const NasOptions& options, BandwidthProbe* probe);

/// The local product under each storage, in operations per second of the slowest rank.
struct KernelRates {
  double crs = 0;
  double split = 0;
  double sell = 0;
};

/// Collective over `comm`. @throws CollectiveError as run_nas()
KernelRates kernel_rates(MPI_Comm comm, const NasOptions& options);

}  // namespace plait::cg
