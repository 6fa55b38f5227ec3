// SPDX-License-Identifier: BSD-3-Clause
// Unusable figures lead to the parts of a measurement that are repeated.
#include "measure/repetition.hpp"

#include <gtest/gtest.h>

#include "machine/discover.hpp"

namespace plait::measure {
namespace {

machine::Statistic figure(const char* unusable = "") {
  machine::Statistic value{1, 1, 1, 1, 9, {}};
  value.unusable = unusable;
  return value;
}

machine::Measured measured() {
  machine::Measured measured;
  measured.stream = {{"copy", false, 1, 1 << 20, figure()}, {"copy", false, 2, 1 << 20, figure()}};
  measured.jacobi = {{2, {8, 8, 8}, false, figure()}};
  for (const char* id : {"l2", "package"}) {
    machine::Path path;
    path.id = path.name = id;
    path.bare_line_us = figure();
    path.mpi_pingpong = {{0, figure(), 0}};
    path.mpi_overheads = {{0, figure(), figure()}};
    measured.paths.push_back(path);
  }
  return measured;
}

TEST(Repetition, is_empty_if_all_figures_are_usable) {
  EXPECT_TRUE(plan_repetition(measured()).empty());
}

TEST(Repetition, has_the_parts_that_measured_unusable_figures) {
  machine::Measured of = measured();
  of.jacobi[0].mlups = figure("slow");
  of.paths[0].bare_line_us = figure("slow");
  of.paths[1].mpi_overheads[0].receive_us = figure("slow");
  of.collectives = {{"barrier", 2, 1, 0, figure("slow")}};
  const Repetition repetition = plan_repetition(of);
  EXPECT_EQ(repetition.figures, 3) << "collectives are those of several nodes";
  EXPECT_EQ(repetition.cores, std::set<int>{2});
  EXPECT_EQ(repetition.bare_paths, std::set<std::size_t>{0});
  EXPECT_EQ(repetition.steps, (std::set<PathStep>{{1, StepKind::overhead}}));
}

TEST(Repetition, of_messages_has_only_these_steps_within_its_time) {
  const machine::Topology topology =
      machine::discover_synthetic("pack:2 l2:2 core:2 pu:1").topology;
  const MpiPlan whole = plan_mpi(topology, plan_paths(topology, 2, 4), {}, {"libmpi.so.40"});
  const MpiPlan part = only(whole, {{1, StepKind::pingpong}, {0, StepKind::overhead}}, 3);
  ASSERT_EQ(part.probe.steps.size(), 3U) << "ping-pong of two pairs, the cost of one";
  EXPECT_EQ(part.origins.size(), 3U);
  EXPECT_EQ(part.probe.pus, whole.probe.pus);
  double seconds = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    seconds += part.probe.steps[i].seconds;
    const bool pingpong = part.probe.steps[i].kind == StepKind::pingpong;
    EXPECT_EQ(part.origins[i].job, pingpong ? 1U : 0U);
  }
  EXPECT_NEAR(seconds, 3, 1e-9);
}

}  // namespace
}  // namespace plait::measure
