// SPDX-License-Identifier: BSD-3-Clause
// Compares placement, CPU time and coverage, as seen inside hybrid programs, with taskset.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "recorded_run.hpp"

namespace plait::test {
namespace {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

class Placement : public ::testing::TestWithParam<Mpi> {
protected:
  static RecordedRun run(const std::vector<std::string>& wrapper = {},
                         const std::vector<std::string>& environment = {}) {
    const Mpi& mpi = GetParam();
    return run_recorded(mpi, 1,
                        {std::string(PLAIT_TEST_PROGRAMS) + "/openmp_gcc_" + mpi.kind, "regions"},
                        environment, {}, wrapper);
  }

  static std::vector<trace::PlacementSample> samples(const trace::RankRecord& record,
                                                     plait_placement_phase phase) {
    std::vector<trace::PlacementSample> chosen;
    std::copy_if(record.placement.begin(), record.placement.end(), std::back_inserter(chosen),
                 [phase](const auto& sample) { return sample.phase == phase; });
    return chosen;
  }
};

TEST_P(Placement, MasksOfAllThreadsAreThoseThatTasksetGave) {
  const int cpu = allowed_cpus().back();
  const auto result = run({"taskset", "-c", std::to_string(cpu)});
  ASSERT_TRUE(complete(result, 1));
  const auto& record = result.records[0];
  EXPECT_EQ(record.allowed_cpus, 1);
  const auto at_init = samples(record, PLAIT_PHASE_INIT);
  ASSERT_FALSE(at_init.empty());
  const auto main_thread = std::find_if(
      at_init.begin(), at_init.end(), [&](const auto& sample) { return sample.tid == record.pid; });
  ASSERT_NE(main_thread, at_init.end());
  EXPECT_EQ(main_thread->allowed, std::vector<int>{cpu});
  EXPECT_EQ(main_thread->last_cpu, cpu);
  const auto in_region = samples(record, PLAIT_PHASE_AFTER_PARALLEL);
  ASSERT_EQ(in_region.size(), 2u);
  for (const auto& sample : in_region) {
    EXPECT_EQ(sample.allowed, std::vector<int>{cpu});
    EXPECT_EQ(sample.last_cpu, cpu);
  }
  EXPECT_NE(in_region[0].thread, in_region[1].thread);
  EXPECT_NE(in_region[0].tid, in_region[1].tid);
}

TEST_P(Placement, WithoutBindingAllCpusAreAllowed) {
  const auto result = run();
  ASSERT_TRUE(complete(result, 1));
  EXPECT_EQ(result.records[0].allowed_cpus, static_cast<int>(allowed_cpus().size()));
  for (const auto& sample : samples(result.records[0], PLAIT_PHASE_AFTER_PARALLEL)) {
    EXPECT_EQ(sample.allowed, allowed_cpus());
  }
}

TEST_P(Placement, TheThreadsThatOpenMpWantsAreKnownAtInit) {
  const auto result = run({}, {"OMP_NUM_THREADS=3"});
  ASSERT_TRUE(complete(result, 1));
  EXPECT_EQ(result.records[0].omp_max_threads, 3);
}

TEST_P(Placement, TheMpiSaysWhetherItYields) {
  const auto result = run({}, {"OMPI_MCA_mpi_yield_when_idle=1"});
  ASSERT_TRUE(complete(result, 1));
  EXPECT_EQ(result.records[0].mpi_yields, GetParam().kind == "openmpi" ? 1 : 0);
}

TEST_P(Placement, CpuTimeOfEachThreadIsSampledAtBothEnds) {
  const auto result = run();
  ASSERT_TRUE(complete(result, 1));
  const auto& record = result.records[0];
  if (!std::filesystem::exists("/proc/self/schedstat")) {
    GTEST_SKIP() << "this kernel does not record run-queue times";
  }
  const auto of = [&](bool at_end) {
    return std::find_if(record.cpu_wait.begin(), record.cpu_wait.end(), [&](const auto& sample) {
      return sample.tid == record.pid && sample.at_end == at_end;
    });
  };
  ASSERT_NE(of(false), record.cpu_wait.end());
  ASSERT_NE(of(true), record.cpu_wait.end());
  EXPECT_GT(of(true)->cpu_s, 0);
  EXPECT_GE(of(true)->cpu_s, of(false)->cpu_s);
  EXPECT_GE(of(true)->wait_s, of(false)->wait_s);
  EXPECT_GT(of(true)->at_s, of(false)->at_s);
}

TEST_P(Placement, AProcessThatIsBoundToOurCoreAndRunsIsFound) {
  const auto cpus = allowed_cpus();
  if (cpus.size() < 2) {
    GTEST_SKIP() << "needs two CPUs";
  }
  const pid_t other = fork();
  if (other == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus.front(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (;;) {
      __asm__ volatile("");
    }
  }
  const auto result = run();
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  ASSERT_TRUE(complete(result, 1));
  const auto& foreign = result.records[0].foreign;
  const auto found = std::find_if(foreign.begin(), foreign.end(),
                                  [other](const auto& process) { return process.pid == other; });
  ASSERT_NE(found, foreign.end());
  EXPECT_EQ(found->allowed, std::vector<int>{cpus.front()});
  EXPECT_GE(found->cpu_share, 0);
  EXPECT_LE(found->cpu_share, 1);
  EXPECT_FALSE(found->name.empty());
}

TEST_P(Placement, AnEntryPointThatIsNotWrappedIsNamed) {
  const Mpi& mpi = GetParam();
  const auto run =
      run_recorded(mpi, 2, {std::string(PLAIT_TEST_PROGRAMS) + "/placement_unseen_" + mpi.kind});
  ASSERT_TRUE(complete(run, 2));
  for (const auto& record : run.records) {
    EXPECT_EQ(record.unseen_entry_points, std::vector<std::string>{"MPI_Plait_unknown"});
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, Placement, ::testing::Values(PLAIT_TEST_MPIS),
                         [](const auto& instance) { return name_of(instance.param); });

}  // namespace
}  // namespace plait::test
