// SPDX-License-Identifier: BSD-3-Clause
// Makes the profile of a run from its run directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "report/profile.hpp"
#include "report/run_file.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {

/// What a profile is made of.
struct RunParts {
  RunFile run;
  std::vector<trace::RankRecord> records;
  std::vector<std::string> record_problems;     ///< record files that could not be read
  std::optional<machine::MachineFile> machine;  ///< empty: none in the run directory
  std::string machine_problem;                  ///< why not; empty: nothing to say
  std::string output;                           ///< the end of what launcher and program printed
};

/// The profile of these parts, all but `created`. Runs addr2line for the call sites.
Profile assemble_profile(const RunParts& parts);

/// Reads a run directory and makes its profile. The run may still be going on, and any rank's
/// records may be missing or damaged: the profile then says so (complete, missing).
/// @throws Error when there is no run.json, or it is damaged or of another version.
Profile build_profile(const std::filesystem::path& run_dir);

}  // namespace plait::report
