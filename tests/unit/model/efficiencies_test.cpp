// SPDX-License-Identifier: BSD-3-Clause
// The efficiencies, compared with closed forms and worked examples.
#include "model/efficiencies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace plait::model {
namespace {

// Rank 0 computes 1.0 s, sends 1 MB, computes 0.5 s, enters an allreduce; rank 1 computes 0.2 s,
// receives, computes 1.0 s, enters the allreduce; with 10 us and 1 GB/s that takes 2.000984 s.
constexpr std::array<RankTime, 2> kWorkedExample{
    {{2.000984, 2.000984 - 1.5, 0}, {2.000984, 2.000984 - 1.2, 0}}};

TEST(Efficiencies, agree_with_the_worked_example_of_two_ranks) {
  const Efficiencies of = efficiencies(kWorkedExample, {}, false);
  EXPECT_NEAR(*of.load_balance.value, 0.90, 1e-12);
  EXPECT_NEAR(*of.communication.value, 1.5 / 2.000984, 1e-12);  // SerE 0.75 x TrfE 0.9995
  EXPECT_NEAR(*of.parallel.value, 0.675, 5e-4);
}

TEST(Efficiencies, bound_serialization_and_transfer_of_the_worked_example_from_below) {
  const Efficiencies of = efficiencies(kWorkedExample, {}, false);
  EXPECT_EQ(of.serialization.kind, Kind::lower_bound);
  EXPECT_EQ(of.transfer.kind, Kind::lower_bound);
  EXPECT_LE(*of.serialization.value, 1.5 / 2.0);  // the ideal network's value
  EXPECT_LE(*of.transfer.value, 2.0 / 2.000984);
}

TEST(Efficiencies, multiply_to_parallel_for_any_times) {
  for (int n = 1; n <= 9; ++n) {
    std::vector<RankTime> ranks;
    for (int i = 0; i < n; ++i) ranks.push_back({10.0, 1.0 + 0.7 * i, 0.1 * i});
    const Efficiencies of = efficiencies(ranks, {}, false);
    EXPECT_NEAR(*of.parallel.value, *of.load_balance.value * *of.communication.value, 1e-12);
    // Parallel efficiency is also the mean useful time over the run time.
    EXPECT_NEAR(*of.parallel.value, 1.0 - (1.0 + 0.7 * (n - 1) / 2.0) / 10.0, 1e-12);
    EXPECT_NEAR(of.cpu_wait_fraction, 0.01 * (n - 1) / 2.0, 1e-12);
  }
}

TEST(Efficiencies, of_ranks_without_mpi_are_perfect_and_measured) {
  const std::array<RankTime, 3> ranks{{{2, 0, 0}, {2, 0, 0}, {2, 0, 0}}};
  const Efficiencies of = efficiencies(ranks, {}, false);
  EXPECT_DOUBLE_EQ(*of.parallel.value, 1.0);
  EXPECT_EQ(of.parallel.kind, Kind::measured);
}

TEST(Efficiencies, of_nothing_are_not_measured) {
  const Efficiencies of = efficiencies({}, {}, true);
  for (const Efficiency& one : {of.parallel, of.load_balance, of.communication, of.serialization,
                                of.transfer, of.threads}) {
    EXPECT_FALSE(one.value.has_value());
    EXPECT_EQ(one.kind, Kind::not_measured);
  }
  EXPECT_EQ(of.cpu_wait_fraction, 0);
}

TEST(Efficiencies, never_exceed_one_when_clocks_disagree) {
  const std::array<RankTime, 1> ranks{{{1.0, -1e-9, 0}}};
  EXPECT_LE(*communication(ranks).value, 1.0);
}

// Two ranks of two threads: in 1.0 s of parallel regions each, rank 0's threads work 1.0 and 0.5 s,
// rank 1's 0.9 and 0.8 s: 3.2 of 4 thread seconds are useful.
TEST(Efficiencies, of_threads_agree_with_the_hybrid_example) {
  const std::array<ThreadTime, 4> threads{{{1.0, 0.0}, {0.5, 0.5}, {0.9, 0.1}, {0.8, 0.2}}};
  const std::array<RankTime, 2> ranks{{{1.25, 0.25, 0}, {1.25, 0.25, 0}}};
  const Efficiencies of = efficiencies(ranks, threads, true);
  EXPECT_NEAR(*of.threads.value, 0.8, 1e-12);
  EXPECT_NEAR(*of.parallel.value, 0.8, 1e-12);  // the MPI view: waiting in OpenMP counts as useful
}

TEST(Efficiencies, report_separately_the_time_waiting_for_a_cpu) {
  const std::array<RankTime, 2> ranks{{{10, 0, 4, 2}, {10, 0, 0, 2}}};
  const Efficiencies of = efficiencies(ranks, {}, false);
  EXPECT_NEAR(of.cpu_wait_fraction, 4.0 / 40.0, 1e-12);
  EXPECT_DOUBLE_EQ(*of.parallel.value, 1.0);
}

// Rank 0 computes 5 s and waits 5 s for a CPU, so that rank 1, which computes 5 s, too, waits for
// it.
TEST(Efficiencies, attribute_to_the_cpu_what_waiting_for_it_cost) {
  const std::array<RankTime, 2> ranks{{{10, 0, 5, 1, 5, 0}, {10, 5, 0, 1, 0, 0}}};
  const Efficiencies of = efficiencies(ranks, {}, false);
  EXPECT_DOUBLE_EQ(*of.cpu.value, 0.5);
  EXPECT_DOUBLE_EQ(*of.load_balance.value, 1);
  EXPECT_DOUBLE_EQ(*of.communication.value, 1);
  EXPECT_DOUBLE_EQ(*of.parallel.value, 0.5);
  const Losses lost = losses(of);
  EXPECT_DOUBLE_EQ(lost.cpu_wait, 0.5);
  EXPECT_DOUBLE_EQ(lost.imbalance, 0);
  EXPECT_DOUBLE_EQ(lost.communication, 0);
}

TEST(Efficiencies, do_not_blame_the_cpu_for_a_wait_that_delayed_nobody) {
  // Rank 0 waits for a CPU while rank 1 computes, which takes longer.
  const std::array<RankTime, 2> ranks{{{10, 1, 8, 1, 8, 0}, {10, 0, 0, 1, 0, 0}}};
  const Efficiencies of = efficiencies(ranks, {}, false);
  EXPECT_DOUBLE_EQ(*of.cpu.value, 1);
  EXPECT_DOUBLE_EQ(*of.load_balance.value, 0.55);
}

TEST(Efficiencies, multiply_to_parallel_with_any_waiting_for_a_cpu) {
  for (int n = 1; n <= 9; ++n) {
    std::vector<RankTime> ranks;
    double useful = 0;
    for (int i = 0; i < n; ++i) {
      ranks.push_back({10.0, 1.0 + 0.3 * i, 0, 1, 0.5 * ((i * 5) % n), 0.1});
      useful += useful_s(ranks.back());
    }
    const Efficiencies of = efficiencies(ranks, {}, false);
    EXPECT_NEAR(*of.parallel.value, useful / n / 10, 1e-12);
    const Losses lost = losses(of);
    EXPECT_NEAR(lost.useful + lost.imbalance + lost.communication + lost.cpu_wait, 1, 1e-12);
  }
}

TEST(Efficiencies, of_invisible_threads_are_not_measured) {
  const std::array<ThreadTime, 1> threads{{{1.0, 0.0}}};
  EXPECT_FALSE(thread_efficiency(threads, false).value.has_value());
  EXPECT_FALSE(thread_efficiency({}, true).value.has_value());
}

TEST(Losses, sum_to_one) {
  const Losses of = losses(efficiencies(kWorkedExample, {}, false));
  EXPECT_NEAR(of.useful + of.imbalance + of.communication, 1.0, 1e-12);
  EXPECT_NEAR(of.communication, 1 - 1.5 / 2.000984, 1e-12);
  EXPECT_NEAR(of.imbalance, 0.1 * 1.5 / 2.000984, 1e-12);
}

TEST(Kinds, have_the_names_of_the_profile) {
  EXPECT_EQ(to_string(Kind::measured), "measured");
  EXPECT_EQ(to_string(Kind::lower_bound), "lower bound");
  EXPECT_EQ(to_string(Kind::not_measured), "not measured");
}

}  // namespace
}  // namespace plait::model
