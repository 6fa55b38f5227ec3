// SPDX-License-Identifier: BSD-3-Clause
// A plan is read as it was written; a damaged one is refused.
#include "measure/probe_plan.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::measure {
namespace {

ProbePlan example() {
  ProbePlan plan;
  plan.libraries = {"/opt/my mpi/lib/libmpi.so.12", "libmpi.so.12"};
  plan.pus = {0, 4, 9};
  plan.seed = 7;
  plan.relative_width = 0.05;
  plan.max_rounds = 12;
  plan.off_cache_bytes = 1 << 26;
  plan.steps = {{StepKind::pingpong, 0.25, {{0, 1}}},
                {StepKind::pingping, 0.5, {{2, 0}}},
                {StepKind::pingpong_off_cache, 1, {{1, 2}}},
                {StepKind::multi_pair, 2, {{0, 1}, {2, 1}}},
                {StepKind::overlap, 2, {{0, 1}}, {}, "isend-memory", {8, 1048576}},
                {StepKind::mixed, 2, {{0, 1}, {0, 2}}, {}, {}, {80000, 320000000}, 80000000},
                {StepKind::collective, 1, {}, {2, 0}, "barrier"}};
  plan.hosts = {"n0", "n0", "n1"};
  plan.variables = {"btl_vader_eager_limit"};
  plan.poll = true;
  plan.limit_s = 12.5;
  return plan;
}

TEST(ProbePlan, is_read_as_it_was_written) {
  EXPECT_EQ(parse_plan(format_plan(example())), example());
}

TEST(ProbePlan, damage_is_refused) {
  const std::string good = format_plan(example());
  EXPECT_THROW(parse_plan(""), Error);
  EXPECT_THROW(parse_plan("plait-probe-plan 2\n"), Error);
  for (const char* line : {"step pingpong 1",
                           "step pingpong 1 0-3",
                           "step pingpong 1 0-1 2",
                           "step pingpong 1 0:1",
                           "step pingpong x 0-1",
                           "step unknown 1 0-1",
                           "step pingpong 1 -1-0",
                           "rounds 1 2",
                           "off_cache_bytes much",
                           "what",
                           "step collective 1 what=barrier",
                           "step collective 1 ranks=0,3",
                           "step collective 1 ranks=0 0-1",
                           "step overlap 1 sizes=8,x 0-1",
                           "step pingpong 1 ranks=0,1",
                           "hosts n0 n1",
                           "poll often",
                           "step mixed 1 inside=x 0-1 0-2",
                           "step mixed 1 inside=1,2 0-1 0-2",
                           "step overlap 1 sizes=9999999999 0-1"}) {
    EXPECT_THROW(parse_plan(good + line + "\n"), Error) << line;
  }
}

TEST(ProbePlan, the_largest_message_of_a_step_sets_the_buffers) {
  EXPECT_EQ(largest_message({StepKind::pingpong, 1, {{0, 1}}}), 0U);
  EXPECT_EQ(largest_message({StepKind::mixed, 1, {{0, 1}}, {}, {}, {8, 64}, 80}), 80U);
}

TEST(ProbePlan, members_of_a_step_are_unique_and_the_leader_comes_first) {
  EXPECT_EQ(members_of({StepKind::mixed, 1, {{4, 1}, {4, 7}}}), (std::vector<int>{4, 1, 7}));
  EXPECT_EQ(members_of({StepKind::collective, 1, {}, {3, 0, 2}}), (std::vector<int>{3, 0, 2}));
}

}  // namespace
}  // namespace plait::measure
