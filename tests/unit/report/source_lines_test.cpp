// SPDX-License-Identifier: BSD-3-Clause
// The source around hot lines: which lines are taken, limits, and files that cannot be read.
#include "report/source_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace plait::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class SourceLines : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("plait-source-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A file of numbered lines.
  std::string file(const std::string& name, int lines) const {
    std::ofstream out(folder_ / name);
    for (int line = 1; line <= lines; ++line) out << "line " << line << '\n';
    return folder_ / name;
  }

  /// Adds samples in a line of a file.
  void hit(const std::string& path, int line, std::uint64_t samples) {
    const int at = static_cast<int>(tree_.nodes.size());
    tree_.functions.push_back({"f", "f", path, 1, "app", "code"});
    tree_.nodes.push_back({-1, at, line, false});
    tree_.counts.push_back({at, 0, samples::State::code, samples});
  }

  fs::path folder_;
  samples::CallTree tree_;
};

TEST_F(SourceLines, HaveSomeLinesAroundEachHotOneAndTheHottestFileFirst) {
  const std::string a = file("a.c", 100), b = file("b.c", 100);
  hit(b, 50, 900);
  hit(a, 20, 60);
  hit(a, 26, 20);
  hit(a, 99, 20);
  const json parts = source_lines(tree_);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0]["file"], b);
  EXPECT_EQ(parts[0]["first_line"], 46);
  EXPECT_EQ(parts[0]["lines"].size(), 9U);
  EXPECT_EQ(parts[0]["lines"][4], "line 50");
  // Lines 16 to 24 and 22 to 30 are one part.
  EXPECT_EQ(parts[1]["first_line"], 16);
  EXPECT_EQ(parts[1]["lines"].size(), 15U);
  EXPECT_EQ(parts[2]["first_line"], 95);
  EXPECT_EQ(parts[2]["lines"].back(), "line 100");
}

TEST_F(SourceLines, LeaveOutRareLinesAndFilesThatCannotBeRead) {
  hit(file("a.c", 100), 20, 9999);
  hit(file("b.c", 100), 20, 1);
  hit(folder_ / "missing.c", 3, 5000);
  hit(folder_, 3, 5000);
  hit("", 3, 5000);
  std::ofstream(folder_ / "binary.c") << std::string("a\0b\n", 4);
  hit(folder_ / "binary.c", 1, 5000);
  hit(file("short.c", 2), 50, 5000);
  const json parts = source_lines(tree_);
  ASSERT_EQ(parts.size(), 1U) << parts.dump();
  EXPECT_EQ(parts[0]["file"], (folder_ / "a.c").string());
  EXPECT_TRUE(source_lines({}).empty());
}

TEST_F(SourceLines, AreLimitedInNumberAndLength) {
  const std::string path = file("a.c", 5000);
  for (int line = 5; line < 5000; line += 9) hit(path, line, 1000);
  std::size_t lines = 0;
  for (const json& part : source_lines(tree_)) lines += part["lines"].size();
  EXPECT_EQ(lines, 2000U);
  tree_ = {};
  std::ofstream(folder_ / "long.c") << std::string(5000, 'x');
  hit(folder_ / "long.c", 1, 10);
  EXPECT_EQ(source_lines(tree_)[0]["lines"][0].get<std::string>().size(), 200U);
}

}  // namespace
}  // namespace plait::report
