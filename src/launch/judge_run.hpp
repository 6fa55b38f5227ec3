// SPDX-License-Identifier: BSD-3-Clause
// From the records of a run to findings about its placement, each with the option that mends it.
#pragma once

#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "machine/machine_file.hpp"
#include "map/placement.hpp"
#include "trace/rank_record.hpp"

namespace plait::launch {

/// The placement that records hold, in the form that map::judge_placement takes. Of each rank the
/// latest phase counts. Processes that never initialized MPI are left out, unless no process did.
/// @param machine  the node (all hosts are taken to be alike; within an emulated cluster each has
///                 the hardware threads of its own node)
/// @param command  the command line: whether it declares oversubscription
map::PlacementInput placement_of(const std::vector<trace::RankRecord>& records,
                                 const machine::MachineFile& machine,
                                 const std::vector<std::string>& command);

/// A finding and what mends it.
struct RunFinding {
  map::PlacementFinding finding;
  std::string mend;                         ///< one line: the option to add
  std::vector<std::string> mended_command;  ///< the whole command; empty when nothing to type
};

struct RunJudgement {
  std::string sentence;
  std::vector<RunFinding> findings;
};

/// Judges the placement of a run.
/// @param command  the command line that was run
RunJudgement judge_run(const std::vector<trace::RankRecord>& records,
                       const machine::MachineFile& machine, const Launcher& launcher,
                       const std::vector<std::string>& command);

}  // namespace plait::launch
