// SPDX-License-Identifier: BSD-3-Clause
// Stengel's table 2.1, and invariants of every decomposition.
#include "model/jacobi_decomposition.hpp"

#include <gtest/gtest.h>

#include <string>

#include "csv.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

constexpr Extents kCube{120, 120, 120};

Extents weak_parts(int nodes) {
  return parts_for_nodes(nodes, {nodes, nodes, nodes});
}

TEST(JacobiDecomposition, StengelsTable21) {
  int rows = 0;
  for (const CsvRow& row : read_csv("stengel/stengel_table_2_1.csv")) {
    const auto column = [&](const char* name) { return static_cast<int>(number(row, name)); };
    SCOPED_TRACE(row.at("nodes") + " nodes");
    const Extents parts = weak_parts(column("nodes"));
    EXPECT_EQ(parts, (Extents{column("px"), column("py"), column("pz")}));
    const NodeExchange one = node_exchange(parts, kCube, {1, 1, 1});
    const NodeExchange two = node_exchange(parts, kCube, parts_for_ranks(2, kCube));
    EXPECT_EQ(one.max_neighbours, column("max_neighbours"));
    EXPECT_EQ(two.max_neighbours, column("max_neighbours"));
    EXPECT_EQ(one.communications, column("communications_1ppn"));
    EXPECT_EQ(two.communications, column("communications_2ppn"));
    // Section 2.1.3: the volume does not depend on the ranks of a node.
    EXPECT_EQ(one.face_cells, std::int64_t{120} * 120 * column("max_neighbours"));
    EXPECT_EQ(two.face_cells, one.face_cells);
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

TEST(JacobiDecomposition, ANodeIsCutAlongYForTwoRanks) {
  EXPECT_EQ(parts_for_ranks(2, kCube), (Extents{1, 2, 1}));
  EXPECT_EQ(parts_for_ranks(4, kCube), (Extents{1, 2, 2}));
  EXPECT_EQ(parts_for_ranks(8, kCube), (Extents{2, 2, 2}));
}

TEST(JacobiDecomposition, SplitFacesAreSmallerMessages) {
  // Section 2.1.3: 120 * 60 * 8 B = 56 KiB if a face is split between two ranks.
  const NodeExchange along_x = node_exchange({2, 1, 1}, kCube, {1, 2, 1});
  EXPECT_EQ(along_x.largest_message_cells, 120 * 60);
  EXPECT_EQ(along_x.messages, 2);
  const NodeExchange along_y = node_exchange({1, 2, 1}, kCube, {1, 2, 1});
  EXPECT_EQ(along_y.largest_message_cells, 120 * 120);
  EXPECT_EQ(along_y.messages, 1);
  EXPECT_EQ(along_y.inner_messages, 1);
  EXPECT_EQ(along_y.inner_cells, 120 * 120);
}

TEST(JacobiDecomposition, LongAxesAreCutFirst) {
  EXPECT_EQ(parts_for_nodes(4, {100, 100, 1000}), (Extents{1, 1, 4}));
  EXPECT_EQ(parts_for_nodes(6, {100, 1000, 100}), (Extents{1, 6, 1}));
  EXPECT_EQ(parts_for_nodes(8, {400, 200, 100}), (Extents{4, 2, 1}));
}

TEST(JacobiDecomposition, EveryNodeGetsAPart) {
  for (int nodes = 1; nodes <= 600; ++nodes) {
    for (const Extents& cells : {Extents{nodes, nodes, nodes}, Extents{900, 700, 610}}) {
      const Extents parts = parts_for_nodes(nodes, cells);
      ASSERT_EQ(parts[0] * parts[1] * parts[2], nodes);
      const NodeExchange exchange = node_exchange(parts, kCube, {1, 1, 1});
      EXPECT_LE(exchange.max_neighbours, 6);
      EXPECT_LE(exchange.communications, 3);
      EXPECT_EQ(exchange.messages, exchange.max_neighbours);
      EXPECT_EQ(exchange.max_neighbours == 0, nodes == 1);
    }
  }
}

TEST(JacobiDecomposition, RefusesImpossibleCuts) {
  EXPECT_THROW(parts_for_nodes(0, kCube), Error);
  EXPECT_THROW(parts_for_nodes(-3, kCube), Error);
  EXPECT_THROW(parts_for_nodes(2, {0, 5, 5}), Error);
  EXPECT_THROW(parts_for_nodes(7, {4, 4, 4}), Error);
  try {
    parts_for_nodes(7, {4, 4, 4});
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("4x4x4 cells into 7x1x1 parts"), std::string::npos);
  }
}

}  // namespace
}  // namespace plait::model
