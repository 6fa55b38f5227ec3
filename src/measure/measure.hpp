// SPDX-License-Identifier: BSD-3-Clause
// Measures this node: memory bandwidth, P(k), the paths between its cores, bare and over MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/machine_file.hpp"

namespace plait::measure {

/// What a user asks for.
struct MeasureRequest {
  bool quick = false;
  double budget_s = 0;  ///< 0: 22 s for a quick measurement, else 150 s
  bool off_cache = false;
  std::optional<machine::CpuSet> cores;  ///< core numbers; empty: all allowed ones
  bool use_mpi = true;
  std::string mpi;  ///< launcher or prefix; empty: found in PATH
};

/// What came of it.
struct MeasureOutcome {
  machine::MachineFile file;
  std::vector<std::string> warnings;  ///< what may mislead, why, and what to do; also in the notes
};

/// Measures this node, says on standard error what it does, and keeps what it has when a part
/// fails: the file's notes say what is missing.
/// @throws Error when the cores asked for are not allowed, or nothing at all could be measured.
MeasureOutcome measure_machine(const MeasureRequest& request);

/// The cores that are measured: those asked for, or all allowed ones; at most as many as the
/// control group's CPU quota keeps busy.
/// @param notes  says when the quota leaves some out
/// @throws Error when a core that was asked for does not exist or is not allowed.
std::vector<int> cores_to_measure(const machine::Topology& topology,
                                  const std::optional<machine::CpuSet>& wanted,
                                  std::vector<std::string>& notes);

/// A note when pairs of one kind differ: the farthest pair's cache line takes more than 1.5 times
/// the nearest's. Then the system hides how cores are joined (virtual machines do). Empty else.
std::string uneven_pairs_note(const machine::Path& path);

}  // namespace plait::measure
