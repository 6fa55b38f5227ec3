// SPDX-License-Identifier: BSD-3-Clause
// Measurements of one machine are merged: medians of medians, intervals with their variability,
// outliers left out; repeated figures replace unusable ones.
#include "machine/merge_measured.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace plait::machine {
namespace {

Statistic figure(double median, double half_width = 0.01) {
  Statistic value;
  value.min = value.ci_low = median * (1 - half_width);
  value.median = median;
  value.ci_high = median * (1 + half_width);
  value.n = 2;
  value.samples = {value.ci_low, value.ci_high};
  return value;
}

MachineFile machine_of(double p2) {
  MachineFile file;
  file.host = "n0";
  file.origin = "measured";
  file.plait_version = "0.1.0";
  file.measured.emplace();
  file.measured->mpi = MpiContext{"Open MPI v4.1.4", "mpiexec"};
  file.measured->jacobi = {{1, {96, 96, 96}, false, figure(1000)},
                           {2, {96, 96, 96}, false, figure(p2)}};
  Path path;
  path.id = "l3";
  path.name = "shared L3";
  path.mpi_pingpong = {{0, figure(0.4), 0}, {4096, figure(2), 2.048}};
  file.measured->paths = {path};
  return file;
}

TEST(Merged, two_measurements_give_the_range_of_their_medians) {
  const Statistic two = merged(figure(100), figure(120));
  EXPECT_DOUBLE_EQ(two.median, 110);
  EXPECT_DOUBLE_EQ(two.ci_low, 100);
  EXPECT_DOUBLE_EQ(two.ci_high, 120);
  EXPECT_EQ(two.n, 4);
  EXPECT_EQ(two.samples.size(), 4U);
  EXPECT_DOUBLE_EQ(two.min, 99);
  ASSERT_EQ(two.runs.size(), 2U);
  EXPECT_DOUBLE_EQ(two.runs[0].median, 100);
  const Statistic same = merged(figure(100), figure(100));
  EXPECT_DOUBLE_EQ(same.ci_low, 99) << "at least the interval of a single measurement";
  EXPECT_DOUBLE_EQ(same.ci_high, 101);
}

TEST(Merged, one_outlier_of_three_is_left_out_wherever_it_is) {
  for (const auto& [a, b, c] : {std::tuple{100, 102, 900}, {900, 100, 102}, {100, 900, 102}}) {
    const Statistic three = merged(merged(figure(a), figure(b)), figure(c));
    EXPECT_DOUBLE_EQ(three.median, 101);
    EXPECT_LT(three.ci_high, 103);
    EXPECT_EQ(three.n, 6) << "its samples are kept";
  }
  const Statistic apart = merged(merged(figure(100), figure(150)), figure(200));
  EXPECT_DOUBLE_EQ(apart.median, 150) << "no outlier among three that all differ";
  EXPECT_DOUBLE_EQ(apart.ci_low, 100);
}

TEST(Merged, the_oldest_measurements_are_dropped) {
  Statistic all = figure(1);
  for (int run = 2; run <= 8; ++run) all = merged(all, figure(run));
  ASSERT_EQ(all.runs.size(), kMostRuns);
  EXPECT_DOUBLE_EQ(all.runs.front().median, 4);
  EXPECT_EQ(all.samples.size(), 2 * kMostRuns);
  EXPECT_DOUBLE_EQ(all.min, 3.96);
}

TEST(Merged, an_unusable_measurement_does_not_count) {
  Statistic wild = figure(1491);
  wild.unusable = "too slow";
  EXPECT_EQ(merged(wild, figure(2)), figure(2));
  EXPECT_EQ(merged(figure(2), wild), figure(2));
}

TEST(MergeInto, all_figures_are_merged_and_counted) {
  MachineFile later = machine_of(2000);
  const MachineFile earlier = machine_of(1800);
  ASSERT_TRUE(can_merge(earlier, later));
  merge_into(later, earlier, Part::everything);
  EXPECT_EQ(later.measured->runs, 2);
  EXPECT_DOUBLE_EQ(later.measured->jacobi[1].mlups.median, 1900);
  EXPECT_EQ(later.measured->paths[0].mpi_pingpong[1].half_round_trip_us.runs.size(), 2U);
  EXPECT_DOUBLE_EQ(later.measured->paths[0].mpi_pingpong[1].bandwidth_gbs, 2.048);
  const Variability variability = variability_of(*later.measured);
  EXPECT_EQ(variability.of, "P(2), ordinary stores");
  EXPECT_NEAR(variability.largest, 200.0 / 1900, 1e-12);
  EXPECT_DOUBLE_EQ(variability.median, 0);
}

TEST(MergeInto, another_mpi_or_machine_is_not_merged) {
  MachineFile later = machine_of(2000);
  later.measured->mpi = MpiContext{"MPICH Version: 4.0.2", "mpiexec"};
  merge_into(later, machine_of(2000), Part::everything);
  EXPECT_TRUE(later.measured->paths[0].mpi_pingpong[0].half_round_trip_us.runs.empty());
  EXPECT_EQ(later.measured->jacobi[0].mlups.runs.size(), 2U);

  const auto change = [](auto&& member, const std::string& value) {
    MachineFile other = machine_of(2000);
    other.*member = value;
    return can_merge(machine_of(2000), other);
  };
  EXPECT_FALSE(change(&MachineFile::host, "n1"));
  EXPECT_FALSE(change(&MachineFile::cpu_model, "another"));
  EXPECT_FALSE(change(&MachineFile::os, "Linux 7"));
  EXPECT_FALSE(change(&MachineFile::origin, "recorded"));
  MachineFile other_grid = machine_of(2000);
  other_grid.measured->jacobi[0].grid = {8, 8, 8};
  EXPECT_FALSE(can_merge(machine_of(2000), other_grid));
}

TEST(MergeInto, what_was_not_measured_again_stays) {
  MachineFile earlier = machine_of(2000);
  Path network;
  network.id = "network";
  network.name = "between nodes";
  network.pairs = {{0, 1}};
  network.mpi_pingpong = {{0, figure(50), 0}};
  earlier.measured->paths.push_back(network);
  earlier.measured->collectives = {{"barrier", 4, 2, 0, figure(9)}};
  earlier.notes = {"between nodes: emulated, cluster a", "kernels: avx2"};
  MachineFile later = machine_of(2000);
  merge_into(later, earlier, Part::everything);
  ASSERT_EQ(later.measured->paths.size(), 2U);
  EXPECT_EQ(later.measured->collectives.size(), 1U);
  EXPECT_EQ(later.notes, std::vector<std::string>{"between nodes: emulated, cluster a"});

  // A measurement between nodes only: the figures inside the node are the earlier ones themselves.
  MachineFile again = earlier;
  merge_into(again, earlier, Part::between_nodes);
  EXPECT_EQ(again.measured->paths[1].mpi_pingpong[0].half_round_trip_us.runs.size(), 2U);
  EXPECT_TRUE(again.measured->jacobi[0].mlups.runs.empty());
  EXPECT_EQ(again.measured->runs, 1);
  again = earlier;
  again.notes = {"between nodes: emulated, cluster b"};
  merge_into(again, earlier, Part::between_nodes);
  EXPECT_TRUE(again.measured->paths[1].mpi_pingpong[0].half_round_trip_us.runs.empty());
}

TEST(ReplaceUnusable, takes_repeated_figures_and_checks_again) {
  Measured measured = *machine_of(2000).measured;
  Measured again;
  again.paths = measured.paths;
  measured.paths[0].bare_line_us = figure(1491);
  measured.paths[0].bare_line_us->unusable = "too slow";
  measured.paths[0].mpi_pingpong[1].half_round_trip_us = figure(90, 0.9);
  measured.paths[0].mpi_pingpong[1].half_round_trip_us.unusable = "too wide";
  again.paths[0].bare_line_us = figure(700);
  EXPECT_EQ(replace_unusable(measured, again), 2);
  EXPECT_DOUBLE_EQ(measured.paths[0].mpi_pingpong[1].half_round_trip_us.median, 2);
  EXPECT_DOUBLE_EQ(measured.paths[0].mpi_pingpong[1].bandwidth_gbs, 2.048);
  EXPECT_NE(measured.paths[0].bare_line_us->unusable, "") << "still longer than a message";
}

}  // namespace
}  // namespace plait::machine
