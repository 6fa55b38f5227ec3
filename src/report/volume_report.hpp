// SPDX-License-Identifier: BSD-3-Clause
// What nodes send each other in CG and HPL, with a process a core and with one a node, as a table
// and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

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
  double without_s = 0;      ///< one after the other: PC
  double with_s = 0;         ///< one core communicates, the others compute: TC (equation 7)
};

/// Some nodes of some cores.
struct VolumeCase {
  int nodes = 1;
  int cores = 1;
  VolumeLayout every_core;  ///< a process on each core: "MPI"
  VolumeLayout every_node;  ///< one process a node, threads inside: "hybrid"
  std::optional<OverlapTimes> times;
};

struct VolumeReport {
  std::string program;    ///< "cg", "hpl"
  double unit_bytes = 0;  ///< of the unit; 0: not given
  std::vector<VolumeCase> cases;
  std::string result;  ///< where the JSON lies; empty: nowhere
};

/// What stands in which unit: "n doubles", "the block row U".
std::string volume_unit(const VolumeReport& report);

/// One or two sentences on the last case.
std::string volume_verdict(const VolumeReport& report);

/// Verdict and table; at most 80 columns.
std::vector<std::string> volume_lines(const VolumeReport& report);

/// As JSON: schema "plait-predict-volume", version 1.
nlohmann::json volume_to_json(const VolumeReport& report);

}  // namespace plait::report
