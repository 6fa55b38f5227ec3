// SPDX-License-Identifier: BSD-3-Clause
// Measures the cases of a prediction with plait-cg or plait-lu on the nodes of an emulated cluster.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "report/hybrid_report.hpp"

namespace plait::advise {

/// The runs to measure.
struct HybridRuns {
  std::string program;         ///< "cg", "hpl"
  int repeat = 3;              ///< runs of each model
  std::string cg_class = "A";  ///< of CG
  int block = 80;              ///< NB of HPL
  std::string launcher = "mpiexec";
  std::filesystem::path folder;  ///< gets a file of each run
};

/// The command of one run of plait-cg, or of plait-lu.
/// @param schedule  "mpi" (one process per core), "pc" or "tc" (one per node)
std::vector<std::string> solver_command(const HybridRuns& runs, const std::string& solver,
                                        const report::HybridRow& row, const std::string& schedule,
                                        const std::filesystem::path& result);

/// Runs the three models of each row in turn, `repeat` times over, and sets HybridRow::measured.
/// Rows for which the cluster has too few nodes or cores are left out.
/// @throws Error when a run fails or takes longer than two minutes, or no row fits.
void measure_hybrid(const HybridRuns& runs, const cluster::Cluster& cluster,
                    std::vector<report::HybridRow>& rows);

}  // namespace plait::advise
