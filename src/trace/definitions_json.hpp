// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a packed trace as JSON; docs/reference/formats.md describes the fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

/// Version of the schema "plait-trace-definitions".
inline constexpr int kDefinitionsVersion = 1;

/// The definitions as JSON text.
/// @param from  the file that is packed, whose problems and damage are stored as well
std::string definitions_to_json(const EventSource& from);

/// Reads the definitions back.
/// @param file_bytes  size of the file, to which their copies in memory are proportional
/// @param file      named in errors
/// @param problems  gets those that were stored
/// @param damage    gets what was stored
/// @throws Error when `text` is damaged or has another version.
ProcessDefinitions definitions_from_json(std::string_view text, std::uint64_t file_bytes,
                                         const std::string& file,
                                         std::vector<std::string>& problems, std::string& damage);

}  // namespace plait::trace
