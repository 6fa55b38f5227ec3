// SPDX-License-Identifier: BSD-3-Clause
// Predicts CG and HPL in Viet's three models for a request of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/given_network.hpp"
#include "report/hybrid_report.hpp"

namespace plait::advise {

/// A request, as texts and numbers of the command line.
struct HybridRequest {
  std::string program;  ///< "cg", "hpl"
  std::string machine;  ///< as machine::open_machine takes it; empty: this node
  std::vector<int> nodes{2, 4, 8};
  std::vector<int> cores{2};  ///< used per node
  std::string cg_class = "B";
  std::int64_t size = 0;             ///< order of the matrix; 0: of the class (CG), by memory (HPL)
  int block = 0;                     ///< nb; 0: 80, as in the paper
  std::string grid;                  ///< P x Q, "2x4"; empty: that on which nodes send least
  std::vector<double> speed_gflops;  ///< P(k) on 1, 2, ... cores; empty: as measured
  GivenNetwork network;
  std::string inside_bandwidth;      ///< in a node, of all its cores; empty: as measured
  std::string study;                 ///< "figure 4"; empty: none
  std::string cluster;               ///< emulated cluster to measure on; empty: none
  std::string launcher = "mpiexec";  ///< of the MPI that the solver is built with
  int repeat = 3;                    ///< runs of each measured point and model
};

/// Predicts, and measures where a cluster is given. Emulated nodes are parts of one machine, so N
/// of them with k cores compute with P(N k).
/// @throws Error that names the option that is not understood or is missing.
report::HybridReport forecast_hybrid(const HybridRequest& request);

}  // namespace plait::advise
