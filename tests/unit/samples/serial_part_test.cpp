// SPDX-License-Identifier: BSD-3-Clause
// The function whose serial part OpenMP threads wait for.
#include "samples/serial_part.hpp"

#include <gtest/gtest.h>

namespace plait::samples {
namespace {

/// main calls solve, which calls setup, and has a region of three tenths of the main thread's time.
CallTree tree_with_region() {
  CallTree tree;
  tree.rate_hz = 10;
  tree.threads = {{0, 0, "main", 100, 0, 0, 10}, {0, 1, "openmp", 40, 0, 0, 4}};
  tree.functions = {{"main", "main", "app.c", 1, "app", "code"},
                    {"solve", "solve", "app.c", 10, "app", "code"},
                    {"setup", "setup", "app.c", 30, "app", "code"},
                    {"element", "element", "app.c", 20, "app", "code"},
                    {"OpenMP runtime", "OpenMP runtime", "", 0, "libgomp.so.1", "openmp"}};
  tree.nodes = {
      {-1, 0, 5}, {0, 1, 12}, {1, 2, 31}, {0, 1, 14, false, true}, {3, 3, 21, false, true},
      {0, 1, 13}, {5, 4, 0}};
  tree.counts = {{1, 0, State::code, 10}, {2, 0, State::code, 60},  {3, 0, State::code, 10},
                 {4, 0, State::code, 15}, {6, 0, State::openmp, 5}, {3, 1, State::code, 10},
                 {4, 1, State::code, 20}, {6, 1, State::openmp, 10}};
  return tree;
}

TEST(SerialPart, is_of_the_innermost_function_with_a_region) {
  const auto of = serial_part(tree_with_region());
  ASSERT_TRUE(of);
  EXPECT_EQ(of->function, 1);
  EXPECT_EQ(of->line, 12);
  EXPECT_EQ(of->share, share_of(70, 100));
  EXPECT_DOUBLE_EQ(of->seconds, 7);
  EXPECT_EQ(of->inside, 2);
  EXPECT_EQ(of->inside_line, 31);
}

TEST(SerialPart, that_is_spread_over_functions_is_that_of_their_caller) {
  CallTree tree = tree_with_region();
  tree.counts[0].samples = 40;
  tree.counts[1].samples = 30;
  const auto of = serial_part(tree);
  ASSERT_TRUE(of);
  EXPECT_EQ(of->function, 1);
  EXPECT_EQ(of->inside, 1);
}

TEST(SerialPart, of_a_program_without_a_sample_in_a_region_is_not_known) {
  CallTree tree = tree_with_region();
  for (CallNode& node : tree.nodes) node.parallel = false;
  EXPECT_FALSE(serial_part(tree));
  EXPECT_FALSE(serial_part({}));
}

TEST(SerialPart, is_not_known_if_stacks_could_not_be_followed) {
  CallTree tree = tree_with_region();
  tree.threads[1].truncated = 40;
  EXPECT_TRUE(serial_part(tree));
  tree.threads[0].truncated = 6;
  EXPECT_FALSE(serial_part(tree));
}

TEST(SerialPart, does_not_count_mpi_and_waiting) {
  CallTree tree = tree_with_region();
  tree.counts.push_back({1, 0, State::mpi, 1000});
  tree.counts.push_back({1, 0, State::waiting, 1000});
  EXPECT_EQ(serial_part(tree)->share, share_of(70, 100));
}

}  // namespace
}  // namespace plait::samples
