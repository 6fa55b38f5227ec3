// SPDX-License-Identifier: BSD-3-Clause
// Graphs from METIS, Matrix Market and CSV files, and the errors for damaged ones.
#include "mapping/communication_input.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

class CommunicationInput : public testing::Test {
protected:
  ~CommunicationInput() override { std::filesystem::remove_all(folder_); }

  GraphFile read(const std::string& extension, const std::string& text) {
    std::filesystem::create_directories(folder_);
    const std::filesystem::path file = folder_ / ("graph" + extension);
    std::ofstream(file) << text;
    return read_graph(file);
  }

  /// The error message after the file name.
  std::string refusal(const std::string& extension, const std::string& text) {
    try {
      read(extension, text);
    } catch (const Error& error) {
      const std::string what = error.what();
      return what.substr(what.find("graph." + extension.substr(1)) + 5 + extension.size());
    }
    return "";
  }

private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  testing::UnitTest::GetInstance()->current_test_info()->name();
};

/// A path of three processes with 5 bytes and 7 bytes each way.
void expect_path(const Graph& graph) {
  EXPECT_EQ(graph.first, (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(graph.to, (std::vector<int>{1, 0, 2, 1}));
  EXPECT_EQ(graph.bytes, (std::vector<double>{5, 5, 7, 7}));
  EXPECT_EQ(graph.messages, (std::vector<double>{1, 1, 1, 1}));
}

TEST_F(CommunicationInput, AllFormatsGiveTheSameGraph) {
  expect_path(read(".graph", "% a comment\n3 2 001\n2 5\n1 5 3 7\n2 7\n").graph);
  expect_path(read(".graph", "3 2 111 2\n1 0 9 2 5\n1 0 9 1 5 3 7\n1 0 9 2 7").graph);
  expect_path(read(".mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n% text\n3 3 3\n"
                   "2 1 5\n3 2 7e0\n3 3 4\n")
                  .graph);
  expect_path(read(".mtx",
                   "%%MatrixMarket matrix array integer general\n3 3\n"
                   "0\n5\n0\n5\n0\n7\n0\n7\n0\n")
                  .graph);
  expect_path(read(".csv", "# bytes\n0,5,0\n5,0,7\n0,7,0\n").graph);
}

TEST_F(CommunicationInput, WeightsMayBeMissing) {
  const GraphFile metis = read(".graph", "3 1\n2\n1\n\n");
  EXPECT_FALSE(metis.weighted);
  EXPECT_EQ(metis.graph.bytes, (std::vector<double>{1, 1}));
  EXPECT_EQ(metis.graph.size(), 3);
  EXPECT_FALSE(
      read(".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n").weighted);
  EXPECT_TRUE(read(".csv", "0,1\n1,0\n").weighted);
}

TEST_F(CommunicationInput, OneSidedMessagesGetAPartnerWithoutBytes) {
  const Graph graph = read(".csv", "0,3\n0,0\n").graph;
  EXPECT_EQ(graph.bytes, (std::vector<double>{3, 0}));
  EXPECT_EQ(graph.messages, (std::vector<double>{1, 0}));
  const Graph summed = graph_of({{1, 0, 4, 2}, {0, 0, 9, 1}, {1, 0, 6, 3}}, 2);
  EXPECT_EQ(summed.bytes, (std::vector<double>{0, 10}));
  EXPECT_EQ(summed.messages, (std::vector<double>{0, 5}));
}

TEST_F(CommunicationInput, DamagedFilesAreNamedWithTheirLine) {
  EXPECT_EQ(refusal(".graph", "3 2\n2\n1 4\n2\n"),
            ":3: \"4\" is not a vertex; give a number from 1 to 3");
  EXPECT_TRUE(refusal(".graph", "3 2\n2\n").starts_with(":2: the file ends at vertex 2 of 3"));
  EXPECT_TRUE(refusal(".graph", "2 1 001\n2 -1\n1 1\n").starts_with(":2: \"-1\" is not a weight"));
  EXPECT_TRUE(refusal(".graph", "").starts_with(":"));
  EXPECT_TRUE(refusal(".mtx", "1 1 1\n")
                  .starts_with(":1: not a general or symmetric matrix of real numbers"));
  EXPECT_TRUE(refusal(".mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n")
                  .starts_with(":2: the matrix is not square"));
  EXPECT_TRUE(refusal(".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n")
                  .starts_with(":3: the file ends before its last entry"));
  EXPECT_TRUE(
      refusal(".csv", "0,1\n1\n").starts_with(":2: 1 entry in this line, but 2 in the line above"));
  EXPECT_TRUE(refusal(".csv", "0,1\n").starts_with(":1: the matrix is not square: 1 x 2"));
  EXPECT_TRUE(refusal(".csv", "0,nan\n1,0\n").starts_with(":1: \"nan\" is not a weight"));
  EXPECT_TRUE(refusal(".txt", "0").starts_with(": unknown file extension"));
  EXPECT_THROW(read_graph("no/such/file.graph"), Error);
}

}  // namespace
}  // namespace plait::mapping
