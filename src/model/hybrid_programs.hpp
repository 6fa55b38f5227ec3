// SPDX-License-Identifier: BSD-3-Clause
// CG (NAS) and HPL as blocks of work and messages, for the models of Viet et al. 2005.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/communication_volume.hpp"
#include "model/hybrid_prediction.hpp"

namespace plait::model {

/// The NAS benchmark CG of one class.
struct CgProblem {
  std::string name;    ///< of the class: "B"; empty: another size
  std::int64_t n = 0;  ///< rows
  int nonzeros = 0;    ///< of a row, as the benchmark counts them
  int products = 0;    ///< q = A p in all: outer iterations x (25 + 1)
};

/// The class named "S", "W", "A", "B", "C", "D" or "E" (NAS Parallel Benchmarks 3.4, npbparams).
/// @throws Error that lists the names.
CgProblem cg_class(const std::string& name);

/// The flops that the benchmark counts in all, and the bytes of memory traffic per flop of the
/// product: a value and a column index (12 B) for a multiplication and an addition.
double flops_of(const CgProblem& problem);
inline constexpr double kCgBytesPerFlop = 6;

/// HPL: n unknowns in blocks of nb columns.
struct HplProblem {
  std::int64_t n = 0;
  int nb = 0;
};

/// 2/3 n^3 + 3/2 n^2, as HPL counts.
double flops_of(const HplProblem& problem);

/// A program on some nodes: its process grids and its blocks. Work is in flops.
struct HybridCase {
  int nodes = 1;
  int cores = 1;
  Grid mpi;     ///< one process per core
  Grid hybrid;  ///< one process per node
  Volume mpi_volume, hybrid_volume;
  std::vector<HybridBlock> blocks;
};

/// The block is q = A p (section 6). Messages of TC have about 2000 numbers, as in the paper;
/// vectors outside the block are work of one thread in hybrid programs.
/// @throws Error when nodes or cores are not powers of two.
HybridCase cg_case(const CgProblem& problem, int nodes, int cores);

/// One block per iteration (section 7). The volume is that of equation V_m; its lower end is that
/// of broadcasts in a ring, where each process sends a panel once. The factorization of panels is
/// outside blocks. Row swaps and the triangular solution at the end are left out.
/// @param grid  of the processes of the model that has as many; empty: best_hpl_grid()
/// @throws Error when the grid fits neither nodes nor nodes x cores
HybridCase hpl_case(const HplProblem& problem, int nodes, int cores,
                    const std::optional<Grid>& grid = {});

}  // namespace plait::model
