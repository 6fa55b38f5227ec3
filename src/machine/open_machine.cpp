// SPDX-License-Identifier: BSD-3-Clause
// Opens the machine that a user names: this node, a file, a synthetic or a bundled machine.
#include "machine/open_machine.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/layout.hpp"
#include "base/user_data.hpp"
#include "machine/discover.hpp"
#include "machine/figure_checks.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthetic = "synthetic:";
constexpr const char* kInstallAgain = "install Plait again";

fs::path index_path() {
  return install_layout().share / "machines" / "index.json";
}

/// Compares everything but memory, whose size may change in a virtual machine.
bool same_hardware(const Topology& a, const Topology& b) {
  return a.packages == b.packages && a.caches == b.caches && a.cores == b.cores;
}

/// This node as it is now, with its stored measurements.
MachineFile open_local() {
  MachineFile file = discover_local();
  const fs::path stored = machine_file_of_host(file.host);
  if (!fs::exists(stored)) return file;
  try {
    MachineFile known = load(stored);
    if (!same_hardware(known.topology, file.topology)) {
      file.notes.push_back(stored.string() +
                           " is not used because it describes other hardware; run plait measure");
      return file;
    }
    if (!file.topology.allowed_pus.subset_of(known.topology.allowed_pus)) {
      known.notes.push_back("measured when only hardware threads " +
                            known.topology.allowed_pus.format() + " were allowed");
    }
    file.origin = known.origin;
    file.created = known.created;
    file.plait_version = known.plait_version;
    file.measured = std::move(known.measured);
    file.notes.insert(file.notes.end(), known.notes.begin(), known.notes.end());
  } catch (const Error& error) {
    file.notes.push_back(std::string("stored measurements are not used: ") + error.what());
  }
  return file;
}

MachineFile open_file(const fs::path& path) {
  return path.extension() == ".xml" ? discover_xml(path) : load(path);
}

MachineFile open_named(const std::string& name) {
  for (const NamedMachine& known : list_machines()) {
    if (known.name != name) continue;
    if (!known.source.starts_with(kSynthetic)) return open_file(known.source);
    MachineFile file = discover_synthetic(known.source.substr(kSynthetic.size()));
    file.host = name;
    file.cpu_model = known.cpu_model;
    return file;
  }
  throw Error(name, "unknown machine",
              "give a .json or .xml file, synthetic:STRING, or a name from plait machine list");
}

MachineFile open_unchecked(const std::string& spec) {
  if (spec.empty()) return open_local();
  if (spec.starts_with(kSynthetic)) return discover_synthetic(spec.substr(kSynthetic.size()));
  const fs::path path = spec;
  if (path.extension() == ".json" || path.extension() == ".xml") return open_file(path);
  return open_named(spec);
}

}  // namespace

MachineFile open_machine(const std::string& spec) {
  MachineFile file = open_unchecked(spec);
  if (file.measured) check_figures(*file.measured);
  return file;
}

std::vector<NamedMachine> list_machines() {
  std::vector<NamedMachine> machines;
  const fs::path index = index_path();
  if (!fs::exists(index)) return machines;
  const nlohmann::json list = read_json_file(index, "plait-machine-index", 1, kInstallAgain);
  return convert_json(index, kInstallAgain, [&] {
    for (const nlohmann::json& entry : list.at("machines")) {
      NamedMachine machine;
      machine.name = entry.at("name");
      machine.about = entry.at("about");
      machine.cpu_model = entry.value("cpu_model", "");
      if (entry.contains("file")) {
        machine.source = (index.parent_path() / entry.at("file").get<std::string>()).string();
      } else {
        machine.source = std::string(kSynthetic) + entry.at("synthetic").get<std::string>();
      }
      machines.push_back(std::move(machine));
    }
    return machines;
  });
}

}  // namespace plait::machine
