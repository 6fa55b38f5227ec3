// SPDX-License-Identifier: BSD-3-Clause
// Settings that are meant to make an MPI progress while a program computes; all are tried.
#include "measure/progress_settings.hpp"

namespace plait::measure {

std::vector<ProgressSetting> progress_settings(launch::LauncherKind kind) {
  using launch::LauncherKind;
  std::vector<ProgressSetting> settings;
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      settings.push_back(
          {"--mca btl_tcp_progress_thread 1", {{"OMPI_MCA_btl_tcp_progress_thread", "1"}}, false});
      break;
    case LauncherKind::mpich:
      settings.push_back(
          {"MPIR_CVAR_ASYNC_PROGRESS=1", {{"MPIR_CVAR_ASYNC_PROGRESS", "1"}}, false});
      break;
    case LauncherKind::intel:
      settings.push_back({"I_MPI_ASYNC_PROGRESS=1", {{"I_MPI_ASYNC_PROGRESS", "1"}}, false});
      break;
    case LauncherKind::slurm:
    case LauncherKind::none:
      break;
  }
  settings.push_back({"a communicating thread", {}, true});
  return settings;
}

}  // namespace plait::measure
