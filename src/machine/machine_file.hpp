// SPDX-License-Identifier: BSD-3-Clause
// The machine file: the topology of a machine and the measurements on it, in JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "machine/topology.hpp"

namespace plait::machine {

/// Version of docs/schemas/machine-1.schema.json that this Plait reads and writes.
inline constexpr int kMachineSchemaVersion = 1;

/// A machine file. `measured` is absent when only the topology is known.
struct MachineFile {
  std::string plait_version;
  std::string created;  ///< UTC, ISO 8601: 2026-11-20T12:00:00Z
  std::string host;
  std::string origin;  ///< "measured", "recorded" (another machine, or not measured), "synthetic"
  std::string cpu_model;
  std::string os;
  std::vector<std::string> notes;
  Topology topology;
  std::optional<Measured> measured;
  friend bool operator==(const MachineFile&, const MachineFile&) = default;
};

void to_json(nlohmann::json& json, const MachineFile& file);
void from_json(const nlohmann::json& json, MachineFile& file);

/// Reads a machine file.
/// @throws Error when it is missing or damaged, or has another schema or version.
MachineFile load(const std::filesystem::path& path);

/// Writes a machine file (through a temporary file beside it).
/// @throws Error when it cannot be written.
void save(const std::filesystem::path& path, const MachineFile& file);

/// The current time in the format of `created`.
std::string utc_now();

}  // namespace plait::machine
