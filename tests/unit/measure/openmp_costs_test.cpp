// SPDX-License-Identifier: BSD-3-Clause
// The cost of OpenMP constructs: the output of the probe, and a short measurement with each runtime
// of this system.
#include "measure/openmp_costs.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

constexpr const char* kGood =
    "start 1 250\n"
    "region 0 1.5 1.25 1.75\n"
    "barrier 0 0.5\n"
    "task 0 0.25 0.5\n";

TEST(OpenMpCosts, adds_up_the_runs_of_the_probe) {
  OpenMpSamples samples;
  ASSERT_TRUE(add_openmp_output(kGood, samples));
  ASSERT_TRUE(add_openmp_output(kGood, samples));
  EXPECT_EQ(samples.start.us, (std::vector<double>{250, 250}));
  EXPECT_EQ(samples.start.disturbed, 2);
  EXPECT_EQ(samples.region.us.size(), 6U);
  EXPECT_EQ(samples.region.disturbed, 0);
  EXPECT_EQ(samples.task.us, (std::vector<double>{0.25, 0.5, 0.25, 0.5}));
}

TEST(OpenMpCosts, incomplete_output_adds_nothing) {
  for (const char* text : {"", "start 0 1\nregion 0 1\nbarrier 0 1\n", "start 0 1\nregion 0 x\n",
                           "start 0 1\nregion 0\nbarrier 0 1\ntask 0 1\n", "other 0 1\n"}) {
    OpenMpSamples samples;
    EXPECT_FALSE(add_openmp_output(text, samples)) << text;
    EXPECT_TRUE(samples.start.us.empty());
  }
}

TEST(OpenMpCosts, one_runtime_of_each_name) {
  const auto chosen = one_of_each({{"libgomp", "/a", false},
                                   {"libomp", "/new", true},
                                   {"libomp", "/old", true},
                                   {"libiomp5", "/b", true}});
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[1].path, "/new");
}

TEST(OpenMpCosts, a_library_that_is_no_runtime_is_a_warning) {
  OpenMpRequest request;
  request.runtimes = {{"libgomp", "/nowhere/libgomp.so.1", false}};
  request.pus = {0, 0};
  const OpenMpOutcome outcome = measure_openmp(request);
  EXPECT_TRUE(outcome.costs.empty());
  ASSERT_EQ(outcome.warnings.size(), 1U);
  EXPECT_NE(outcome.warnings[0].find("/nowhere/libgomp.so.1"), std::string::npos);
}

}  // namespace
}  // namespace plait::measure
