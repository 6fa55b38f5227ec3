// SPDX-License-Identifier: BSD-3-Clause
// The data of the page of a tuning.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "tune/tuning.hpp"

namespace plait::tune {

/// What the page shows: the result, what became of each setting, the plan and the next command.
/// @param plan  that won; null: none
nlohmann::json tune_page(const Tuning& tuning, const launcher::Plan* plan,
                         const std::vector<std::string>& next_command);

}  // namespace plait::tune
