// SPDX-License-Identifier: BSD-3-Clause
// Tests that the search reaches the best known legal figures of small tasks.
#include <gtest/gtest.h>

#include "mapping/search/map_processes.hpp"
#include "tasks.hpp"

namespace plait::mapping {
namespace {

void expect_reached(const bench::MappingTask& task) {
  SCOPED_TRACE(task.name);
  const Score score = map_processes(task.request).after;
  if (task.distance >= 0) {
    EXPECT_LE(score.distance, task.distance);
  }
  if (task.cut >= 0) {
    EXPECT_LE(score.cut, task.cut);
  }
  if (task.busiest >= 0 && score.cut >= task.cut) {
    EXPECT_LE(score.busiest_node, task.busiest);
  }
}

TEST(MappingTargets, OfGridsOnNodesAreReached) {
  for (const bench::MappingTask& task : bench::node_tasks()) expect_reached(task);
}

TEST(MappingTargets, FromTheLayoutsOfMpiLibrariesAreReached) {
  for (const bench::MappingTask& task : bench::layout_tasks()) expect_reached(task);
}

TEST(MappingTargets, OfTreesAreReached) {
  for (const bench::MappingTask& task : bench::tree_tasks()) expect_reached(task);
}

TEST(MappingTargets, StartFromWhatOthersMeasured) {
  // The figures of the identity mapping show that these are the tasks that others measured.
  std::vector<double> cuts;
  for (const bench::MappingTask& task : bench::node_tasks()) {
    cuts.push_back(map_processes(task.request).before.cut);
  }
  EXPECT_EQ(cuts, (std::vector<double>{24, 192, 12, 32, 18, 26, 36, 72, 960, 1044, 42588}));
  std::vector<double> sums;
  for (const bench::MappingTask& task : bench::tree_tasks()) {
    sums.push_back(map_processes(task.request).before.distance);
  }
  EXPECT_EQ(sums, (std::vector<double>{2512, 26688, 6296}));
}

}  // namespace
}  // namespace plait::mapping
