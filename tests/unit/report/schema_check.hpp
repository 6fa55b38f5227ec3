// SPDX-License-Identifier: BSD-3-Clause
// Checks JSON against the part of JSON Schema that Plait's schemas use.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace plait::report {

/// The violations of a schema, one sentence each; empty if the value is valid.
/// Supports type, const, enum, required, properties, additionalProperties: false, items, minItems,
/// maxItems, minimum, maximum, pattern and local $ref; any other keyword is a violation itself.
std::vector<std::string> schema_violations(const nlohmann::json& schema,
                                           const nlohmann::json& value);

}  // namespace plait::report
