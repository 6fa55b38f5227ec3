// SPDX-License-Identifier: BSD-3-Clause
// remap.json and the lines about it.
#include "remap/remap_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "plait/error.hpp"

namespace plait::remap {
namespace {

class RemapJson : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("plait_remap_" + std::to_string(::getpid()));
};

RemapFile two_decisions() {
  RemapFile file;
  file.host = "node1";
  file.interval_s = 2;
  file.ranks = 4;
  file.intervals = 9;
  Decision move;
  move.at_s = 4;
  move.move.interval_s = 2;
  move.move.predicted_gain_s = 0.12;
  move.move.cost_s = 0.0007;
  move.move.effect = Effect::not_faster;
  move.move.speed = 0.9;
  move.ranks = {{1, "2", "4"}, {2, "4", "2"}};
  Decision back = move;
  back.at_s = 6;
  back.move.revert = true;
  back.move.effect = Effect::unknown;
  file.decisions = {move, back};
  return file;
}

TEST_F(RemapJson, IsReadAsItWasWritten) {
  EXPECT_FALSE(read_remap_file(folder_));
  write_remap_file(folder_, two_decisions());
  const auto file = read_remap_file(folder_);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file, two_decisions());
}

TEST_F(RemapJson, IsRefusedWithItsNameIfItIsDamaged) {
  std::ofstream(folder_ / "remap.json") << R"({"schema": "plait-remap", "schema_version": 1})";
  try {
    (void)read_remap_file(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("remap.json: damaged"), std::string::npos)
        << error.what();
  }
}

TEST_F(RemapJson, HasTextsInOneLineAndNoNegativeCounts) {
  nlohmann::json json = remap_to_json(two_decisions());
  json["stopped"] = "one\ntwo\x1b[2J";
  EXPECT_EQ(remap_from_json(json).stopped, "one?two?[2J");
  json["ranks"] = -1;
  EXPECT_THROW((void)remap_from_json(json), JsonError);
}

TEST(RemapLines, SayWhatWasPredictedAndWhatCameOfIt) {
  std::string text;
  for (const std::string& line : remap_lines(two_decisions())) {
    EXPECT_LE(line.size(), 80U);
    text += line.substr(line.find_first_not_of(' ')) + ' ';
  }
  EXPECT_NE(text.find("4 ranks looked at after each of 9 intervals (every 2.00 s); moved 2 times"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("cores: rank 1 from 2 to 4, rank 2 from 4 to 2; predicted to save 120 ms of "
                      "2.00 s for 700 us; messages per second became 0.900 times as many"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("moved back, because that was not faster: rank 1"), std::string::npos)
      << text;
}

TEST(RemapLines, SayWhyNothingWasMoved) {
  RemapFile file;
  file.interval_s = 2;
  EXPECT_EQ(remap_lines(file).at(0),
            "Remapping: no rank was moved: the program ended within 2.00 s");
  file.stopped = "all ranks are bound to core 0";
  EXPECT_EQ(remap_lines(file).at(0), "Remapping: no rank was moved: all ranks are bound to core 0");
}

}  // namespace
}  // namespace plait::remap
