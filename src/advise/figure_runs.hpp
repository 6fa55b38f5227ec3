// SPDX-License-Identifier: BSD-3-Clause
// Figures 2.3 and 2.5 of Stengel's thesis, and points measured by plait-jacobi for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "report/measured_scaling.hpp"

namespace plait::advise {

/// The contents of a figure of the thesis.
struct Figure {
  std::string number;              ///< "2.3"
  std::string title;               ///< its subject, one line
  std::vector<std::string> modes;  ///< as --mode takes them
};

/// @throws Error that names the figures there are.
const Figure& figure_numbered(const std::string& number);
/// The numbers of nodes of table 2.1, which all figures of chapter 2 have.
std::vector<int> figure_nodes();
/// Its machine, as machine::open_machine takes it, and the cells of a node along each axis.
inline constexpr const char* kFigureMachine = "townsend";
inline constexpr const char* kFigureSize = "120";

/// The runs to measure on an emulated cluster.
struct FigureRuns {
  std::string cluster;                   ///< its name
  std::vector<int> nodes;                ///< numbers of nodes; larger than the cluster: left out
  std::vector<model::JacobiMode> modes;  ///< those that its nodes lack cores for are left out
  model::Extents cells{120, 120, 120};   ///< of a node
  int repeat = 6;
  int steps = 100;
  std::string launcher = "mpiexec";
  std::filesystem::path folder;  ///< gets a file of each run, and the cluster's description
};

/// Runs plait-jacobi for each number of nodes and mode in turn, `repeat` times over.
/// @throws Error when no such cluster is up, it has no nodes or cores for what is asked for, or a
///         run fails or takes longer than two minutes; what was measured stays.
void run_figure(const FigureRuns& runs);

/// The points in a folder that run_figure() filled, or that holds results of plait-jacobi --json.
/// @param machine  for which they are predicted
/// @throws Error as read_jacobi_runs(), and when the folder holds no results.
report::MeasuredScaling figure_points(const std::filesystem::path& folder,
                                      const machine::MachineFile& machine);

}  // namespace plait::advise
