// SPDX-License-Identifier: BSD-3-Clause
// The predicted times and memory of plait-boussinesq on ranks and threads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/boussinesq_prediction.hpp"

namespace plait::report {

/// One case and its prediction.
struct BoussinesqRow {
  model::BoussinesqCase of;
  bool fits = true;  ///< if not, nothing else is known
  model::BoussinesqTime time;
  model::BoussinesqMemory memory;
};

struct BoussinesqReport {
  std::string machine;
  std::array<int, 3> points{};
  bool subgrid = false;
  std::vector<BoussinesqRow> rows;
  std::vector<std::string> notes;  ///< limits of the prediction, as sentences
  std::string result;              ///< path of the JSON file; empty: none
};

/// Verdict, tables and notes; at most 80 columns.
std::vector<std::string> boussinesq_lines(const BoussinesqReport& report);

/// As JSON: schema "plait-predict-boussinesq", version 1.
nlohmann::json boussinesq_to_json(const BoussinesqReport& report);

}  // namespace plait::report
