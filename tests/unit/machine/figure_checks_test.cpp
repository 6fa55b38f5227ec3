// SPDX-License-Identifier: BSD-3-Clause
// Figures that contradict their interval, bound or neighbours are unusable; odd ones are named.
#include "machine/figure_checks.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/json.hpp"
#include "machine/open_machine.hpp"

namespace plait::machine {
namespace {

Statistic figure(double median, double half_width = 0.02, int n = 9) {
  Statistic value;
  value.min = value.ci_low = median * (1 - half_width);
  value.median = median;
  value.ci_high = median * (1 + half_width);
  value.n = n;
  return value;
}

/// A machine of two cores on which nothing is wrong.
Measured sound() {
  Measured measured;
  for (const int threads : {1, 2}) {
    measured.stream.push_back({"copy", false, threads, 1 << 27, figure(30.0 + 8 * threads)});
    measured.jacobi.push_back({threads, {96, 96, 96}, false, figure(1000.0 * threads)});
    measured.peak.push_back({"AVX2", threads, figure(50.0 * threads)});
  }
  Path path;
  path.id = "l3";
  path.name = "shared L3";
  path.bare_line_us = figure(0.06);
  for (const std::uint64_t bytes : {0, 1, 8, 4096}) {
    const double us = 0.36 + static_cast<double>(bytes) * 1e-4;
    path.mpi_pingpong.push_back({bytes, figure(us), 0});
    path.mpi_pingping.push_back({bytes, figure(1.2 * us), 0});
    path.bare_memcpy.push_back({bytes, figure(0.5 * us), 0});
  }
  path.mpi_multi_pair = {{1, 4096, figure(5)}, {2, 4096, figure(9)}};
  measured.paths = {path};
  return measured;
}

/// How the checks of a single changed figure end.
std::string reason_of(Measured measured, const std::function<Statistic&(Measured&)>& find) {
  check_figures(measured);
  return find(measured).unusable;
}

TEST(FigureChecks, name_an_init_that_is_out_of_proportion) {
  const auto odd = [](double one_us, double sixteen_us) {
    Measured measured = sound();
    measured.mpi_init = {{1, figure(one_us)}, {16, figure(sixteen_us)}};
    check_figures(measured);
    return measured.anomalies;
  };
  EXPECT_TRUE(odd(0.2e6, 0.9e6).empty());  // below a second
  EXPECT_TRUE(odd(0.2e6, 3e6).empty());    // in proportion
  ASSERT_EQ(odd(0.2e6, 4e6).size(), 1U);
  EXPECT_NE(odd(0.2e6, 4e6)[0].find("MPI_Init takes 4.00 s with 16 ranks"), std::string::npos);
}

TEST(FigureChecks, find_nothing_on_a_sound_machine) {
  Measured measured = sound();
  check_figures(measured);
  EXPECT_EQ(unusable_sentence(measured), "");
  EXPECT_TRUE(measured.anomalies.empty());
  EXPECT_TRUE(reliability_notes(measured).empty());
}

TEST(FigureChecks, find_nothing_on_the_machines_that_come_with_plait) {
  for (const char* name : {"measured-example", "cluster-example", "townsend"}) {
    MachineFile file = open_machine(name);
    check_figures(*file.measured);
    EXPECT_EQ(unusable_sentence(*file.measured), "") << name;
    EXPECT_TRUE(file.measured->anomalies.empty()) << name;
  }
}

TEST(FigureChecks, a_cache_line_cannot_take_longer_than_a_message) {
  Measured measured = sound();
  measured.paths[0].bare_line_us = figure(1491);
  check_figures(measured);
  EXPECT_EQ(measured.paths[0].bare_line_us->unusable,
            "it takes 1491 us, but a whole MPI message takes 0.360 us");
  EXPECT_EQ(unusable_sentence(measured),
            "1 of 21 figures is unusable: shared L3: cache line (it takes 1491 us, but a whole MPI "
            "message takes 0.360 us)");
  EXPECT_EQ(reliability_notes(measured).size(), 1U);
  // What was marked earlier is judged again.
  measured.paths[0].bare_line_us = figure(0.06);
  measured.paths[0].bare_line_us->unusable = "as before";
  check_figures(measured);
  EXPECT_TRUE(measured.paths[0].bare_line_us->usable());
}

TEST(FigureChecks, a_wide_interval_is_unusable) {
  Measured measured = sound();
  measured.paths[0].mpi_pingpong[2].half_round_trip_us = {0.3, 0.37, 0.3, 1043, 7, {}};
  const auto find = [](Measured& of) -> Statistic& {
    return of.paths[0].mpi_pingpong[2].half_round_trip_us;
  };
  EXPECT_EQ(reason_of(measured, find), "its interval is 0.300 to 1043 us");
  find(measured) = figure(0.361, 0.45);
  EXPECT_EQ(reason_of(measured, find), "");
}

TEST(FigureChecks, a_figure_without_an_undisturbed_sample_is_unusable_inside_a_node) {
  Measured measured = sound();
  measured.paths[0].mpi_pingpong[0].half_round_trip_us.disturbed = 9;
  measured.jacobi[0].mlups.n = measured.jacobi[0].mlups.disturbed = 1;
  check_figures(measured);
  EXPECT_EQ(measured.paths[0].mpi_pingpong[0].half_round_trip_us.unusable,
            "a thread waited for a CPU in each of its 9 samples");
  EXPECT_EQ(measured.jacobi[0].mlups.unusable, "a thread waited for a CPU in its only sample");
  measured.paths[0].id = "network";
  check_figures(measured);
  EXPECT_TRUE(measured.paths[0].mpi_pingpong[0].half_round_trip_us.usable())
      << "emulated nodes may share cores";
}

TEST(FigureChecks, fewer_cores_are_not_faster_unless_the_machine_is_like_that) {
  Measured measured = sound();
  const auto find = [](Measured& of) -> Statistic& { return of.jacobi[1].mlups; };
  find(measured) = figure(700, 0.2);
  EXPECT_EQ(reason_of(measured, find), "it is 700 MLUP/s, but P(1), ordinary stores 1000 MLUP/s");
  find(measured) = figure(700, 0.02, 2);
  EXPECT_NE(reason_of(measured, find), "") << "two samples are not reliable";
  find(measured) = figure(700);
  find(measured).disturbed = 3;
  EXPECT_NE(reason_of(measured, find), "") << "its threads waited for a CPU";
  find(measured) = figure(930, 0.2);
  EXPECT_EQ(reason_of(measured, find), "") << "memory is saturated";
  find(measured) = figure(700);
  check_figures(measured);
  EXPECT_TRUE(find(measured).usable());
  ASSERT_EQ(measured.anomalies.size(), 1U);
  EXPECT_EQ(measured.anomalies[0],
            "P(2), ordinary stores is 700 MLUP/s, less than P(1), ordinary stores (1000 MLUP/s)");
  measured.sentinel = Sentinel{"integer chain", "ns", {}, 1, 1, true};
  EXPECT_NE(reason_of(measured, find), "") << "the speed of the machine changed";
}

TEST(FigureChecks, a_longer_message_is_not_faster) {
  Measured measured = sound();
  const auto find = [](Measured& of) -> Statistic& {
    return of.paths[0].mpi_pingpong[0].half_round_trip_us;
  };
  find(measured) = figure(1.2, 0.3);
  EXPECT_EQ(reason_of(measured, find),
            "it takes 1.20 us, but shared L3: ping-pong of 1 B 0.360 us");
  find(measured) = figure(0.45);
  check_figures(measured);
  EXPECT_TRUE(find(measured).usable());
  ASSERT_EQ(measured.anomalies.size(), 1U);
  EXPECT_EQ(measured.anomalies[0],
            "shared L3: ping-pong of 0 B takes 0.450 us, longer than shared L3: ping-pong of 1 B "
            "(0.360 us)");
}

TEST(FigureChecks, bounds_of_copies_pairs_and_streams) {
  Measured measured = sound();
  measured.paths[0].bare_memcpy[3].one_way_us = figure(50);
  measured.paths[0].mpi_multi_pair[0].bandwidth_gbs = figure(0.5);
  measured.stream[1].gbs = figure(12);
  measured.paths[0].mpi_pingping[1].time_us = figure(90, 0.4);
  check_figures(measured);
  EXPECT_EQ(measured.paths[0].bare_memcpy[3].one_way_us.unusable,
            "it takes 50.0 us, but an MPI message of that size takes 0.770 us");
  EXPECT_NE(measured.paths[0].mpi_multi_pair[0].bandwidth_gbs.unusable, "");
  EXPECT_EQ(measured.stream[1].gbs.unusable,
            "it is 12.0 GB/s, but the Jacobi kernel moves 32.0 GB/s");
  EXPECT_EQ(measured.paths[0].mpi_pingping[1].time_us.unusable,
            "it takes 90.0 us, but half a round trip takes 0.360 us");
  EXPECT_EQ(unusable_sentence(measured, 1).find("4 of 21 figures are unusable: STREAM copy"), 0U);
  EXPECT_NE(unusable_sentence(measured, 1).find("; and 3 more"), std::string::npos);
}

TEST(FigureChecks, marks_are_part_of_the_file) {
  Measured measured = sound();
  measured.paths[0].bare_line_us = figure(1491);
  measured.paths[0].bare_line_us->disturbed = 4;
  measured.paths[0].bare_line_us->runs = {{1, 1, 1, 9, true}, {2, 2, 2, 9, false}};
  measured.waited_for_cpu = 0.35;
  measured.anomalies = {"odd"};
  measured.runs = 2;
  check_figures(measured);
  const nlohmann::json json = measured;
  EXPECT_EQ(json.get<Measured>(), measured);
  EXPECT_NE(reliability_notes(measured).at(0).find("waited 35 % of the time"), std::string::npos);
}

}  // namespace
}  // namespace plait::machine
