// SPDX-License-Identifier: BSD-3-Clause
// Job arrays of Slurm that make the runs of a sweep.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A script for sbatch.
struct JobScript {
  std::string name;  ///< of its file: "ranks4-threads2.sbatch"
  std::string text;
};

/// One job array for each number of ranks and threads, because all tasks of an array get the same
/// resources. A task makes one run with plait run; the tasks of a round come before those of the
/// next one.
/// @param folder  of the sweep, an absolute path that all nodes see
/// @param work    folder in which the program starts
std::vector<JobScript> slurm_jobs(const Sweep& sweep, const std::filesystem::path& folder,
                                  const std::filesystem::path& work);

}  // namespace plait::sweep
