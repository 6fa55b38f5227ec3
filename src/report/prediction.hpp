// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed: the verdict, a table for the terminal, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "model/jacobi_prediction.hpp"
#include "report/measured_scaling.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// Predictions with what they were made from.
struct PredictionReport {
  machine::MachineFile machine;
  bool speed_given = false;    ///< P(k) by hand, not from the machine file
  bool network_given = false;  ///< the same of the network
  bool strong = false;         ///< strong scaling; else weak
  model::Extents size{};       ///< of the grid (strong), of a node's part (weak)
  model::SpeedTable speed;
  int cores = 1;
  int bytes_per_cell = 8;
  std::vector<model::JacobiPrediction> predictions;  ///< in the order that was asked for
  std::vector<std::string> notes;
  std::string result;                            ///< where the JSON lies; empty: nowhere
  std::string figure = {};                       ///< of the thesis: "2.5: ..."; empty: none
  std::optional<MeasuredScaling> measured = {};  ///< runs of plait-jacobi beside it
  std::string page = {};                         ///< where the HTML page lies; empty: nowhere
};

/// One or two sentences: on the largest number of nodes, how fast the fastest mode is, and whether
/// overlapping communication with computation pays. The bound task_openmp_upper is no mode to run.
std::string prediction_verdict(const PredictionReport& report);

/// As JSON: schema "plait-predict", version 1 (docs/schemas/predict-1.schema.json).
nlohmann::json prediction_to_json(const PredictionReport& report);

/// Verdict, inputs, table, notes; at most 80 columns.
std::vector<std::string> prediction_lines(const PredictionReport& report,
                                          const TerminalOptions& options);

}  // namespace plait::report
