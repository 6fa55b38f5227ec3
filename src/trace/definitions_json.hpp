// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a packed trace as JSON; docs/formats.md describes the fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

/// Version of the schema "plait-trace-definitions".
inline constexpr int kDefinitionsVersion = 1;

/// @param problems  of the file that was packed, kept with it
std::string definitions_to_json(const ProcessDefinitions& definitions,
                                const std::vector<std::string>& problems);

/// @param file      for messages
/// @param problems  gets those that were kept
/// @throws Error when `text` is no such JSON, or of another version.
ProcessDefinitions definitions_from_json(std::string_view text, const std::string& file,
                                         std::vector<std::string>& problems);

}  // namespace plait::trace
