// SPDX-License-Identifier: BSD-3-Clause
// Advice for HPL and CG on nodes and grids.
#include "advise/known_programs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plait::advise {
namespace {

std::string advice(const std::vector<std::string>& command, int nodes, int per_node) {
  std::string all;
  for (const std::string& sentence : advice_for_program(command, nodes, per_node)) {
    all += sentence + "\n";
  }
  return all;
}

TEST(KnownPrograms, AreRecognizedByName) {
  EXPECT_EQ(known_program({"mpiexec", "-n", "4", "/opt/bin/plait-lu"}), "hpl");
  EXPECT_EQ(known_program({"srun", "xhpl"}), "hpl");
  EXPECT_EQ(known_program({"mpiexec", "-n", "4", "hpcc"}), "hpl");
  EXPECT_EQ(known_program({"./bin/cg.B.x"}), "cg");
  EXPECT_EQ(known_program({"mpiexec", "./app", "cg"}), "");
  EXPECT_EQ(advice({"./app"}, 4, 2), "");
  EXPECT_EQ(advice({"xhpl"}, 1, 2), "") << "one node sends nothing";
}

TEST(KnownPrograms, BadNumbersOfNodesAreNamed) {
  const std::string five = advice({"xhpl"}, 5, 1);
  EXPECT_NE(five.find("5 nodes form no good grid"), std::string::npos) << five;
  EXPECT_NE(five.find("1 of 4 nodes and 1.33 of 6"), std::string::npos) << five;
  EXPECT_EQ(advice({"xhpl"}, 6, 1).find("no good grid"), std::string::npos);
  EXPECT_NE(advice({"cg.B.x"}, 4, 1).find("4 nodes send 1.00 of CG's vector"), std::string::npos);
}

TEST(KnownPrograms, TheGridThatSendsLeastIsNamed) {
  EXPECT_NE(advice({"plait-lu"}, 4, 1).find("P x Q = 2x2"), std::string::npos);
  const std::string row = advice({"mpiexec", "plait-lu", "--grid", "1x4"}, 4, 1);
  EXPECT_NE(row.find("grid 1x4 sends 3.00 times as much between nodes as 2x2: --grid 2x2"),
            std::string::npos)
      << row;
  EXPECT_EQ(advice({"plait-lu", "--grid=2x2"}, 4, 1).find("--grid"), std::string::npos);
  EXPECT_NE(row.find("plait predict hpl --machine FILE --nodes 4 --cores 1"), std::string::npos);
}

}  // namespace
}  // namespace plait::advise
