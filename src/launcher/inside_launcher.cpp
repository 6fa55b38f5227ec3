// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a launcher started this process as a rank of a job, and as which rank.
#include "launcher/inside_launcher.hpp"

#include <array>

#include "base/environment.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/option_lists.hpp"

namespace plait::launcher {
namespace {

/// A launcher that Plait does not know, with PMIx: Open MPI 5 uses no more than that.
std::optional<JobRank> pmix(const LauncherTraits::Lookup& value) {
  const auto rank = whole_number(value("PMIX_RANK"));
  if (!rank) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.launcher.kind = LauncherKind::openmpi5;
  job.key = value("PMIX_NAMESPACE");
  return job;
}

}  // namespace

std::optional<JobRank> inside_launcher(const LauncherTraits::Lookup& value) {
  // srun also sets the variables of PMI or PMIx, and mpiexec within a job step leaves Slurm's as
  // they are. The variables of the innermost launcher decide, so Slurm is the last in the table.
  for (const LauncherTraits* launcher : known_launchers()) {
    if (auto job = launcher->rank_in(value)) return job;
  }
  return pmix(value);
}

std::optional<JobRank> inside_launcher() {
  return inside_launcher(environment_value);
}

}  // namespace plait::launcher
