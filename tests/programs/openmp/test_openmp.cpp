// SPDX-License-Identifier: BSD-3-Clause
// OpenMP regions, threads and their idle time, seen in real hybrid programs on two ranks: under
// libgomp by its entry points, under LLVM's runtime by OMPT.
#include <algorithm>
#include <numeric>

#include "recorded_run.hpp"

namespace plait::test {
namespace {

/// A program and the runtime that it runs on.
struct Variant {
  Mpi mpi;
  std::string name;
  std::string program;
  std::vector<std::string> also_preload;  ///< another OpenMP runtime in place of the program's
  plait_openmp_view view;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  const std::string programs = PLAIT_TEST_PROGRAMS;
  for (const Mpi& mpi : {PLAIT_TEST_MPIS}) {
    all.push_back(
        {mpi, "gcc_" + mpi.kind, programs + "/openmp_gcc_" + mpi.kind, {}, PLAIT_OPENMP_GOMP});
    const std::string libomp = PLAIT_TEST_LIBOMP;
    if (!libomp.empty()) {
      all.push_back({mpi,
                     "gcc_on_llvm_" + mpi.kind,
                     programs + "/openmp_gcc_" + mpi.kind,
                     {libomp},
                     PLAIT_OPENMP_OMPT});
    }
    if (PLAIT_TEST_CLANG) {
      all.push_back({mpi,
                     "clang_" + mpi.kind,
                     programs + "/openmp_clang_" + mpi.kind,
                     {},
                     PLAIT_OPENMP_OMPT});
    }
  }
  return all;
}

class OpenMp : public ::testing::TestWithParam<Variant> {
protected:
  static RecordedRun run(const std::string& part,
                         const std::vector<std::string>& environment = {}) {
    const Variant& variant = GetParam();
    return run_recorded(variant.mpi, 2, {variant.program, part}, environment, variant.also_preload);
  }

  static void expect_seen(const RecordedRun& run) {
    ASSERT_TRUE(complete(run, 2));
    EXPECT_NE(run.result.out.find("constructs: all right"), std::string::npos) << run.result.out;
    for (const auto& record : run.records) {
      EXPECT_EQ(record.openmp_view, GetParam().view);
      EXPECT_FALSE(record.omp_runtime.empty());
      EXPECT_TRUE(record.unseen_entry_points.empty()) << record.unseen_entry_points[0];
      for (const auto& region : record.parallel_regions) {
        EXPECT_NEAR(region.busy_s + region.idle_s + region.wait_s,
                    region.time_s * region.mean_threads, 1e-6 * region.time_s + 1e-9);
      }
    }
  }

  static std::uint64_t executions(const trace::RankRecord& record) {
    return std::accumulate(
        record.parallel_regions.begin(), record.parallel_regions.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& region) { return sum + region.count; });
  }

