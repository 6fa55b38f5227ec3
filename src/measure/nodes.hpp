// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a measurement, as reported by the ranks of the probe, and the cores that ranks use.
#pragma once

#include <string>
#include <vector>

#include "measure/probe_output.hpp"

namespace plait::measure {

/// A core and the hardware thread to which a rank is bound, by operating-system indices.
struct NodeCore {
  int pu = 0;
  int core = -1;
  int package = -1;
  friend bool operator==(const NodeCore&, const NodeCore&) = default;
};

/// A node and the cores that the launcher leaves to a job.
struct NodePlace {
  std::string name;
  std::vector<NodeCore> cores;  ///< ordered by package
  friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

/// Groups the places that ranks reported by node, in the order of the ranks. Each core has its
/// first allowed hardware thread.
std::vector<NodePlace> nodes_of(const std::vector<ProbeOutput::Place>& places);

/// How ranks fill a node: one package after the other, or all packages in turn.
enum class Filling { packed, spread };

/// The cores of `count` ranks, as indices in NodePlace::cores.
/// @param count  at most the number of cores
std::vector<int> fill(const NodePlace& node, int count, Filling filling);

/// The number of ranks on the fullest package.
/// @param places  as fill() returns them
int most_on_a_package(const NodePlace& node, const std::vector<int>& places);

/// The nodes in "n0,n1", or for "slurm" those of the current allocation.
/// @throws Error when there is no node or no allocation, or a node occurs twice.
std::vector<std::string> parse_nodes(const std::string& text);

}  // namespace plait::measure
