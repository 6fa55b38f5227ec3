// SPDX-License-Identifier: BSD-3-Clause
// Files get their name when they are complete, and nothing is written through another user's link.
#include "base/json_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/user_data.hpp"

namespace plait {
namespace {

namespace fs = std::filesystem;

class JsonFile : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(base_); }
  void TearDown() override { fs::remove_all(base_); }
  fs::path base_ = fs::path(testing::TempDir()) / ("plait_json_" + std::to_string(::getpid()));
};

TEST_F(JsonFile, NothingIsWrittenThroughALink) {
  const fs::path precious = base_ / "precious", file = base_ / "run.json";
  std::ofstream(precious) << "keep me";
  const std::string part = file.string() + ".part-" + std::to_string(::getpid());
  for (const char* end : {"", "-0", "-1"}) fs::create_symlink(precious, part + end);
  write_text_file(file, "new");
  EXPECT_EQ(read_text_file(file), "new");
  EXPECT_EQ(read_text_file(precious), "keep me");
}

TEST_F(JsonFile, AnExistingLinkIsReplaced) {
  const fs::path precious = base_ / "precious", file = base_ / "run.json";
  std::ofstream(precious) << "keep me";
  fs::create_symlink(precious, file);
  write_text_file(file, "new");
  EXPECT_EQ(read_text_file(file), "new");
  EXPECT_EQ(read_text_file(precious), "keep me");
}

TEST(UserData, WithoutHomeTheFolderIsNotTheCurrentOne) {
  ::unsetenv("XDG_DATA_HOME");
  ::unsetenv("HOME");
  EXPECT_TRUE(user_data_folder().is_absolute()) << user_data_folder();
}

}  // namespace
}  // namespace plait
