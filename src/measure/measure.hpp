// SPDX-License-Identifier: BSD-3-Clause
// Measures this node: memory bandwidth, P(k), and the paths between its cores without and with MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/machine_file.hpp"

namespace plait::measure {

/// The options of a measurement.
struct MeasureRequest {
  bool quick = false;
  double budget_s = 0;  ///< 0: 22 s for a quick measurement, else 150 s
  bool off_cache = false;
  std::optional<machine::CpuSet> cores;  ///< core numbers; empty: all allowed cores
  bool use_mpi = true;
  std::string mpi;  ///< launcher or prefix; empty: search PATH
};

/// The result of a measurement.
struct MeasureOutcome {
  machine::MachineFile file;
  std::vector<std::string> warnings;  ///< what may mislead, why, and what to do; also in file.notes
};

/// Measures this node and reports progress on standard error. If a part fails, the other parts are
/// kept and the notes of the file say what is missing.
/// @throws Error when a requested core is not allowed, the requested MPI cannot be used, or nothing
///         at all could be measured.
MeasureOutcome measure_machine(const MeasureRequest& request);

/// The cores to measure: the requested ones, or all allowed ones; at most as many as the CPU quota
/// of the control group can keep busy.
/// @param notes  gets a note about requested cores, and one if the quota excludes some
/// @throws Error when a requested core does not exist or is not allowed.
std::vector<int> cores_to_measure(const machine::Topology& topology,
                                  const std::optional<machine::CpuSet>& wanted,
                                  std::vector<std::string>& notes);

/// A note if pairs of one kind differ: the cache line of the slowest pair takes more than 1.5 times
/// that of the fastest. Then the system hides how cores are connected, as virtual machines do.
/// Otherwise empty.
std::string uneven_pairs_note(const machine::Path& path);

}  // namespace plait::measure