  static const trace::OmpThread& thread(const trace::RankRecord& record, int number) {
    const auto found =
        std::find_if(record.omp_threads.begin(), record.omp_threads.end(),
                     [number](const auto& candidate) { return candidate.thread == number; });
    if (found == record.omp_threads.end()) {
      throw std::runtime_error("no OpenMP thread " + std::to_string(number));
    }
    return *found;
  }
};

TEST_P(OpenMp, CountsRegionsAndTheirThreads) {
  const auto result = run("regions");
  expect_seen(result);
  for (const auto& record : result.records) {
    ASSERT_EQ(record.parallel_regions.size(), 2u);
    EXPECT_EQ(record.parallel_regions[0].count, 7u);
    EXPECT_EQ(record.parallel_regions[0].mean_threads, 2.0);
    EXPECT_EQ(record.parallel_regions[1].count, 3u);
    EXPECT_EQ(record.parallel_regions[1].mean_threads, 1.0);
    EXPECT_EQ(record.omp_threads.size(), 2u);
    EXPECT_NE(record.parallel_regions[0].address.module.text().find("openmp_"), std::string::npos)
        << "the region lies in the program: " << record.parallel_regions[0].address.module.text();
  }
}

TEST_P(OpenMp, IdleTimeIsOnTheThreadThatHasNoWork) {
  const auto result = run("imbalance");
  expect_seen(result);
  for (const auto& record : result.records) {
    EXPECT_EQ(executions(record), 20u);
    const auto& idler = thread(record, 0);
    const auto& worker = thread(record, 1);
    EXPECT_GT(worker.busy_s, 5 * idler.busy_s);
    EXPECT_GT(idler.idle_s, 5 * idler.busy_s);
    EXPECT_GT(idler.idle_s, worker.idle_s);
  }
}

TEST_P(OpenMp, SeesLoopsOfAllSchedulesAndSections) {
  const auto result = run("loops", {"OMP_SCHEDULE=dynamic,11"});
  expect_seen(result);
  for (const auto& record : result.records) {
    EXPECT_EQ(executions(record), 9u);
  }
}

TEST_P(OpenMp, LeavesLocksAndSinglesAsTheyAre) {
  const auto result = run("exclusion");
  expect_seen(result);
  for (const auto& record : result.records) {
    EXPECT_EQ(executions(record), 1u);
  }
}

TEST_P(OpenMp, TasksThatRunWhileTheirThreadWaitsAreWork) {
  const auto result = run("tasks");
  expect_seen(result);
  // Which rank printed first is not known: the smaller of the two figures is a bound of both.
  const std::string& out = result.result.out;
  const auto first = out.find("tasks took ");
  ASSERT_NE(first, std::string::npos);
  const auto second = out.find("tasks took ", first + 1);
  ASSERT_NE(second, std::string::npos);
  const long least_us =
      std::min(std::stol(out.substr(first + 11)), std::stol(out.substr(second + 11)));
  for (const auto& record : result.records) {
    EXPECT_EQ(executions(record), 1u);
    const trace::ParallelRegion& region = record.parallel_regions[0];
    EXPECT_GT(region.busy_s + region.wait_s, 0.99e-6 * static_cast<double>(least_us));
  }
}

TEST_P(OpenMp, LeavesAllKindsOfTasksAsTheyAre) {
  if (!GetParam().also_preload.empty()) {
    GTEST_SKIP() << "LLVM's stand-in for libgomp does not run these tasks, also without Plait";
  }
  const auto result = run("task_kinds");
  expect_seen(result);
}

TEST_P(OpenMp, CountsNestedRegions) {
  const auto result = run("nested");
  expect_seen(result);
  for (const auto& record : result.records) {
    ASSERT_EQ(record.parallel_regions.size(), 2u);
    EXPECT_EQ(record.parallel_regions[0].count, 4u);
    EXPECT_EQ(record.parallel_regions[1].count, 8u);
    EXPECT_EQ(record.parallel_regions[1].mean_threads, 2.0);
  }
}

TEST_P(OpenMp, LeavesCancellationAsItIs) {
  for (const char* cancellation : {"OMP_CANCELLATION=true", "OMP_CANCELLATION=false"}) {
    const auto result = run("cancelled", {cancellation});
    expect_seen(result);
  }
}

TEST_P(OpenMp, AKilledRankLeavesItsRegions) {
  const auto result = run("killed");
  EXPECT_NE(result.result.exit_code, 0);
  ASSERT_FALSE(result.records.empty());
  const auto& killed = result.records[0];
  EXPECT_EQ(killed.world_rank, 0);
  EXPECT_EQ(killed.state, PLAIT_STATE_INITIALIZED);
  EXPECT_EQ(killed.openmp_view, GetParam().view);
  EXPECT_EQ(executions(killed), 5u);
  EXPECT_EQ(killed.omp_threads.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMp, ::testing::ValuesIn(variants()),
                         [](const auto& instance) { return instance.param.name; });

class OldEntryPoints : public ::testing::TestWithParam<Mpi> {};

TEST_P(OldEntryPoints, AreSeenAsWell) {
  const Mpi& mpi = GetParam();
  const auto run =
      run_recorded(mpi, 2, {std::string(PLAIT_TEST_PROGRAMS) + "/openmp_old_" + mpi.kind});
  ASSERT_TRUE(complete(run, 2));
  for (const auto& record : run.records) {
    EXPECT_EQ(record.openmp_view, PLAIT_OPENMP_GOMP);
    ASSERT_EQ(record.parallel_regions.size(), 1u);
    EXPECT_EQ(record.parallel_regions[0].count, 5u);
    EXPECT_EQ(record.parallel_regions[0].mean_threads, 2.0);
  }
}

TEST_P(OldEntryPoints, ARuntimeThatIsNotToTellIsNotMeasured) {
  const std::string libomp = PLAIT_TEST_LIBOMP;
  if (libomp.empty()) {
    GTEST_SKIP() << "no LLVM OpenMP runtime";
  }
  const Mpi& mpi = GetParam();
  const auto run = run_recorded(
      mpi, 2, {std::string(PLAIT_TEST_PROGRAMS) + "/openmp_gcc_" + mpi.kind, "regions"},
      {"OMP_TOOL=disabled"}, {libomp});
  ASSERT_TRUE(complete(run, 2));
  for (const auto& record : run.records) {
    EXPECT_EQ(record.openmp_view, PLAIT_OPENMP_BLIND);
    EXPECT_TRUE(record.parallel_regions.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, OldEntryPoints, ::testing::Values(PLAIT_TEST_MPIS),
                         [](const auto& instance) { return name_of(instance.param); });

}  // namespace
}  // namespace plait::test
