// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed as JSON.
#pragma once

#include "base/json.hpp"
#include "report/prediction.hpp"

namespace plait::report {

/// As JSON: schema "plait-predict", version 1 (docs/schemas/predict-1.schema.json).
nlohmann::json prediction_to_json(const PredictionReport& report);

}  // namespace plait::report
