// SPDX-License-Identifier: BSD-3-Clause
// Each finding has a fix for its launcher, which is applied to commands.
#include "launcher/fix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sstream>

namespace plait::launcher {
namespace {

Launcher launcher(LauncherKind kind) {
  return {kind, "", "mpiexec", ""};
}

placement::PlacementFinding finding(const std::string& id, int ranks, int threads, int cores) {
  placement::PlacementFinding result;
  result.id = id;
  result.ranks_here = ranks;
  result.threads_per_rank = threads;
  result.cores = cores;
  result.free_cpus = machine::CpuSet::range(0, cores - 1);
  return result;
}

std::string text(const std::string& id, int ranks, int threads, int cores, LauncherKind kind) {
  return fix_for(finding(id, ranks, threads, cores), launcher(kind)).text;
}

std::string fixed(const std::string& line, LauncherKind kind,
                  const placement::PlacementFinding& fault) {
  std::istringstream in(line);
  std::vector<std::string> argv;
  for (std::string word; in >> word;) argv.push_back(word);
  const LaunchCommand command = parse_command(launcher(kind), argv);
  return fmt::format("{}", fmt::join(fixed_command(command, fix_for(fault, launcher(kind))), " "));
}

TEST(Fix, ThreadsGetCoresOfTheirOwn) {
  const char* id = "threads_on_one_core";
  EXPECT_EQ(text(id, 1, 2, 2, LauncherKind::openmpi4),
            "mpiexec --map-by slot:PE=2 --bind-to core ...");
  EXPECT_EQ(text(id, 4, 8, 64, LauncherKind::openmpi5),
            "mpiexec --map-by slot:PE=8 --bind-to core ...");
  EXPECT_EQ(text(id, 1, 2, 2, LauncherKind::mpich), "mpiexec -bind-to core:2 ...");
  EXPECT_EQ(text(id, 1, 2, 2, LauncherKind::intel),
            "mpiexec -genv OMP_NUM_THREADS 2 -genv I_MPI_PIN_DOMAIN omp ...");
  EXPECT_EQ(text(id, 1, 2, 2, LauncherKind::slurm),
            "mpiexec --cpus-per-task=2 --cpu-bind=cores ...");
  EXPECT_EQ(text(id, 1, 2, 2, LauncherKind::none),
            "start the program with more CPUs: taskset -c 0-1 ...");
}

TEST(Fix, WhereThreadsDoNotFitThereMustBeFewer) {
  EXPECT_EQ(text("threads_on_one_core", 2, 2, 2, LauncherKind::openmpi4),
            "OMP_NUM_THREADS=1 mpiexec --map-by core --bind-to core ...; or with 1 rank per node: "
            "mpiexec --map-by slot:PE=2 --bind-to core ...");
  EXPECT_EQ(text("quota_below_cores", 2, 4, 4, LauncherKind::mpich),
            "OMP_NUM_THREADS=2 mpiexec -bind-to core:2 ...; or with 1 rank per node: mpiexec "
            "-bind-to core:4 ...");
}

TEST(Fix, AwayFromForeignProcesses) {
  placement::PlacementFinding fault = finding("foreign_processes", 1, 1, 4);
  fault.free_cpus = machine::CpuSet::parse("2-3");
  EXPECT_EQ(fix_for(fault, launcher(LauncherKind::openmpi4)).text,
            "mpiexec --cpu-set 2 --bind-to core ...");
  EXPECT_EQ(fix_for(fault, launcher(LauncherKind::intel)).text,
            "mpiexec -genv I_MPI_PIN_PROCESSOR_LIST 2 ...");
  fault.ranks_here = 3;
  EXPECT_EQ(fix_for(fault, launcher(LauncherKind::openmpi4)).text,
            "wait until the other job has ended, or give this job other cores");
}

TEST(Fix, TheOldOptionsGo) {
  const auto fault = finding("threads_on_one_core", 2, 2, 4);
  EXPECT_EQ(fixed("mpiexec --bind-to core -n 2 --map-by core --mca btl self ./app x",
                  LauncherKind::openmpi4, fault),
            "mpiexec --map-by slot:PE=2 --bind-to core -n 2 --mca btl self ./app x");
  EXPECT_EQ(fixed("mpiexec -bind-to user:0,0 -n 2 ./app", LauncherKind::mpich, fault),
            "mpiexec -bind-to core:2 -n 2 ./app");
  EXPECT_EQ(
      fixed("mpiexec -genv I_MPI_PIN_DOMAIN core -genv A b -n 2 ./app", LauncherKind::intel, fault),
      "mpiexec -genv OMP_NUM_THREADS 2 -genv I_MPI_PIN_DOMAIN omp -genv A b -n 2 ./app");
  EXPECT_EQ(fixed("srun -c 1 -n2 --cpu-bind=none ./app", LauncherKind::slurm, fault),
            "srun --cpus-per-task=2 --cpu-bind=cores -n2 ./app");
}

TEST(Fix, FewerThreadsAlsoWhereTheCommandSetsThem) {
  const auto fault = finding("threads_on_one_core", 2, 2, 2);
  EXPECT_EQ(fixed("mpiexec -n 2 env OMP_NUM_THREADS=2 ./app", LauncherKind::openmpi4, fault),
            "env OMP_NUM_THREADS=1 mpiexec --map-by core --bind-to core -n 2 env "
            "OMP_NUM_THREADS=1 ./app");
  EXPECT_EQ(fixed("mpiexec -genv OMP_NUM_THREADS 2 -n 2 ./app", LauncherKind::mpich, fault),
            "env OMP_NUM_THREADS=1 mpiexec -bind-to core:1 -genv OMP_NUM_THREADS 1 -n 2 ./app");
}

TEST(Fix, TheNumberOfRanksStays) {
  const auto many = finding("oversubscribed_spin", 64, 1, 2);
  for (const LauncherKind kind : {LauncherKind::openmpi4, LauncherKind::openmpi5}) {
    EXPECT_EQ(fix_for(many, launcher(kind)).text,
              "mpiexec --mca mpi_yield_when_idle 1 ...; or start at most 2 ranks per node: more "
              "nodes, or fewer ranks");
    EXPECT_EQ(fixed("mpiexec --oversubscribe -np 64 ./app x", kind, many),
              "mpiexec --mca mpi_yield_when_idle 1 --oversubscribe -np 64 ./app x");
  }
  EXPECT_EQ(fixed("mpiexec -n 64 ./app", LauncherKind::mpich, many), "") << "no option helps";
  // 16 ranks on two nodes of one core.
  EXPECT_EQ(
      fixed("mpiexec -n 16 ./app", LauncherKind::openmpi4, finding("oversubscribed", 8, 1, 1)), "")
      << "they yield already";
  EXPECT_EQ(fixed("mpiexec -n 16 ./app", LauncherKind::mpich, finding("oversubscribed", 8, 4, 1)),
            "env OMP_NUM_THREADS=1 mpiexec -n 16 ./app");
}

}  // namespace
}  // namespace plait::launcher
