// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology of this node, of an hwloc XML file or of an hwloc synthetic description.
#pragma once

#include <filesystem>
#include <string>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// Options of discover_local.
struct DiscoverOptions {
  /// Allow only hardware threads in the affinity mask of this process. False for a process that a
  /// launcher has bound: then only the cpuset of the control group limits them.
  bool own_affinity = true;
};

/// This node, without measurements.
/// @throws Error when hwloc cannot read it.
MachineFile discover_local(const DiscoverOptions& options = {});

/// A node recorded with `lstopo --of xml`.
/// @throws Error when the file is missing or is not an hwloc topology.
MachineFile discover_xml(const std::filesystem::path& path);

/// A node from a description such as "pack:2 [numa] l3:4 core:4 pu:2" (hwloc(7), synthetic
/// topologies).
/// @throws Error when hwloc cannot parse the description.
MachineFile discover_synthetic(const std::string& description);

}  // namespace plait::machine
