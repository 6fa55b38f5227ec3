// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a measurement, as the probe's ranks find them, and which cores a job takes there.
#pragma once

#include <string>
#include <vector>

#include "measure/probe_output.hpp"

namespace plait::measure {

/// A core with the hardware thread that a rank is bound to; numbers are the system's own.
struct NodeCore {
  int pu = 0;
  int core = -1;
  int package = -1;
  friend bool operator==(const NodeCore&, const NodeCore&) = default;
};

/// A node and what the launcher leaves to a job there.
struct NodePlace {
  std::string name;
  std::vector<NodeCore> cores;  ///< package by package
  friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

/// Groups what ranks said of their places by node, in the order of the ranks; of each core the
/// first hardware thread.
std::vector<NodePlace> nodes_of(const std::vector<ProbeOutput::Place>& places);

/// How ranks fill a node: one package after the other, or all in turn.
enum class Filling { packed, spread };

/// Places (in NodePlace::cores) of `count` ranks.
/// @param count  at most the number of cores
std::vector<int> fill(const NodePlace& node, int count, Filling filling);

/// Ranks on the fullest package.
int most_on_a_package(const NodePlace& node, const std::vector<int>& places);

/// Nodes from "n0,n1", or, for "slurm", those of the allocation that plait runs in.
/// @throws Error when there is none.
std::vector<std::string> parse_nodes(const std::string& text);

}  // namespace plait::measure
