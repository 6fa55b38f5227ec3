// SPDX-License-Identifier: BSD-3-Clause
// How many words each option of each launcher takes: what is needed to find the program.
#include <algorithm>
#include <array>
#include <string_view>

#include "launch/launcher.hpp"

namespace plait::launch {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Open MPI 4.1 (mpirun --help full) and 5.0 (PRRTE 3, prterun --help): options with one value.
/// Names without dashes: both take one or two. What is in neither list has no value.
constexpr std::array<std::string_view, 66> kOpenMpiOne{"add-host",
                                                       "add-hostfile",
                                                       "am",
                                                       "amca",
                                                       "app",
                                                       "app-pmix-prefix",
                                                       "bind-to",
                                                       "c",
                                                       "cartofile",
                                                       "cf",
                                                       "cpu-list",
                                                       "cpu-set",
                                                       "cpus-per-proc",
                                                       "cpus-per-rank",
                                                       "debugger",
                                                       "default-hostfile",
                                                       "display",
                                                       "dvm",
                                                       "forward-signals",
                                                       "gpu-support",
                                                       "H",
                                                       "hnp",
                                                       "host",
                                                       "hostfile",
                                                       "keepalive",
                                                       "launch-agent",
                                                       "machinefile",
                                                       "map-by",
                                                       "max-restarts",
                                                       "max-vm-size",
                                                       "N",
                                                       "n",
                                                       "np",
                                                       "npernode",
                                                       "npersocket",
                                                       "ompi-server",
                                                       "output",
                                                       "output-filename",
                                                       "path",
                                                       "personality",
                                                       "pmix-prefix",
                                                       "ppr",
                                                       "prefix",
                                                       "preload-files",
                                                       "pset",
                                                       "rank-by",
                                                       "rankfile",
                                                       "report-events",
                                                       "report-pid",
                                                       "report-uri",
                                                       "rf",
                                                       "runtime-options",
                                                       "set-cwd-to",
                                                       "singleton",
                                                       "slot-list",
                                                       "spawn-timeout",
                                                       "stdin",
                                                       "timeout",
                                                       "tmpdir",
                                                       "tune",
                                                       "unset-env",
                                                       "wd",
                                                       "wdir",
                                                       "x",
                                                       "xml-file",
                                                       "xterm"};

/// Those with a name and a value.
constexpr std::array<std::string_view, 12> kOpenMpiTwo{
    "append-env", "gmca",    "gomca",   "gpmixmca",    "gprtemca", "mca",
    "omca",       "opalmca", "pmixmca", "prepend-env", "prtemca",  "set-env"};

/// MPICH's hydra (mpiexec -h, 4.0 and 5.0) and Intel MPI 2021 (mpiexec -help): with one value.
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
constexpr std::array<std::string_view, 2> kHydraTwo{"env", "genv"};

/// srun(1) of Slurm 22.05 to 24.11: long options that take no separate value; all others do.
constexpr std::array<std::string_view, 31> kSrunFlags{"contiguous",    "disable-status",
                                                      "exact",         "exclusive",
                                                      "external",      "help",
                                                      "hold",          "immediate",
                                                      "interactive",   "kill-on-bad-exit",
                                                      "label",         "multi-prog",
                                                      "nice",          "no-allocate",
                                                      "no-kill",       "overcommit",
                                                      "overlap",       "oversubscribe",
                                                      "preserve-env",  "preserve-slurm-env",
                                                      "propagate",     "pty",
                                                      "quiet",         "reboot",
                                                      "spread-job",    "stepmgr",
                                                      "unbuffered",    "usage",
                                                      "use-min-nodes", "verbose",
                                                      "version"};
constexpr std::string_view kSrunShortFlags = "EHIKOQXZhklsuvV";

std::size_t srun_words(std::string_view option) {
  if (option.substr(0, 2) == "--") {
    return option.find('=') != option.npos || contains(kSrunFlags, option.substr(2)) ? 1 : 2;
  }
  // -n4 carries its value; -n 4 does not; -lu is two flags.
  if (kSrunShortFlags.find(option[1]) != option.npos || option.size() > 2) return 1;
  return 2;
}

}  // namespace

std::size_t option_words(LauncherKind kind, const std::string& option) {
  if (kind == LauncherKind::slurm) return option.size() < 2 ? 1 : srun_words(option);
  const std::string_view name =
      std::string_view(option).substr(std::min(option.find_first_not_of('-'), option.size()));
  if (name.find('=') != name.npos) return 1;
  if (kind == LauncherKind::mpich || kind == LauncherKind::intel) {
    return contains(kHydraTwo, name) ? 3 : contains(kHydraOne, name) ? 2 : 1;
  }
  return contains(kOpenMpiTwo, name) ? 3 : contains(kOpenMpiOne, name) ? 2 : 1;
}

}  // namespace plait::launch
