// SPDX-License-Identifier: BSD-3-Clause
// Viet's tables 2, 3 and 7 from one function of pattern and mapping, and its invariants.
#include "model/communication_volume.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "csv.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

/// The exact value of a printed figure: "0.75" is 3/4.
Rational printed(const std::string& text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return std::stoll(text);
  std::int64_t scale = 1;
  for (std::size_t digit = point + 1; digit < text.size(); ++digit) scale *= 10;
  return {std::stoll(text.substr(0, point) + text.substr(point + 1)), scale};
}

int whole(const CsvRow& row, const char* column) {
  return static_cast<int>(number(row, column));
}

TEST(CommunicationVolume, VietsTable2) {
  int rows = 0;
  for (const CsvRow& row : read_csv("viet/viet_table_2_3.csv")) {
    if (row.at("table") != "2") continue;
    const int processes = whole(row, "nprocs_or_nodes");
    const Pattern pattern = cg_pattern(processes);
    EXPECT_EQ(pattern.columns, whole(row, "npcols"));
    EXPECT_EQ(volume(pattern, block_mapping(processes, 1)).process, printed(row.at("value")));
    ++rows;
  }
  EXPECT_EQ(rows, 4);
}

TEST(CommunicationVolume, VietsTable3) {
  // Sun: 2 nodes, the key is processors per node. Intel: 2 processors per node, the key is nodes.
  int rows = 0;
  for (const CsvRow& row : read_csv("viet/viet_table_2_3.csv")) {
    if (row.at("table") == "2") continue;
    const bool sun = row.at("table") == "3a";
    const bool hybrid = row.at("key").ends_with("hybrid");
    const int key = whole(row, "nprocs_or_nodes");
    const int nodes = sun ? 2 : key;
    const int per_node = hybrid ? 1 : sun ? key : 2;
    SCOPED_TRACE(row.at("key") + " " + std::to_string(key));
    const Volume found =
        volume(cg_pattern(nodes * per_node), block_mapping(nodes * per_node, per_node));
    EXPECT_EQ(found.node, printed(row.at("value")));
    EXPECT_EQ(found.channels, hybrid ? 1 : whole(row, "channels"));
    ++rows;
  }
  EXPECT_EQ(rows, 12);
}

TEST(CommunicationVolume, VietsTable7) {
  int rows = 0;
  for (const CsvRow& row : read_csv("viet/viet_table_7.csv")) {
    const int processes = whole(row, "nprocs");
    SCOPED_TRACE(std::to_string(processes) + " processes");
    const Pattern pattern = hpl_pattern(processes);
    EXPECT_EQ(pattern.rows, whole(row, "P"));
    EXPECT_EQ(pattern.columns, whole(row, "Q"));
    const Volume found = volume(pattern, block_mapping(processes, 1));
    // 4/3 is printed as 1.33; all others are printed in full.
    const Rational expected = processes == 6 ? Rational(4, 3) : printed(row.at("V_m"));
    EXPECT_EQ(found.process, expected);
    EXPECT_EQ(std::round(100 * found.process.value()), std::round(100 * number(row, "V_m")));
    ++rows;
  }
  EXPECT_EQ(rows, 7);
}

TEST(CommunicationVolume, TheHybridVolumeIsNotThatOfAllNodes) {
  // Section 6.4 says so; but on 4 and 8 nodes, nodes on the transpose's diagonal send less.
  for (const auto& [nodes, lightest] :
       {std::pair{2, Rational(1, 2)}, {4, Rational(1, 2)}, {8, Rational(1, 2)}}) {
    const Volume found = volume(cg_pattern(nodes), block_mapping(nodes, 1));
    EXPECT_EQ(found.lightest, lightest);
    EXPECT_EQ(found.lightest == found.node, nodes == 2);
  }
}

TEST(CommunicationVolume, HplOfANodeIsLessThanItsProcessesTimesThatOfOne) {
  // Section 7.4: "multiply by nppn, then subtract"; only few processes of a node broadcast at a
  // time.
  const Volume found = hpl_volume(4, 4, block_mapping(16, 4));
  EXPECT_EQ(found.process, Rational(3, 2));
  // A node is a grid row: the node of the diagonal sends its whole U down, nothing along the row.
  EXPECT_EQ(found.node, Rational(3));
  EXPECT_LT(found.node, Rational(4 * 3, 2));
  EXPECT_EQ(found.lightest, Rational(0));
}

TEST(CommunicationVolume, OneNodeSendsNothingOut) {
  for (const Pattern& pattern : {cg_pattern(8), hpl_pattern(6)}) {
    const Volume found = volume(pattern, block_mapping(pattern.processes(), pattern.processes()));
    EXPECT_EQ(found.node, Rational(0));
    EXPECT_EQ(found.channels, 0);
    EXPECT_GT(found.process, Rational(0));
  }
}

TEST(CommunicationVolume, EveryMessageHasAReceiver) {
  for (const Pattern& pattern : {cg_pattern(32), hpl_pattern(3, 4, 2)}) {
    Rational sent;
    for (const PatternMessage& message : pattern.messages) {
      ASSERT_GE(message.to, 0);
      ASSERT_LT(message.to, pattern.processes());
      sent += message.size;
    }
    // CG: (log2 columns + 1) / columns by each; HPL: U to each other row, L to each other column.
    const Rational expected = pattern.rows == 3 ? Rational(2 + 3) : Rational(32 * 4, 8);
    EXPECT_EQ(sent, expected);
  }
}

TEST(CommunicationVolume, RefusesInvalidPatternsAndMappings) {
  EXPECT_THROW((void)cg_pattern(6), Error);
  EXPECT_THROW((void)cg_pattern(0), Error);
  EXPECT_THROW((void)hpl_pattern(0), Error);
  EXPECT_THROW((void)hpl_pattern(0, 3), Error);
  EXPECT_THROW((void)block_mapping(4, 0), Error);
  EXPECT_THROW((void)volume(cg_pattern(4), {0, 0, 1}), Error);
  EXPECT_THROW((void)volume(cg_pattern(2), {0, -1}), Error);
}

TEST(Rational, IsExact) {
  Rational third(2, -6);
  EXPECT_EQ(third, Rational(-1, 3));
  third += Rational(5, 6);
  EXPECT_EQ(third, Rational(1, 2));
  EXPECT_LT(Rational(1, 3), Rational(34, 100));
  EXPECT_EQ(Rational(4, 2), 2);
}

}  // namespace
}  // namespace plait::model
