// SPDX-License-Identifier: BSD-3-Clause
// Whether this process is one rank of a job that a launcher has started, and which.
#include "launch/inside_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "launch/environment.hpp"
#include "launch/process_tree.hpp"

namespace plait::launch {
namespace {

using Lookup = std::function<std::string(const std::string&)>;

std::optional<int> integer(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  return std::atoi(text.c_str());
}

/// hydra gives its ranks no job id. Ranks of one node share the proxy that started them; other
/// nodes have their own.
std::string hydra_key() {
  pid_t pid = ::getppid();
  for (pid_t next = pid; next > 1;) {
    const auto stat = process_stat(next);
    if (!stat) break;
    if (stat->name.find("hydra") != stat->name.npos || stat->name.find("mpiexec") == 0) {
      return fmt::format("hydra-{}-{}", next, stat->start_ticks);
    }
    next = stat->parent;
  }
  return fmt::format("parent-{}", pid);
}

std::optional<JobRank> open_mpi(const Lookup& value) {
  const auto rank = integer(value("OMPI_COMM_WORLD_RANK"));
  if (!rank) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.size = integer(value("OMPI_COMM_WORLD_SIZE")).value_or(0);
  // ORTE (Open MPI 4) leaves its parameters to ranks, PRRTE (5) does not.
  const std::string transports = value("OMPI_MCA_orte_precondition_transports");
  const bool orte = !value("OMPI_MCA_orte_ess_num_procs").empty() || !transports.empty();
  job.launcher.kind = orte ? LauncherKind::openmpi4 : LauncherKind::openmpi5;
  job.launcher.version = std::string(1, orte ? '4' : '5');
  job.key = value("PMIX_NAMESPACE") + transports;
  return job;
}

std::optional<JobRank> slurm(const Lookup& value) {
  const auto rank = integer(value("SLURM_PROCID"));
  const auto step = integer(value("SLURM_STEP_ID"));
  // The batch script is a "step" too: it has no SLURM_STEP_ID, or one of the reserved numbers.
  constexpr unsigned kReserved = 0xfffffff0U;
  if (!rank || !step || static_cast<unsigned>(*step) >= kReserved) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.size = integer(value("SLURM_STEP_NUM_TASKS")).value_or(0);
  job.launcher.kind = LauncherKind::slurm;
  job.key = fmt::format("slurm-{}-{}", value("SLURM_JOB_ID"), *step);
  return job;
}

std::optional<JobRank> hydra(const Lookup& value) {
  const auto rank = integer(value("PMI_RANK"));
  // srun --mpi=pmi2 sets PMI_RANK too, but not this.
  if (!rank || value("MPI_LOCALNRANKS").empty()) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.size = integer(value("PMI_SIZE")).value_or(0);
  const std::string uuid = value("I_MPI_HYDRA_UUID");
  job.launcher.kind = uuid.empty() ? LauncherKind::mpich : LauncherKind::intel;
  const int local = integer(value("MPI_LOCALNRANKS")).value_or(0);
  job.key = !uuid.empty() ? uuid : local == job.size ? hydra_key() : "";
  return job;
}

std::optional<JobRank> pmix(const Lookup& value) {
  const auto rank = integer(value("PMIX_RANK"));
  if (!rank) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.launcher.kind = LauncherKind::openmpi5;
  job.key = value("PMIX_NAMESPACE");
  return job;
}

}  // namespace

std::optional<JobRank> inside_launcher(const Lookup& value) {
  // srun sets the PMI's or PMIx's variables too, and mpiexec in a job step leaves Slurm's: what
  // the nearest launcher sets decides.
  for (const auto& reader : std::array{open_mpi, hydra, slurm, pmix}) {
    if (auto job = reader(value)) return job;
  }
  return std::nullopt;
}

std::optional<JobRank> inside_launcher() {
  return inside_launcher(environment_value);
}

}  // namespace plait::launch
