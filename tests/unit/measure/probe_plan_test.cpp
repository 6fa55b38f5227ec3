// SPDX-License-Identifier: BSD-3-Clause
// A plan survives the way through its file; a damaged one is refused.
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
                {StepKind::multi_pair, 2, {{0, 1}, {2, 1}}}};
  return plan;
}

TEST(ProbePlan, is_read_as_it_was_written) {
  EXPECT_EQ(parse_plan(format_plan(example())), example());
}

TEST(ProbePlan, damage_is_refused) {
  const std::string good = format_plan(example());
  EXPECT_THROW(parse_plan(""), Error);
  EXPECT_THROW(parse_plan("plait-probe-plan 2\n"), Error);
  for (const char* line : {"step pingpong 1", "step pingpong 1 0-3", "step pingpong 1 0-1 2",
                           "step pingpong 1 0:1", "step pingpong x 0-1", "step unknown 1 0-1",
                           "step pingpong 1 -1-0", "rounds 1 2", "off_cache_bytes much", "what"}) {
    EXPECT_THROW(parse_plan(good + line + "\n"), Error) << line;
  }
}

}  // namespace
}  // namespace plait::measure
