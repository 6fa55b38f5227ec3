// SPDX-License-Identifier: BSD-3-Clause
// Measures this node, and messages between several nodes, as plait measure is asked to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/slurm_allocation.hpp"
#include "measure/measure.hpp"
#include "measure/node_measure.hpp"

namespace plait::measure {

/// All options of a measurement.
struct AllRequest {
  MeasureRequest node;
  std::string nodes;             ///< names, or "slurm"; empty: only this node
  std::string cluster;           ///< an emulated cluster whose nodes are measured; empty: none
  int per_node = 0;              ///< ranks per node; 0: one per core
  std::string launcher_options;  ///< for the launcher, separated by blanks
  bool only_nodes = false;       ///< keep the other figures of the machine file
  bool fresh = false;            ///< do not merge with the figures of the machine file
  int repeat = 1;                ///< measurements in a row, which are merged
};

/// Takes the nodes of the current Slurm job if it has several and the request names
/// none. Within a step of the job nothing is taken: there this process is one rank of many.
/// @return the job; empty if nothing was taken
std::optional<launcher::SlurmAllocation> take_nodes_of_job(AllRequest& request);

/// Refuses options that would have no effect.
/// @throws Error
void check_together(const AllRequest& request);

/// The machine file to write, checked before minutes are spent on measuring.
/// @param output  as given; empty or "-": the file of this host, whose folder is created
/// @throws Error when the file cannot be written.
std::filesystem::path writable_machine_file(const std::string& output);

/// The part of a request that is about several nodes, with its share of the time.
/// @param path  of the machine file, whose folder all nodes share
/// @throws Error as parse_nodes does, and when no such cluster is up.
NodesRequest nodes_request(const AllRequest& request, const std::filesystem::path& path);

/// Measures what was asked for, merges the figures with those that the machine file has of the same
/// machine (machine/merge_measured.hpp), checks them and fits models to messages. Does not write
/// the file.
/// @param path  of the machine file: kept figures are read from it
/// @throws Error as measure_machine and measure_nodes do.
MeasureOutcome measure_all(const AllRequest& request, const std::filesystem::path& path);

/// Measures figure 3.5 (overlap) or 3.6 (mixed) of Stengel 2010 alone, with the sizes of the
/// thesis. The outcome has no other measurements. Without nodes, figure 3.5 is measured on this
/// node.
/// @throws Error as measure_nodes does, and when figure 3.6 is measured on one node.
MeasureOutcome measure_figure(const AllRequest& request, PlanFigure figure);

/// The note that the network of a machine file was emulated; empty if it was not.
std::string emulation_note(const machine::MachineFile& file);

}  // namespace plait::measure
