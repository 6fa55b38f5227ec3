// SPDX-License-Identifier: BSD-3-Clause
// Opens the machine that a user names: this node, a file, a synthetic or a bundled machine.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The machine that `--machine SPEC` names.
/// @param spec  one of
///              - empty: this node, with the measurements that `plait measure` stored
///                (machine_file_of_host) if the hardware is still the same; the notes say if not
///              - a path to a machine file (.json) or an hwloc XML file (.xml)
///              - "synthetic:STRING" with an hwloc synthetic description
///              - the name of a bundled machine (see list_machines)
/// Its figures are checked (figure_checks.hpp), so that files of earlier versions are, too.
/// @throws Error when the machine is unknown, or its file is damaged or has another version.
MachineFile open_machine(const std::string& spec = {});

/// A bundled machine.
struct NamedMachine {
  std::string name;
  std::string about;
  std::string source;     ///< path of its file, or "synthetic:STRING"
  std::string cpu_model;  ///< of a synthetic one
};

/// The bundled machines (share/plait/machines).
std::vector<NamedMachine> list_machines();

}  // namespace plait::machine
