// SPDX-License-Identifier: BSD-3-Clause
// Common parts of MPICH's launcher, Hydra, and of Intel MPI's, which is derived from it.
#include "launcher/hydra.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "launcher/command_options.hpp"
#include "launcher/option_lists.hpp"

namespace plait::launcher {
namespace {

/// Options with one value: MPICH's hydra (mpiexec -h, 4.0 and 5.0) and Intel MPI 2021 (mpiexec
/// -help).
constexpr std::array<std::string_view, 51> kHydraOne{"bind-to",
                                                     "binding",
                                                     "bootstrap",
                                                     "bootstrap-exec",
                                                     "bootstrap-exec-args",
                                                     "branch-count",
                                                     "ckpoint-prefix",
                                                     "ckpointlib",
                                                     "configfile",
                                                     "cpu-bind",
                                                     "demux",
                                                     "envlist",
                                                     "errfile-pattern",
                                                     "f",
                                                     "genvlist",
                                                     "gpus-per-proc",
                                                     "grr",
                                                     "gtool",
                                                     "gtoolfile",
                                                     "host",
                                                     "hostfile",
                                                     "hostlist",
                                                     "hosts",
                                                     "hosts-group",
                                                     "iface",
                                                     "launcher",
                                                     "launcher-exec",
                                                     "localhost",
                                                     "machine",
                                                     "machinefile",
                                                     "map-by",
                                                     "membind",
                                                     "n",
                                                     "nameserver",
                                                     "np",
                                                     "order-nodes",
                                                     "outfile-pattern",
                                                     "path",
                                                     "perhost",
                                                     "ppn",
                                                     "prepend-pattern",
                                                     "rankmap",
                                                     "rmk",
                                                     "s",
                                                     "timeout",
                                                     "tmpdir",
                                                     "topolib",
                                                     "tune",
                                                     "usize",
                                                     "wd",
                                                     "wdir"};
/// Options with a name and a value.
constexpr std::array<std::string_view, 2> kHydraTwo{"env", "genv"};

bool restricts_environment(const LaunchCommand& command) {
  return std::any_of(command.argv.begin(), command.argv.end(), [](const std::string& argument) {
    return argument == "-genvnone" || argument == "-genvlist" || argument == "-envnone" ||
           argument == "-envlist" || argument == "--genvnone" || argument == "--genvlist";
  });
}

}  // namespace

std::size_t Hydra::option_length(const std::string& option) const {
  return listed_option_length(option, kHydraOne, kHydraTwo);
}

LauncherTraits::Options Hydra::exporting(const LaunchCommand& command,
                                         const Assignments& variables) const {
  Options result = command.argv;
  if (!restricts_environment(command)) return result;
  Options options;
  for (const auto& [name, value] : variables) {
    options.insert(options.end(), {"-genv", name, value});
  }
  insert_options(result, part_begin(command, 0), options);  // -genv applies to all parts
  return result;
}

std::optional<JobRank> Hydra::hydra_rank_in(const Lookup& value) {
  const auto rank = whole_number(value("PMI_RANK"));
  // srun --mpi=pmi2 sets PMI_RANK too, but not MPI_LOCALNRANKS.
  if (!rank || value("MPI_LOCALNRANKS").empty()) return std::nullopt;
  JobRank job;
  job.rank = *rank;
  job.size = whole_number(value("PMI_SIZE")).value_or(0);
  return job;
}

std::vector<std::string> Hydra::hydra_host_options() {
  return {"f", "host", "hosts", "hostfile", "hostlist", "machine", "machinefile"};
}

}  // namespace plait::launcher
