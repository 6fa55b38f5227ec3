// SPDX-License-Identifier: BSD-3-Clause
// The field "computation" of profile.json.
#pragma once

#include "report/profile.hpp"

namespace plait::report {

nlohmann::json computation_to_json(const Computation& of);

nlohmann::json place_to_json(const FunctionPlace& of);

/// @throws nlohmann::json::exception when a field is missing or of another type.
FunctionPlace place_from_json(const nlohmann::json& value);

/// @throws nlohmann::json::exception when a field is missing or of another type.
Computation computation_from_json(const nlohmann::json& value);

}  // namespace plait::report
