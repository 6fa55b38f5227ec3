// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes JSON files that carry a schema name and version.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.hpp"

namespace plait {

/// Reads a JSON file whose "schema" is `schema` and whose "schema_version" is `version`.
/// @param remedy  what the error suggests when the file is damaged
/// @throws Error when the file is missing or damaged, or has another schema or version.
nlohmann::json read_json_file(const std::filesystem::path& path, const std::string& schema,
                              int version, const std::string& remedy = "write it again");

/// Writes `value` to `path` through a temporary file beside it: no reader sees half a file. Bytes
/// that are not UTF-8 become the replacement character.
/// @throws Error when the file cannot be written (no permission, disk full).
void write_json_file(const std::filesystem::path& path, const nlohmann::json& value);

/// Writes `text` to `path` in the same way.
/// @throws Error when the file cannot be written (no permission, disk full).
void write_text_file(const std::filesystem::path& path, const std::string& text);

/// Reads a whole file.
/// @throws Error when it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace plait
