// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a packed trace as JSON; docs/reference/formats.md describes the fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

/// Version of the schema "plait-trace-definitions".
inline constexpr int kDefinitionsVersion = 1;

/// The definitions as JSON text.
/// @param problems  of the file that was packed; stored with them
std::string definitions_to_json(const ProcessDefinitions& definitions,
                                const std::vector<std::string>& problems);

/// Reads the definitions back.
/// @param file      named in errors
/// @param problems  gets those that were stored
/// @throws Error when `text` is damaged or has another version.
ProcessDefinitions definitions_from_json(std::string_view text, const std::string& file,
                                         std::vector<std::string>& problems);

}  // namespace plait::trace
