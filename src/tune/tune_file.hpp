// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes tune.json: the state and the result of a tuning.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "tune/tuning.hpp"

namespace plait::tune {

inline constexpr const char* kTuneName = "tune.json";

/// The tuning as the JSON of docs/schemas/tune-1.schema.json.
nlohmann::json tune_to_json(const Tuning& tuning);

/// Writes FOLDER/tune.json. @throws Error when it cannot be written.
void save_tuning(const std::filesystem::path& folder, const Tuning& tuning);

/// Reads FOLDER/tune.json.
/// @throws Error when it is missing, damaged or of another version.
Tuning load_tuning(const std::filesystem::path& folder);

}  // namespace plait::tune
