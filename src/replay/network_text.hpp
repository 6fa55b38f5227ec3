// SPDX-License-Identifier: BSD-3-Clause
// Parses networks: a list of settings, or a JSON file.
#pragma once

#include <filesystem>
#include <string>

#include "replay/network.hpp"

namespace plait::replay {

inline constexpr const char* kNetworkSchema = "plait-network";
inline constexpr int kNetworkSchemaVersion = 1;

/// A network from settings: "latency=2us,bandwidth=10GB/s,eager=64KiB,node.latency=300ns"
/// (docs/explanation/replay.md).
/// @throws Error that names the invalid part.
Network network_by_hand(const std::string& text);

/// A network from a JSON file (docs/explanation/replay.md).
/// @throws Error when it is missing, damaged or has another schema.
Network network_file(const std::filesystem::path& path);

/// The size of a message in bytes, from "65536", "0", or with a unit as in parse_bytes.
/// @throws Error as parse_bytes does
std::uint64_t message_bytes(const std::string& text);

/// The value as settings spell it: "in-call", "fair", "dependencies".
const char* to_string(Progress progress);
const char* to_string(Sharing sharing);
const char* to_string(Collectives collectives);

}  // namespace plait::replay
