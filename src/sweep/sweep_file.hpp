// SPDX-License-Identifier: BSD-3-Clause
// The file sweep.json: the state of a sweep, from which it can be resumed, and its result.
#pragma once

#include <filesystem>

#include "base/json.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

inline constexpr const char* kSweepFile = "sweep.json";
inline constexpr const char* kSweepSchema = "plait-sweep";
inline constexpr int kSweepVersion = 1;

/// As JSON: schema "plait-sweep", version 1 (docs/schemas/sweep-1.schema.json). Secrets in commands
/// are masked.
nlohmann::json sweep_to_json(const Sweep& sweep);

/// Reads such JSON; the result in it is not read, because it follows from the runs.
/// @throws nlohmann::json::exception, Error when it is damaged.
Sweep sweep_from_json(const nlohmann::json& value);

/// Writes sweep.json into the folder, in one step.
/// @throws Error when it cannot be written.
void save_sweep(const std::filesystem::path& folder, const Sweep& sweep);

/// Reads FOLDER/sweep.json.
/// @throws Error when it is missing, damaged or of another version.
Sweep load_sweep(const std::filesystem::path& folder);

/// True if the folder has a sweep.
bool is_sweep(const std::filesystem::path& folder);

/// True if a command or setting of the sweep holds a secret, which sweep.json does not: it cannot
/// be resumed.
bool has_masked_secret(const Sweep& sweep);

}  // namespace plait::sweep
