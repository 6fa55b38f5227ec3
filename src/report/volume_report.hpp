// SPDX-License-Identifier: BSD-3-Clause
// Communication volume of nodes in CG and HPL, with one process per core and one per node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/communication_volume.hpp"
#include "model/overlap.hpp"

namespace plait::report {

/// One way to start the program on some nodes.
struct VolumeLayout {
  int rows = 1, columns = 1;  ///< grid of processes
  model::Volume volume;
};

/// Times of one case (Viet et al. 2005, section 4).
struct OverlapTimes {
  double compute_s = 0;      ///< of a node with all its cores
  double communicate_s = 0;  ///< of a node with one process
  double without_s = 0;      ///< communication after computation: PC
  double with_s = 0;         ///< one core communicates, the others compute: TC (equation 7)
};

/// One number of nodes and cores per node.
struct VolumeCase {
  int nodes = 1;
  int cores = 1;
  VolumeLayout every_core;  ///< one process per core: "MPI"
  VolumeLayout every_node;  ///< one process per node, with threads: "hybrid"
  std::optional<OverlapTimes> times;
};

/// Volumes of one program on several numbers of nodes.
struct VolumeReport {
  std::string program;    ///< "cg", "hpl"
  double unit_bytes = 0;  ///< bytes of the unit; 0: unknown
  std::vector<VolumeCase> cases;
  std::string result;  ///< path of the JSON file; empty: none
};

/// The unit of the volumes: "the vector's n doubles" (CG), "the block row U" (HPL).
std::string volume_unit(const VolumeReport& report);

/// One or two sentences on the last case. `report` has at least one.
std::string volume_verdict(const VolumeReport& report);

/// Verdict and table; at most 80 columns.
std::vector<std::string> volume_lines(const VolumeReport& report);

/// As JSON: schema "plait-predict-volume", version 1.
nlohmann::json volume_to_json(const VolumeReport& report);

}  // namespace plait::report
