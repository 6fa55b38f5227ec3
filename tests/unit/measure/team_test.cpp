// SPDX-License-Identifier: BSD-3-Clause
// Teams of bound threads: every thread runs every job, barriers work, wrong cores are refused.
#include "measure/team.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>

#include "machine/cpuset.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

int some_pu() {
  return machine::CpuSet::affinity_of(0).first();
}

TEST(Team, runs_each_job_once_on_every_thread_bound_to_its_core) {
  // Two threads on one core: slow, but correct.
  const int pu = some_pu();
  Team team({pu, pu});
  for (int job = 0; job < 20; ++job) {
    std::atomic<int> seen{0};
    std::atomic<int> at_home{0};
    team.run([&](int thread) {
      seen += 1 << (4 * thread);
      at_home += ::sched_getcpu() == pu ? 1 : 0;
    });
    EXPECT_EQ(seen, 0x11);
    EXPECT_EQ(at_home, 2);
  }
}

TEST(Team, no_thread_passes_the_barrier_before_all_have_arrived) {
  const int pu = some_pu();
  Team team({pu, pu, pu});
  std::atomic<int> came{0};
  std::atomic<int> too_few{0};
  team.run([&](int) {
    for (int round = 1; round <= 50; ++round) {
      ++came;
      team.barrier().wait();
      if (came < 3 * round) ++too_few;
      team.barrier().wait();
    }
  });
  EXPECT_EQ(came, 150);
  EXPECT_EQ(too_few, 0);
}

TEST(Team, time_covers_the_slowest_thread) {
  const int pu = some_pu();
  Team team({pu, pu});
  const double seconds = team.time([](int thread) {
    if (thread == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_GE(seconds, 0.020);
  EXPECT_GT(team.disturbance().thread_s, 0.0);
}

TEST(Team, a_core_that_does_not_exist_is_an_error) {
  EXPECT_THROW(Team({some_pu(), 100000}), Error);
}

TEST(Disturbance, is_a_share_of_the_threads_time) {
  Disturbance all;
  EXPECT_DOUBLE_EQ(all.share(), 0);
  all += {1, 10};
  all += {1, 30};
  EXPECT_DOUBLE_EQ(all.share(), 0.05);
}

}  // namespace
}  // namespace plait::measure
