// SPDX-License-Identifier: BSD-3-Clause
// Which progress setting a run had: by environment or command, under its own MPI only.
#include "report/progress_setting.hpp"

#include <gtest/gtest.h>

namespace plait::report {
namespace {

RunFile run_of(std::vector<std::string> command,
               std::map<std::string, std::string> environment = {}) {
  RunFile run;
  run.command = std::move(command);
  run.environment = std::move(environment);
  return run;
}

TEST(ProgressSetting, IsNamedAsPlaitMeasureNamesIt) {
  const std::string mpich = "MPIR_CVAR_ASYNC_PROGRESS=1";
  EXPECT_EQ(progress_setting(run_of({}, {{"MPICH_ASYNC_PROGRESS", "1"}}), "MPICH 4.0.2"), mpich);
  EXPECT_EQ(progress_setting(run_of({"env", mpich, "mpiexec", "app"}), "MPICH 4.0.2"), mpich);
  EXPECT_EQ(progress_setting(run_of({"mpiexec", "-genv", "I_MPI_ASYNC_PROGRESS", "1", "app"}),
                             "Intel MPI 2021.18"),
            "I_MPI_ASYNC_PROGRESS=1");
  const std::string open_mpi = "--mca btl_tcp_progress_thread 1";
  EXPECT_EQ(progress_setting(run_of({"mpiexec", "--mca", "btl_tcp_progress_thread", "1", "app"}),
                             "Open MPI 4.1.4"),
            open_mpi);
  EXPECT_EQ(
      progress_setting(run_of({"mpiexec", "app"}, {{"OMPI_MCA_btl_tcp_progress_thread", "1"}}),
                       "Open MPI 4.1.4"),
      open_mpi);
}

TEST(ProgressSetting, IsNoneWhenSwitchedOffOrOfAnotherMpi) {
  EXPECT_EQ(progress_setting(run_of({"mpiexec", "app"}), "MPICH 4.0.2"), "");
  EXPECT_EQ(progress_setting(run_of({}, {{"MPICH_ASYNC_PROGRESS", "0"}}), "MPICH 4.0.2"), "");
  EXPECT_EQ(progress_setting(run_of({}, {{"MPICH_ASYNC_PROGRESS", "1"}}), "Open MPI 4.1.4"), "");
}

}  // namespace
}  // namespace plait::report
