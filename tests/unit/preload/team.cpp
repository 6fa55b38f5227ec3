// SPDX-License-Identifier: BSD-3-Clause
// Tests of the accounting of OpenMP teams, driven as an OpenMP runtime would, by plain threads.
#include "preload/openmp/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fake_recorder.hpp"

namespace plait::preload::openmp {
namespace {

void spend(uint64_t ticks) {
  const uint64_t end = now_ticks() + ticks;
  while (now_ticks() < end) {
  }
}
constexpr uint64_t kStep = 2'000'000;  // about a millisecond: far above what the calls cost

class TeamAccounts : public ::testing::Test {
protected:
  static void SetUpTestSuite() { test::begin_record(); }

  static plait_parallel_record region_at(uint64_t address) {
    for (const auto& region : test::entries<plait_parallel_record>(PLAIT_SECTION_PARALLEL)) {
      if (region.address == address) return region;
    }
    ADD_FAILURE() << "no region at " << address;
    return {};
  }

  /// One region of two threads, whose bodies are given.
  template <class First, class Second>
  static void run_region(uint64_t address, First&& first, Second&& second) {
    Team* team = region_begin(address);
    ASSERT_NE(team, nullptr);
    std::thread other([&] {
      body_begin(team, 1, 2);
      second();
      body_end();
    });
    body_begin(team, 0, 2);
    first();
    body_end();
    other.join();
    region_end(team);
  }
};

TEST_F(TeamAccounts, BusyAndIdleAddUpToTheElapsedTimeOfAllThreads) {
  for (int i = 0; i < 3; ++i)
    run_region(
        1, [] {}, [] { spend(kStep); });
  const auto region = region_at(1);
  EXPECT_EQ(region.count, 3u);
  EXPECT_EQ(region.threads, 6u);
  EXPECT_EQ(region.busy_ticks + region.idle_ticks, 2 * region.ticks);
  EXPECT_GE(region.busy_ticks, 3 * kStep);
  EXPECT_GT(region.idle_ticks, 0u) << "the first thread waited for the second";
}

TEST_F(TeamAccounts, WaitingInABodyIsIdleAndTasksWhileWaitingAreBusy) {
  run_region(
      2,
      [] {
        ASSERT_TRUE(idle_begin());
        EXPECT_FALSE(idle_begin()) << "it waits already";
        spend(4 * kStep);
        ASSERT_TRUE(idle_end());  // a task
        spend(2 * kStep);
        ASSERT_TRUE(idle_begin());
        ASSERT_TRUE(idle_end());
        EXPECT_FALSE(idle_end());
      },
      [] {});
  const auto region = region_at(2);
  EXPECT_GE(region.busy_ticks, 2 * kStep);
  EXPECT_GE(region.idle_ticks, 4 * kStep) << "thread 0 in its wait";
  EXPECT_GE(region.busy_ticks + region.idle_ticks, 2 * 6 * kStep) << "thread 1 also at the end";
}

TEST_F(TeamAccounts, ANestedRegionCountsOnceInItsThreadsTotals) {
  run_region(
      3,
      [] {
        run_region(
            4, [] { spend(kStep); }, [] {});
      },
      [] {});
  EXPECT_EQ(region_at(3).count, 1u);
  EXPECT_EQ(region_at(4).count, 1u);
  EXPECT_GE(region_at(3).busy_ticks, kStep);
  EXPECT_EQ(thread_state.entry, nullptr) << "in no region any more";
  EXPECT_FALSE(idle_begin()) << "waits outside of regions are not OpenMP's";
}

TEST_F(TeamAccounts, TheThreadsOfARegionKnowWhoStartedItUntilItEnds) {
  const Team* outer = nullptr;
  run_region(
      14, [] { EXPECT_EQ(joined_region(), nullptr) << "it is this thread's own"; },
      [&] {
        outer = joined_region();
        ASSERT_EQ(outer, thread_state.team);
        run_region(
            15, [&] { EXPECT_EQ(joined_region(), outer) << "the inner one is its own"; },
            [&] {
              const Team* inner = joined_region();
              ASSERT_EQ(inner, thread_state.team);
              EXPECT_NE(inner, outer);
              EXPECT_EQ(joined_by_starter(*inner), outer);
              EXPECT_EQ(joined_by_starter(*outer), nullptr);
            });
      });
  std::thread late([&] {
    Team* team = region_begin(16);
    body_begin(team, 1, 2);
    EXPECT_EQ(joined_region(), team);
    ++team->generation;  // it has ended meanwhile
    EXPECT_EQ(joined_region(), nullptr);
    region_end(team);
  });
  late.join();
}

TEST_F(TeamAccounts, TotalsOfThreadsAreThoseOfTheirRegions) {
  export_totals();
  uint64_t before = 0;
  for (const auto& thread : test::entries<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS))
    before += thread.busy_ticks + thread.idle_ticks;
  run_region(
      5, [] { spend(kStep); }, [] {});
  export_totals();
  uint64_t after = 0;
  for (const auto& thread : test::entries<plait_omp_thread_record>(PLAIT_SECTION_OMP_THREADS))
    after += thread.busy_ticks + thread.idle_ticks;
  const auto region = region_at(5);
  EXPECT_EQ(after - before, region.busy_ticks + region.idle_ticks);
}

TEST_F(TeamAccounts, WaitingForACpuIsNotIdleTimeOfTheProgram) {
  // Both threads have the same work; the second also waits for a CPU while the first waits for it.
  std::atomic<bool> first_done{false};
  run_region(
      10,
      [&] {
        spend(kStep);
        first_done = true;
      },
      [&] {
        while (!first_done) std::this_thread::yield();
        spend(20 * kStep);
        test::waited_ticks = 19 * kStep;
      });
  const auto region = region_at(10);
  EXPECT_EQ(region.busy_ticks + region.idle_ticks + region.wait_ticks, 2 * region.ticks);
  EXPECT_GE(region.wait_ticks, 30 * kStep) << "its own, and that of the first for it";
  EXPECT_LE(region.idle_ticks + 19 * kStep, region.ticks) << "less what the second waited";
}

TEST_F(TeamAccounts, AThreadWithMoreWorkMakesOthersIdleAlsoIfItWaitsForACpu) {
  run_region(
      11, [] {},
      [] {
        spend(20 * kStep);
        test::waited_ticks = kStep;
      });
  const auto region = region_at(11);
  // The first idles for as long as it computes less, however long its empty part took.
  EXPECT_GE(region.busy_ticks + region.idle_ticks, 2 * 19 * kStep);
  EXPECT_GT(region.idle_ticks, 0u);
  EXPECT_GE(region.wait_ticks, 2 * kStep) << "one tick of each thread";
}

TEST_F(TeamAccounts, ATeamOfOneThreadWaitsForNobody) {
  Team* team = region_begin(12);
  ASSERT_NE(team, nullptr);
  spend(kStep);
  body_begin(team, 0, 1);
  body_end();
  spend(kStep);
  region_end(team);
  const auto region = region_at(12);
  EXPECT_EQ(region.idle_ticks, 0u);
  EXPECT_EQ(region.busy_ticks, region.ticks);
}

TEST_F(TeamAccounts, MoreRegionsAtOnceThanThereIsRoomForAreNoted) {
  std::vector<std::thread> threads;
  std::vector<Team*> teams(kTeams + 8, nullptr);
  std::atomic<int> begun{0};
  for (Team*& team : teams) {
    threads.emplace_back([&] {
      team = region_begin(6);
      ++begun;
      while (begun < static_cast<int>(teams.size())) std::this_thread::yield();
      if (team) {
        body_begin(team, 0, 1);
        body_end();
        region_end(team);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto measured = region_at(6).count;
  EXPECT_GE(measured, static_cast<uint64_t>(kTeams) - 1);
  ASSERT_FALSE(test::notes.empty());
  EXPECT_NE(test::notes.back().find("more than 64 OpenMP regions"), std::string::npos);
  Team* again = region_begin(7);
  EXPECT_NE(again, nullptr) << "threads that ended gave their teams back";
}

TEST_F(TeamAccounts, EveryThreadReportsItsPlacementOnce) {
  std::thread starter([] {
    const int before = test::placed;
    run_region(
        9, [] {}, [] {});
    EXPECT_EQ(test::placed, before + 2);
    run_region(
        9, [] {}, [] {});
    EXPECT_EQ(test::placed, before + 3) << "only the second, new thread";
  });
  starter.join();
}

TEST_F(TeamAccounts, AnInactiveRecordMeasuresNothing) {
  plait_record_header* kept = record;
  record = nullptr;
  EXPECT_EQ(region_begin(8), nullptr);
  record = kept;
}

}  // namespace
}  // namespace plait::preload::openmp
