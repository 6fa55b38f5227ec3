// SPDX-License-Identifier: BSD-3-Clause
// Finds the topology of this node, of an hwloc XML file or of an hwloc synthetic string.
#pragma once

#include <filesystem>
#include <string>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// What limits the allowed hardware threads of this node.
struct DiscoverOptions {
  /// Count only what this process may run on. Off for a process that a launcher has bound: then
  /// only the cgroup's cpuset counts.
  bool own_affinity = true;
};

/// This node, without measurements.
/// @throws Error when hwloc cannot read it.
MachineFile discover_local(const DiscoverOptions& options = {});

/// A node recorded with `lstopo --of xml`.
/// @throws Error when the file is missing or is no hwloc topology.
MachineFile discover_xml(const std::filesystem::path& path);

/// A made-up node, as in "pack:2 [numa] l3:4 core:4 pu:2" (hwloc(7), synthetic topologies).
/// @throws Error when hwloc does not understand the string.
MachineFile discover_synthetic(const std::string& description);

}  // namespace plait::machine
