// SPDX-License-Identifier: BSD-3-Clause
// Predicts plait-boussinesq for a request of the command line.
#pragma once

#include <string>
#include <vector>

#include "advise/given_network.hpp"
#include "report/boussinesq_report.hpp"

namespace plait::advise {

/// A request, as texts and numbers of the command line.
struct BoussinesqRequest {
  std::string machine;            ///< as machine::open_machine takes it; empty: this node
  std::string named_case;         ///< "paper1", "paper2"; empty: `size`
  std::string size = "64x64x65";  ///< NXxNYxNZ
  std::vector<std::string> runs;  ///< "128x2": ranks x threads; empty: 1 to all cores of a node
  int per_node = 0;               ///< ranks per node; 0: as many as cores over threads
  bool subgrid = false;
  std::vector<double> speed_gflops;  ///< of DGEMM on 1, 2, ... cores; empty: of the measured peak
  GivenNetwork network;
  std::string memory_bandwidth;  ///< of a node, for any number of its cores; empty: as measured
  std::string inside_bandwidth;  ///< in a node, of all its cores; empty: as measured
};

/// Ranks that do not fit in slabs have pencils; those that do not fit at all are in the report.
/// @throws Error that names the option that is not understood or is missing.
report::BoussinesqReport forecast_boussinesq(const BoussinesqRequest& request);

}  // namespace plait::advise
