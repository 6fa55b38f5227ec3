// SPDX-License-Identifier: BSD-3-Clause
// Predicts the speed of the Jacobi solver for a request of the command line.
#pragma once

#include <string>
#include <vector>

#include "advise/given_network.hpp"
#include "report/prediction.hpp"

namespace plait::advise {

/// A request for a prediction, as texts of the command line.
struct ForecastRequest {
  std::string machine;  ///< as machine::open_machine takes it; empty: this node
  std::vector<int> nodes{1, 2, 4, 8, 16, 32, 64};
  std::vector<std::string> dims;          ///< arrangements in place of `nodes`: "4x2x2"
  std::string size = "120";               ///< weak scaling: cells of each node
  std::string strong;                     ///< strong scaling: cells of the grid; empty: weak
  std::vector<std::string> modes{"all"};  ///< names of model::JacobiMode
  int cores = 0;                          ///< of a node; 0: all
  std::vector<double> speed_mlups;        ///< P(k) on 1, 2, ... cores; empty: as measured
  GivenNetwork network;                   ///< in place of the measured one
  std::string figure;                     ///< its number and title; empty: none
  std::string cluster;                    ///< emulated cluster to measure on; empty: none
  std::string measured;                   ///< folder with measured points; empty: none
  std::string measured_machine;           ///< that measured points are predicted for
  std::string launcher = "mpiexec";       ///< of the MPI that plait-jacobi is built with
  int repeat = 6;                         ///< runs of each measured point
};

/// Predicts, and measures where a cluster is given.
/// @throws Error that names the option that is not understood or is missing.
report::PredictionReport forecast_jacobi(const ForecastRequest& options);

}  // namespace plait::advise
