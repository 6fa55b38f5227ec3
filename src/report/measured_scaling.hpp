// SPDX-License-Identifier: BSD-3-Clause
// Runs of plait-jacobi on some nodes, beside what the model predicts for the machine they ran on.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "measure/statistics.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::report {

/// What plait-jacobi reached once.
struct JacobiRun {
  model::JacobiMode mode = model::JacobiMode::mpi_one;
  int cores = 1;  ///< of a node that it used
  model::JacobiCase of;
  double mlups = 0;
};

/// The runs in a file that plait-jacobi --json wrote.
/// @throws Error when it is none, or a run is in no mode of the model (schedule automatic,
///         temporal blocking, nodes with unlike ranks).
std::vector<JacobiRun> read_jacobi_runs(const std::filesystem::path& file);

/// Runs that are alike, with the median of their speeds, MLUP/s, and what is predicted for them.
struct MeasuredPoint {
  model::JacobiMode mode = model::JacobiMode::mpi_one;
  int cores = 1;
  model::JacobiCase of;
  measure::MedianInterval mlups;
  int runs = 0;
  std::optional<model::Interval> predicted;  ///< empty: an input of the model is missing
  bool shares_cores = false;                 ///< of emulated nodes: there are too few cores for all
};

/// Nodes that are parts of one machine: they share its memory, and its cores where it has too few.
struct EmulatedNodes {
  std::string name;
  int nodes = 0;
  int cores_per_node = 1;
  double bytes_per_s = 0;  ///< of each node's link, each direction
  double latency_s = 0;    ///< added to each packet
};

/// Measured points with what their prediction was made from.
struct MeasuredScaling {
  std::optional<EmulatedNodes> emulated;
  std::string folder;                 ///< of the runs
  std::string machine;                ///< host whose machine file the prediction is from
  std::vector<MeasuredPoint> points;  ///< by mode, then nodes
  std::vector<std::string> notes;
};

/// Puts runs that are alike together and predicts each.
/// A node of an emulated cluster of N computes at P(N k) / N on k cores: all share the memory. P is
/// constant beyond the machine's cores, which nodes then share, too.
/// The network is that of the machine file; without one, of emulated nodes, their links' rate.
MeasuredScaling measured_scaling(const std::vector<JacobiRun>& runs,
                                 const machine::MachineFile& machine,
                                 const std::optional<EmulatedNodes>& emulated);

/// A sentence, and a table with a line for each point; at most 80 columns.
std::vector<std::string> measured_lines(const MeasuredScaling& measured);

/// As "measured" of docs/schemas/predict-1.schema.json.
nlohmann::json measured_to_json(const MeasuredScaling& measured);

}  // namespace plait::report
