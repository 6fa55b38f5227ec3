// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed on the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "model/jacobi_prediction.hpp"
#include "report/measured_scaling.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// Predictions and their inputs.
struct PredictionReport {
  machine::MachineFile machine;
  bool speed_given = false;    ///< P(k) comes from the command line, not from the machine file
  bool network_given = false;  ///< so does the network
  bool strong = false;         ///< strong scaling; else weak
  model::Extents size{};       ///< of the grid (strong) or of a node's part (weak)
  model::SpeedTable speed;
  int cores = 1;
  int bytes_per_cell = 8;
  std::vector<model::JacobiPrediction> predictions;  ///< in the order of the request
  std::vector<std::string> notes;
  std::string result;                            ///< path of the JSON file; empty: none
  std::string figure = {};                       ///< of Stengel's thesis: "2.5: ..."; empty: none
  std::optional<MeasuredScaling> measured = {};  ///< runs of plait-jacobi to compare with
  std::string page = {};                         ///< path of the HTML page; empty: none
};

/// One or two sentences on the largest number of nodes: the speed of the fastest mode, and whether
/// overlapping communication with computation pays. task_openmp_upper is a bound, not a mode.
std::string prediction_verdict(const PredictionReport& report);

/// Verdict, inputs, table, notes; at most 80 columns.
std::vector<std::string> prediction_lines(const PredictionReport& report,
                                          const TerminalOptions& options);

}  // namespace plait::report
