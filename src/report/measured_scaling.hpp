// SPDX-License-Identifier: BSD-3-Clause
// Runs of plait-jacobi on several nodes beside the model's prediction for their machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/statistics.hpp"
#include "machine/machine_file.hpp"
#include "model/jacobi_prediction.hpp"

namespace plait::report {

/// One run of plait-jacobi.
struct JacobiRun {
  model::JacobiMode mode = model::JacobiMode::mpi_one;
  int cores = 1;  ///< used per node
  model::JacobiCase of;
  double mlups = 0;
};

/// Reads the runs from a file that plait-jacobi --json wrote.
/// @throws Error when the file is damaged or a run is in no mode of the model (schedule automatic,
///         temporal blocking, nodes with different numbers of ranks).
std::vector<JacobiRun> read_jacobi_runs(const std::filesystem::path& file);

/// The speeds of all runs in such a file, in MLUP/s, whatever their mode.
/// @throws Error when the file is damaged.
std::vector<double> read_jacobi_speeds(const std::filesystem::path& file);

/// Equal runs: their median speed in MLUP/s beside the prediction.
struct MeasuredPoint {
  model::JacobiMode mode = model::JacobiMode::mpi_one;
  int cores = 1;
  model::JacobiCase of;
  MedianInterval mlups;
  int runs = 0;
  std::optional<model::Interval> predicted;  ///< empty when an input of the model is missing
  bool shares_cores = false;                 ///< emulated nodes need more cores than there are
};

/// Emulated nodes, which share the memory of one machine, and its cores if it has too few.
struct EmulatedNodes {
  std::string name;
  int nodes = 0;
  int cores_per_node = 1;
  double bytes_per_s = 0;  ///< of each node's link, each direction
  double latency_s = 0;    ///< added to each packet
};

/// Measured points with the inputs of their prediction.
struct MeasuredScaling {
  std::optional<EmulatedNodes> emulated;
  std::string folder;                 ///< with the runs
  std::string machine;                ///< host whose machine file the prediction is from
  std::vector<MeasuredPoint> points;  ///< by mode, then nodes
  std::vector<std::string> notes;
};

/// Groups equal runs and predicts each group.
/// A node of an emulated cluster of N nodes computes at P(N k) / N on k cores, because all share
/// the memory. P is constant beyond the machine's cores, which the nodes then share too. The
/// network is that of the machine file; emulated nodes without one have their links' rate.
MeasuredScaling measured_scaling(const std::vector<JacobiRun>& runs,
                                 const machine::MachineFile& machine,
                                 const std::optional<EmulatedNodes>& emulated);

/// A sentence and a table with one line per point; at most 80 columns.
std::vector<std::string> measured_lines(const MeasuredScaling& measured);

/// As "measured" of docs/schemas/predict-1.schema.json.
nlohmann::json measured_to_json(const MeasuredScaling& measured);

}  // namespace plait::report
