// SPDX-License-Identifier: BSD-3-Clause
// Builds the profile of a run from its run directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "report/profile.hpp"
#include "report/run_file.hpp"
#include "samples/call_tree.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {

/// The inputs of a profile.
struct RunParts {
  RunFile run;
  std::vector<trace::RankRecord> records;
  std::vector<std::string> record_problems;     ///< record files that could not be read
  std::optional<machine::MachineFile> machine;  ///< empty: none in the run directory
  std::string machine_problem;  ///< why it could not be read; empty: it could, or there is none
  std::string output;           ///< the last output of launcher and program
  std::optional<samples::CallTree> samples = {};  ///< empty: there are none
  bool traced = false;                            ///< an analysis of its trace names the causes
};

/// Builds the profile, except `created`. Runs addr2line for the call sites.
Profile assemble_profile(const RunParts& parts);

/// Computes the efficiencies from the times of ranks and OpenMP threads.
/// @param has_cpu_times  waiting for a CPU was measured
void fill_efficiencies(Profile& profile, bool has_cpu_times);

/// The call tree of the samples beside the records, which is also written to samples.json; nothing
/// if there are none. Runs addr2line.
std::optional<samples::CallTree> samples_of(const std::vector<trace::RankRecord>& records,
                                            const std::filesystem::path& run_dir);

/// Reads a run directory and builds its profile. The run may still be going on, and records of any
/// rank may be missing or damaged: the profile then says so (complete, missing).
/// @throws Error when run.json is missing, or it or remap.json is damaged or of another version.
Profile build_profile(const std::filesystem::path& run_dir);

}  // namespace plait::report
