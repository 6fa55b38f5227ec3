// SPDX-License-Identifier: BSD-3-Clause
// Gives the machine that a user names: this node, a file, a synthetic or a committed machine.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The machine that `--machine SPEC` names.
/// @param spec  empty: this node, with what `plait measure` stored of it (machine_file_of_host) if
///              that still fits; the notes say when it does not; a path to a machine file (.json)
///              or an hwloc XML file (.xml); "synthetic:STRING" with an hwloc synthetic string; or
///              the name of a machine that comes with Plait (see list_machines)
/// @throws Error when there is no such machine or its file is damaged or of another version.
MachineFile open_machine(const std::string& spec = {});

/// A machine that comes with Plait.
struct NamedMachine {
  std::string name;
  std::string about;
  std::string source;     ///< path of its file, or "synthetic:STRING"
  std::string cpu_model;  ///< of a synthetic one
};

/// The machines that come with Plait (share/plait/machines), by name.
std::vector<NamedMachine> list_machines();

}  // namespace plait::machine
