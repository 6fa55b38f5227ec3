// SPDX-License-Identifier: BSD-3-Clause
// The mapper's decisions in a run, as the report prints them.
#include "report/map_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace plait::report {
namespace {

namespace fs = std::filesystem;

const std::string kReordered =
    R"({"map":1,"call":"MPI_Cart_create","shape":"4x4x2","processes":32,"vertices":32,"nodes":4,)"
    R"("pairs":64,"solve_s":0.0005,"method":"planes","reordered":true,)"
    R"("before":{"time_s":2e-3,"cut_bytes":3,"busiest_node_bytes":2,"cut_pairs":24},)"
    R"("after":{"time_s":1e-3,"cut_bytes":2,"busiest_node_bytes":1,"cut_pairs":16}})";
const std::string kKept =
    R"({"map":1,"call":"MPI_Graph_create","shape":"graph of 8","processes":8,"vertices":8,)"
    R"("nodes":1,"pairs":4,"solve_s":0.0001,"method":"observed","reordered":false,)"
    R"("before":{"time_s":1e-3,"cut_bytes":0,"busiest_node_bytes":0,"cut_pairs":0},)"
    R"("after":{"time_s":1e-3,"cut_bytes":0,"busiest_node_bytes":0,"cut_pairs":0}})";

class MapLines : public ::testing::Test {
protected:
  void SetUp() override {
    run_ = fs::path(::testing::TempDir()) / ("plait-map-lines-" + std::to_string(::getpid()));
    fs::create_directories(run_ / "records");
  }
  void TearDown() override { fs::remove_all(run_); }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(run_ / "records" / file) << text;
  }

  fs::path run_;
};

TEST_F(MapLines, SayNothingOfARunWithoutTheMapper) {
  write("host-1.rec", "no map");
  EXPECT_TRUE(map_lines(read_map_decisions(run_)).empty());
  EXPECT_TRUE(read_map_decisions(run_ / "absent").empty());
}

TEST_F(MapLines, CountEqualDecisionsAndSkipIncompleteLines) {
  write("host-1.map", kReordered + "\n" + kReordered + "\n" + kKept.substr(0, 50));
  write("host-2.map", kKept + "\n{\"map\":2}\n[]\n");
  const auto decisions = read_map_decisions(run_);
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(decisions[0].times, 2);
  EXPECT_EQ(decisions[0].after.cut_pairs, 16);
  EXPECT_FALSE(decisions[1].reordered);
}

TEST_F(MapLines, AreSentencesThatFitTheTerminal) {
  write("host-1.map", kReordered + "\n" + kKept + "\n");
  const auto lines = map_lines(read_map_decisions(run_));
  const std::vector<std::string> expected{
      "Mapping: MPI_Cart_create 4x4x2 on 4 nodes: reordered; 16 instead of 24 of 64",
      "         neighbour pairs are between nodes; predicted exchange 2.00 times faster",
      "         (assumed costs)",
      "Mapping: MPI_Graph_create graph of 8 on 1 node: nothing to gain; 0 of 4",
      "         neighbour pairs are between nodes"};
  EXPECT_EQ(lines, expected);
}

TEST_F(MapLines, NameTheFirstAndCountTheOthers) {
  std::string records;
  for (int grid = 0; grid < 9; ++grid) {
    std::string one = kReordered;
    records += one.replace(one.find("4x4x2"), 5, "4x4x" + std::to_string(grid)) + "\n";
  }
  write("host-1.map", records);
  const auto lines = map_lines(read_map_decisions(run_));
  EXPECT_EQ(lines.back(), "Mapping: 3 more topologies; records/*.map has all");
}

}  // namespace
}  // namespace plait::report
