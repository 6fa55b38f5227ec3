// SPDX-License-Identifier: BSD-3-Clause
// Networks as a person writes them: a list of settings, or a JSON file.
#pragma once

#include <filesystem>
#include <string>

#include "replay/network.hpp"

namespace plait::replay {

inline constexpr const char* kNetworkSchema = "plait-network";
inline constexpr int kNetworkSchemaVersion = 1;

/// From "latency=2us,bandwidth=10GB/s,eager=64KiB,node.latency=300ns" (docs/replay.md).
/// @throws Error that names the part that is not understood.
Network network_by_hand(const std::string& text);

/// From a network file. @throws Error when it is missing, damaged or of another schema.
Network network_file(const std::filesystem::path& path);

/// Bytes of a message: "65536", "0", or with a unit as parse_bytes. @throws Error as that.
std::uint64_t message_bytes(const std::string& text);

/// The word for a setting, as it is read: "in-call", "fair", "dependencies".
const char* to_string(Progress progress);
const char* to_string(Sharing sharing);
const char* to_string(Collectives collectives);

}  // namespace plait::replay
